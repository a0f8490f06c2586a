import type { ResponseOf } from '#contract/endpoint.ts';
import type { sessionsApi } from '#contract/sessions.ts';
import { callWith } from './service-api.ts';

/** The storage of a signed-in dashboard, as Playwright's storage state. */
export type SignedIn = {
  cookies: [];
  origins: { origin: string; localStorage: { name: string; value: string }[] }[];
};

/** The token of a signed-in dashboard, for calls without a page. */
export const tokenOf = ({ origins }: SignedIn): string =>
  (JSON.parse(origins[0]?.localStorage[0]?.value ?? '{}') as { token: string }).token;

/** Opens and names a session with a sign-in link, without a page. */
export const openSession = async (link: string, label: string): Promise<SignedIn> => {
  const { origin, hash } = new URL(link);
  const opened = await callWith<ResponseOf<typeof sessionsApi.open>>(origin, '', 'POST', '/v1/sessions', {
    token: hash.replace('#signin=', ''),
  });
  await callWith(origin, opened.token, 'PATCH', '/v1/session', { label });
  const value = JSON.stringify({ ...opened, baseUrl: origin });
  return { cookies: [], origins: [{ origin, localStorage: [{ name: 'penstock.session', value }] }] };
};
