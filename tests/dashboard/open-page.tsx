import { render, type RenderResult } from '@testing-library/react';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import { queryClient } from '#dashboard/api/query-client.ts';
import { session } from '#dashboard/api/session.ts';
import { App } from '#dashboard/app/app.tsx';
import { createAppRouter } from '#dashboard/routes.tsx';
import type { TestService } from '#tests/service/start-test-service.ts';

export type OpenPage = RenderResult & { user: UserEvent };

/** Sets the address of the page, at the origin of the service. */
const goTo = (service: TestService, path: string) =>
  (globalThis as unknown as { jsdom: { reconfigure(settings: { url: string }): void } }).jsdom.reconfigure({
    url: service.url + path,
  });

const open = (): OpenPage => {
  const page = render(<App router={createAppRouter({ signInProblem: null })} />);
  return { ...page, user: userEvent.setup() };
};

/** Opens the dashboard at a path, signed in as the first session of the service or with another token. */
export const openPage = (service: TestService, path: string, token = service.token): OpenPage => {
  const scopes = service.scopesOf.get(token);
  queryClient.clear();
  sessionStorage.clear();
  goTo(service, path);
  session.start({
    token,
    baseUrl: service.url,
    expiresAt: '2099-01-01T00:00:00.000Z',
    ...(scopes !== undefined && { scopes }),
  });
  return open();
};

/** Opens the dashboard at a path, signed out. */
export const openSignedOut = (service: TestService, path: string): OpenPage => {
  queryClient.clear();
  sessionStorage.clear();
  session.signOut();
  goTo(service, path);
  return open();
};
