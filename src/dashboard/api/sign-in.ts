import { sessionsApi } from '#contract/sessions.ts';
import { deleteAllDrafts } from '../ui/browser/draft.ts';
import { call } from './client.ts';
import { queryClient } from './query-client.ts';
import { session } from './session.ts';

/** Exchanges a sign-in token or an API key for a session. */
export const signIn = async (token: string, remember: boolean): Promise<void> => {
  const baseUrl = session.baseUrl();
  const opened = await call(sessionsApi.open, { body: { token, remember } });
  const isAgain = session.get().status === 'ended';
  session.start({ ...opened, baseUrl, isAgain });
  // Signing in again refetches the open page. A first sign-in must not show data of another session.
  if (isAgain) await queryClient.invalidateQueries();
  else queryClient.clear();
};

export const signOut = async (): Promise<void> => {
  // This browser deletes the token even if the request fails.
  const closing = call(sessionsApi.close).catch(() => undefined);
  session.signOut();
  deleteAllDrafts();
  queryClient.clear();
  await closing;
};

/** Takes the token of a sign-in link (`#signin=…`) out of the address and the history. */
export const takeSignInToken = (): string | null => {
  const match = /^#signin=(.+)$/.exec(window.location.hash);
  if (match === null) return null;
  window.history.replaceState(null, '', window.location.pathname + window.location.search);
  return decodeURIComponent(match[1] ?? '');
};
