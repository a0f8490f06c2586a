import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { scopes } from '#contract/scope.ts';
import { devicesApi } from '#contract/devices.ts';
import { call } from '#dashboard/api/client.ts';
import { session } from '#dashboard/api/session.ts';
import { takeSignInToken } from '#dashboard/api/sign-in.ts';
import { makeSigninLink } from '#service/access/signin-link.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage, openSignedOut } from './open-page.tsx';
import type { UserEvent } from '@testing-library/user-event';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const openSession = async () => {
  const key = await service.mintKey([...scopes]);
  const { body } = await service.request('POST', '/v1/sessions', {
    body: { token: key.secret },
    token: null,
  });
  return { key, token: body.token as string };
};

test('without a session the sign-in page opens, and then the requested page', async () => {
  const { secret } = await service.mintKey([...scopes]);
  const { user } = openSignedOut(service, '/devices?q=boil');
  await user.type(await screen.findByLabelText('API key'), secret);
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await screen.findByRole('heading', { name: 'Devices' });
  expect(window.location.pathname + window.location.search).toBe('/devices?q=boil');
});

test('after a sign-in the scopes of the key are shown', async () => {
  const { secret } = await service.mintKey(['devices:read', 'telemetry:read'], { name: 'Night shift' });
  const { user } = openSignedOut(service, '/devices');
  await user.type(await screen.findByLabelText('API key'), secret);
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  const toast = await screen.findByRole('dialog', { name: 'Signed in with the key Night shift' });
  expect(within(toast).getByText('devices:read, telemetry:read')).toBeTruthy();
});

test('the navigation is in place while the first page loads, and the page appears beside it', async () => {
  openPage(service, '/devices');
  const navigation = screen.getByRole('navigation');
  expect(within(screen.getByRole('main')).getByText('Loading')).toBeTruthy();
  await screen.findByRole('heading', { name: 'Devices' });
  expect(screen.getByRole('navigation')).toBe(navigation);
});

test('an unknown key is rejected with a message, and nothing is stored', async () => {
  const { user } = openSignedOut(service, '/');
  await fill(user, await screen.findByLabelText('API key'), 'pen_key_wrong');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText(/Unknown API key/)).toBeTruthy();
  expect(localStorage.getItem('penstock.session')).toBeNull();
});

/** A session opened by a sign-in link has no name yet. */
const openByLink = async (): Promise<string> => {
  const link = await makeSigninLink(service.service.parts.db, service.url, Date.now());
  const token = link.slice(link.indexOf('=') + 1);
  const { body } = await service.request('POST', '/v1/sessions', { body: { token }, token: null });
  return body.token;
};
const labelOf = async (token: string) => (await service.request('GET', '/v1/session', { token })).body.label;

test('another server needs a URL whose host has no spaces, and Escape closes the field', async () => {
  // Chromium, unlike this test environment, accepts spaces in a host.
  const { URL: usual } = globalThis;
  vi.stubGlobal(
    'URL',
    class extends usual {
      override get hostname() {
        return super.hostname.replaceAll('-', '%20');
      }
      constructor(text: string | URL, base?: string | URL) {
        super(text.toString().replaceAll(' ', '-'), base);
      }
    },
  );
  onTestFinished(() => void vi.stubGlobal('URL', usual));
  const { user } = openSignedOut(service, '/signin');
  await user.click(await screen.findByRole('button', { name: 'Open another server' }));
  const field = screen.getByRole('textbox', { name: 'Server URL' });
  const problem = 'Enter a server URL, for example https://penstock.example.com';
  for (const text of ['ftp://x', 'not a url']) {
    await fill(user, field, text);
    expect(screen.queryByText(problem)).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Open' }));
    expect(screen.getByText(problem)).toBeTruthy();
  }
  await user.click(field);
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('textbox', { name: 'Server URL' })).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Open another server' }));
});

test('a session is named in the account menu, which shows its scopes', async () => {
  const token = await openByLink();
  const { user } = openPage(service, '/', token);
  await user.click(await screen.findByRole('button', { name: /^Account/ }));
  await user.click(await screen.findByRole('menuitem', { name: 'Name this session…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Name this session' });
  expect(within(dialog).getByText(/full access/)).toBeTruthy();
  await user.type(within(dialog).getByLabelText('Session name'), 'Control room{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(await labelOf(token)).toBe('Control room');
  expect(await screen.findByRole('button', { name: 'Account: Control room' })).toBeTruthy();
});

const prompt = () => screen.queryByRole('region', { name: 'Name this session' });
const register = async (user: UserEvent, name: string) => {
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), name);
  await user.click(screen.getByRole('button', { name: 'Register' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
};

test('a session without a name is asked for one on the page, after its first recorded change', async () => {
  const token = await openByLink();
  const { user } = openPage(service, '/devices', token);
  await screen.findByRole('heading', { name: 'Devices' });
  await screen.findByRole('button', { name: 'Account: Signed in' });
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(prompt()).toBeNull();

  await user.click(screen.getAllByRole('button', { name: /Register/ })[0]!);
  await register(user, 'Boiler 1');
  const asked = await screen.findByRole('region', { name: 'Name this session' });
  // After the content, so that the content does not move.
  const row = await screen.findByRole('row', { name: /Boiler 1/ });
  expect(row.compareDocumentPosition(asked)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  // One line, which covers little of the page.
  expect(within(asked).queryByLabelText('Session name')).toBeNull();
  await user.click(within(asked).getByRole('button', { name: 'Name this session' }));
  await waitFor(() => expect(document.activeElement).toBe(within(asked).getByLabelText('Session name')));
  await user.click(within(asked).getByRole('button', { name: 'Save' }));
  expect(within(asked).getByText('Must not be empty.')).toBeTruthy();
  await user.type(within(asked).getByLabelText('Session name'), 'Ana{Enter}');
  await waitFor(() => expect(prompt()).toBeNull());
  expect(await labelOf(token)).toBe('Ana');
});

test('a dismissed name prompt does not appear again', async () => {
  const token = await openByLink();
  const { user } = openPage(service, '/devices?register=new', token);
  await register(user, 'Boiler 2');
  const asked = await screen.findByRole('region', { name: 'Name this session' });
  await user.click(within(asked).getByRole('button', { name: 'Not now' }));
  expect(prompt()).toBeNull();
  await waitFor(() => expect(document.activeElement).not.toBe(document.body));
  await user.click(screen.getAllByRole('button', { name: /Register/ })[0]!);
  await register(user, 'Boiler 3');
  await screen.findByRole('row', { name: /Boiler 3/ });
  expect(prompt()).toBeNull();
  expect(await labelOf(token)).toBeNull();
});

test('an ended session asks to sign in again over the page, and the edits can be saved afterwards', async () => {
  const { key, token } = await openSession();
  await service.request('PATCH', '/v1/session', { body: { label: 'Grace' }, token });
  const { user } = openPage(service, '/devices?register=new', token);
  await fill(user, await screen.findByRole('textbox', { name: 'Name' }), 'Boiler 9');
  const register = screen.getByRole('button', { name: 'Register' });
  await service.request('DELETE', `/v1/api-keys/${key.id}`);
  // The stream may end the session first: the dialog then covers the button.
  await user.click(register);

  const again = await screen.findByRole('dialog', { name: 'Sign in again' });
  const other = await service.mintKey([...scopes]);
  await user.type(within(again).getByLabelText('API key'), other.secret);
  await user.click(within(again).getByRole('button', { name: 'Sign in' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Sign in again' })).toBeNull());

  const drawer = await screen.findByRole('dialog', { name: 'Register device' });
  expect(within(drawer).getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Boiler 9');
  await user.click(within(drawer).getByRole('button', { name: 'Register' }));
  await screen.findByRole('row', { name: /Boiler 9/ });
});

test('signing out ends the session at the service and deletes the token', async () => {
  const { token } = await openSession();
  await service.request('PATCH', '/v1/session', { body: { label: 'Linus' }, token });
  const { user } = openPage(service, '/devices', token);
  await user.click(await screen.findByRole('button', { name: 'Account: Linus' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
  await screen.findByRole('heading', { name: 'Sign in to Penstock' });
  expect(localStorage.getItem('penstock.session')).toBeNull();
  await waitFor(async () =>
    expect((await service.request('GET', '/v1/session', { token })).status).toBe(401),
  );
});

test('the token is sent only to the origin that issued it', async () => {
  session.start({
    token: 'pen_session_x',
    baseUrl: 'https://a.example',
    expiresAt: '2099-01-01T00:00:00.000Z',
  });
  expect(session.tokenFor(new URL('https://a.example/v1/devices'))).toBe('pen_session_x');
  expect(session.tokenFor(new URL('https://b.example/v1/devices'))).toBeNull();
  expect(session.tokenFor(new URL('http://a.example/v1/devices'))).toBeNull();
  expect(session.tokenFor(new URL('https://a.example:8443/v1/devices'))).toBeNull();
  session.signOut();
});

test('a rejected old token does not end the current session', async () => {
  const { token } = await openSession();
  session.start({ token, baseUrl: service.url, expiresAt: '2099-01-01T00:00:00.000Z' });
  session.end('pen_session_older', 'token-expired');
  expect(session.get().status).toBe('active');
  await expect(call(devicesApi.list)).resolves.toMatchObject({ nextCursor: null });
});

test('the token of a sign-in link is removed from the URL before the first render', () => {
  window.history.pushState(null, '', '/?x=1#signin=pen_signin_abc');
  expect(takeSignInToken()).toBe('pen_signin_abc');
  expect(window.location.href).not.toContain('signin');
  expect(window.location.search).toBe('?x=1');
  expect(takeSignInToken()).toBeNull();
});

test('a sign-out in another tab signs this tab out', async () => {
  const { token } = await openSession();
  await service.request('PATCH', '/v1/session', { body: { label: 'Barbara' }, token });
  openPage(service, '/devices', token);
  await screen.findByRole('heading', { name: 'Devices' });
  localStorage.removeItem('penstock.session');
  window.dispatchEvent(new StorageEvent('storage', { key: 'penstock.session', newValue: null }));
  await screen.findByRole('heading', { name: 'Sign in to Penstock' });
});

/** As another tab of this browser does. */
const signInElsewhere = (token: string, isAgain: boolean) => {
  const stored = { token, baseUrl: service.url, expiresAt: '2099-01-01T00:00:00.000Z', isAgain };
  localStorage.setItem('penstock.session', JSON.stringify(stored));
  window.dispatchEvent(new StorageEvent('storage', { key: 'penstock.session' }));
};

test('a sign-in with another session in another tab drops data and drafts of this tab', async () => {
  const [mine, theirs] = [await openSession(), await openSession()];
  await service.request('PATCH', '/v1/session', { body: { label: 'Margaret' }, token: mine.token });
  await service.request('PATCH', '/v1/session', { body: { label: 'Radia' }, token: theirs.token });
  openPage(service, '/devices', mine.token);
  await screen.findByRole('button', { name: 'Account: Margaret' });
  sessionStorage.setItem('penstock.draft.device.new', '{"typed":{"name":"Boiler"}}');
  signInElsewhere(theirs.token, false);
  await screen.findByRole('button', { name: 'Account: Radia' });
  expect(sessionStorage.getItem('penstock.draft.device.new')).toBeNull();
});

test('a renewed sign-in in another tab keeps the drafts of this tab', async () => {
  const [ended, again] = [await openSession(), await openSession()];
  await service.request('PATCH', '/v1/session', { body: { label: 'Frances' }, token: ended.token });
  await service.request('PATCH', '/v1/session', { body: { label: 'Frances 2' }, token: again.token });
  openPage(service, '/devices', ended.token);
  await screen.findByRole('button', { name: 'Account: Frances' });
  sessionStorage.setItem('penstock.draft.device.new', '{"typed":{"name":"Boiler"}}');
  signInElsewhere(again.token, true);
  await screen.findByRole('button', { name: 'Account: Frances 2' });
  expect(sessionStorage.getItem('penstock.draft.device.new')).toContain('Boiler');
});
