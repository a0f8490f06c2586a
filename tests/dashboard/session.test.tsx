import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scopes } from '#contract/scope.ts';
import { devicesApi } from '#contract/devices.ts';
import { call } from '#dashboard/api/client.ts';
import { session } from '#dashboard/api/session.ts';
import { takeSignInToken } from '#dashboard/api/sign-in.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage, openSignedOut } from './open-page.tsx';

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

test('who is not signed in is led to the sign-in page and, after it, to what was asked for', async () => {
  const { secret } = await service.mintKey([...scopes]);
  const { user } = openSignedOut(service, '/devices?q=boil');
  await user.type(await screen.findByLabelText('API key'), secret);
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await screen.findByRole('heading', { name: 'Devices' });
  expect(window.location.pathname + window.location.search).toBe('/devices?q=boil');
});

test('a key that is none is refused in words, and nothing is stored', async () => {
  const { user } = openSignedOut(service, '/');
  await user.type(await screen.findByLabelText('API key'), 'pen_key_wrong');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText(/This is no key of this service/)).toBeTruthy();
  expect(localStorage.getItem('penstock.session')).toBeNull();
});

test('the first time it asks who this is, and says what the session may do', async () => {
  const { user } = openPage(service, '/');
  const dialog = await screen.findByRole('dialog', { name: 'Name this session' });
  expect(within(dialog).getByText(/full access/)).toBeTruthy();
  await user.type(within(dialog).getByLabelText('Who is this?'), 'Control room{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const { body } = await service.request('GET', '/v1/session');
  expect(body.label).toBe('Control room');
});

test('a session that ends asks to sign in again over the page, and what was typed is saved after it', async () => {
  const { key, token } = await openSession();
  await service.request('PATCH', '/v1/session', { body: { label: 'Grace' }, token });
  const { user } = openPage(service, '/devices?register=new', token);
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Boiler 9');
  await service.request('DELETE', `/v1/api-keys/${key.id}`);
  await user.click(screen.getByRole('button', { name: 'Register' }));

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

test('signing out ends the session at the service and forgets the token', async () => {
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

test('the token goes to the origin that issued it and to no other', async () => {
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

test('a refused token that is no longer in use does not end the session that took its place', async () => {
  const { token } = await openSession();
  session.start({ token, baseUrl: service.url, expiresAt: '2099-01-01T00:00:00.000Z' });
  session.end('pen_session_older', 'token-expired');
  expect(session.get().status).toBe('active');
  await expect(call(devicesApi.list)).resolves.toMatchObject({ nextCursor: null });
});

test('the token of a sign-in link is out of the address before anything is drawn', () => {
  window.history.pushState(null, '', '/?x=1#signin=pen_signin_abc');
  expect(takeSignInToken()).toBe('pen_signin_abc');
  expect(window.location.href).not.toContain('signin');
  expect(window.location.search).toBe('?x=1');
  expect(takeSignInToken()).toBeNull();
});

test('another tab that signs out signs this one out too', async () => {
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

test('another tab that signs in as somebody else takes what was read and typed in this one away', async () => {
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

test('another tab that signs in again in place leaves what was typed in this one', async () => {
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
