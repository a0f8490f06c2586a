import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { scopes, type Scope } from '#contract/scope.ts';
import { apiKeyColumns } from '#dashboard/pages/api-keys/api-key-columns.tsx';
import { fitColumns } from '#dashboard/ui/table/fitting-columns.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage, type OpenPage } from './open-page.tsx';

const DAY_MS = 86_400_000;
const SECRET = /^pen_key_[0-9A-Za-z]{49}$/;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());
afterEach(async () => {
  const { body } = await service.request('GET', '/v1/api-keys?limit=200&revoked=false');
  for (const { id } of body.data) await service.request('DELETE', `/v1/api-keys/${id}`);
});

const mint = (name: string, of: Scope[], more: Record<string, unknown> = {}) =>
  service.mintKey(of, { name, ...more });
const whoIs = (token: string) => service.request('GET', '/v1/session', { token });
const readKey = async (id: string) => (await service.request('GET', `/v1/api-keys/${id}`)).body;
const rowOf = (name: string) => screen.findByRole('row', { name: new RegExp(name) });
const copied = () => navigator.clipboard.readText();

const createDrawer = async () => {
  const drawer = within(await screen.findByRole('dialog', { name: 'Create API key' }));
  await drawer.findByRole('textbox', { name: 'Name' });
  return drawer;
};
const secretOf = (dialog: HTMLElement) => within(dialog).getByText(SECRET).textContent;
const act = async ({ user }: OpenPage, name: string, item: RegExp) => {
  await rowOf(name);
  await user.click(screen.getByRole('button', { name: `Actions for ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: item }));
};

test('an empty page offers the next step', async () => {
  const { user } = openPage(service, '/settings');
  await screen.findByText('No API keys yet');
  expect(window.location.pathname).toBe('/settings/api-keys');
  await user.click(screen.getAllByRole('button', { name: 'Create key' }).at(-1)!);
  expect(await createDrawer()).toBeTruthy();
  expect(window.location.search).toBe('?create=new');
});

test('a key is created by keyboard, and its secret works', async () => {
  const { user } = openPage(service, '/settings/api-keys');
  const create = await screen.findAllByRole('button', { name: 'Create key' });
  create[0]!.focus();
  await user.keyboard('{Enter}');
  const drawer = await createDrawer();
  await waitFor(() => expect(document.activeElement).toBe(drawer.getByRole('textbox', { name: 'Name' })));
  await user.keyboard('Night report');
  drawer.getByRole('button', { name: 'Create key' }).focus();
  await user.keyboard('{Enter}');

  const dialog = await screen.findByRole('dialog', { name: 'Created Night report' });
  const secret = secretOf(dialog);
  const { body } = await whoIs(secret);
  expect(body.scopes).toEqual(['devices:read', 'pipelines:read', 'telemetry:read', 'events:read']);
  expect(
    within(dialog).getByText(`curl -H "Authorization: Bearer ${secret}" ${service.url}/v1/devices`),
  ).toBeTruthy();

  await waitFor(() => expect(document.activeElement?.textContent).toBe('Copy secret'));
  await user.keyboard('{Enter}');
  expect(await copied()).toBe(secret);
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /Night report/ })).toBeNull());
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Create key'));
  const expiresAt = Date.parse((await readKey(body.key.id)).expiresAt);
  expect(Math.round((expiresAt - Date.now()) / DAY_MS)).toBe(90);
});

test('an uncopied secret is not left by Esc, Done or Back without a question', async () => {
  const { user } = openPage(service, '/settings/api-keys');
  await user.click((await screen.findAllByRole('button', { name: 'Create key' }))[0]!);
  const drawer = await createDrawer();
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'Gateway 4');
  await user.click(drawer.getByRole('button', { name: 'Create key' }));
  const dialog = await screen.findByRole('dialog', { name: 'Created Gateway 4' });
  const secret = secretOf(dialog);

  await user.keyboard('{Escape}');
  await within(dialog).findByText(/has not been copied/);
  window.history.back();
  await waitFor(() => expect(window.location.search).toBe('?create=new'));
  expect(secretOf(dialog)).toBe(secret);

  await user.click(within(dialog).getByRole('button', { name: 'Copy and close' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /Gateway 4/ })).toBeNull());
  expect(await copied()).toBe(secret);
  expect(document.body.textContent).not.toContain(secret);
});

test('a secret that is in use is left without a question', async () => {
  const { user } = openPage(service, '/settings/api-keys');
  await user.click((await screen.findAllByRole('button', { name: 'Create key' }))[0]!);
  const drawer = await createDrawer();
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'Typed by hand');
  await user.click(drawer.getByRole('button', { name: 'Create key' }));
  const dialog = await screen.findByRole('dialog', { name: 'Created Typed by hand' });
  window.history.back();
  await within(dialog).findByText(/has not been copied/);

  await whoIs(secretOf(dialog));
  // The buttons of an open question stay where they are.
  await within(dialog).findByText('The secret is in use.');
  await user.click(within(dialog).getByRole('button', { name: 'Close without copying' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /Typed by hand/ })).toBeNull());
});

test('a key limited to devices has only device scopes and sees only its devices', async () => {
  const { body: device } = await service.request('POST', '/v1/devices', { body: { name: 'Boiler 7' } });
  await service.request('POST', '/v1/devices', { body: { name: 'Pump 3' } });
  const { user } = openPage(service, '/settings/api-keys?create=new');
  const drawer = await createDrawer();
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'Wall screen');
  await user.click(drawer.getByRole('checkbox', { name: 'Limit to specific devices' }));
  await user.click(drawer.getByRole('radio', { name: /Custom/ }));
  const box = (scope: Scope) => drawer.getByRole<HTMLInputElement>('checkbox', { name: scope });
  expect(scopes.filter((scope) => box(scope).checked)).toEqual(['devices:read', 'telemetry:read']);
  expect(scopes.filter((scope) => !box(scope).disabled)).toEqual([
    'devices:read',
    'telemetry:read',
    'telemetry:write',
  ]);

  await user.click(drawer.getByRole('button', { name: 'Create key' }));
  await drawer.findByText('Choose at least one device.');
  await fill(user, drawer.getByRole('combobox', { name: 'Devices' }), 'boil');
  await waitFor(() => expect(screen.queryByRole('option', { name: /Pump 3/ })).toBeNull());
  await user.keyboard('{Enter}');
  await screen.findByRole('option', { name: /Boiler 7/, selected: true });
  // Closes the list, not the drawer.
  await user.keyboard('{Escape}');
  await user.click(drawer.getByRole('button', { name: 'Create key' }));
  const dialog = await screen.findByRole('dialog', { name: 'Created Wall screen' });
  const { body } = await whoIs(secretOf(dialog));
  expect(body).toMatchObject({ scopes: ['devices:read', 'telemetry:read'], devices: [device.id] });
});

test('a tag adds its devices to those that a key is limited to, and the example sends for one of them', async () => {
  const items = ['a', 'b', 'c'].map((externalId) => ({
    externalId,
    tags: { site: externalId === 'c' ? 'south' : 'north' },
  }));
  const { body } = await service.request('POST', '/v1/devices/batch', {
    body: { operation: 'upsert', items },
  });
  const { user } = openPage(service, '/settings/api-keys?create=new');
  const drawer = await createDrawer();
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'North');
  await user.click(drawer.getByRole('checkbox', { name: 'Limit to specific devices' }));
  await user.type(drawer.getByRole('combobox', { name: 'Devices' }), 'nor');
  await user.click(await screen.findByRole('option', { name: /^site: north\s*2 devices$/ }));
  await drawer.findByRole('button', { name: 'Remove b' });
  await user.keyboard('{Escape}');
  await user.click(drawer.getByRole('radio', { name: /^Device: write telemetry/ }));
  await user.click(drawer.getByRole('button', { name: 'Create key' }));
  const dialog = await screen.findByRole('dialog', { name: 'Created North' });
  const { devices } = (await whoIs(secretOf(dialog))).body;
  const example = within(dialog).getByRole('region', { name: 'First request with curl' });
  expect(example.textContent).toContain(`/v1/telemetry \\\n`);
  expect(example.textContent).toContain(`"device":"${devices[0]}"`);
  expect(devices.toSorted()).toEqual(
    body.results
      .slice(0, 2)
      .map(({ id }: { id: string }) => id)
      .toSorted(),
  );
});

test('a field error of the service is shown at its field, and the input is kept', async () => {
  const { user } = openPage(service, '/settings/api-keys?create=new');
  const drawer = await createDrawer();
  const name = drawer.getByRole<HTMLInputElement>('textbox', { name: 'Name' });
  await fill(user, name, 'For ever and a day');
  await user.click(drawer.getByRole('combobox', { name: 'Expires' }));
  await user.click(await screen.findByRole('option', { name: 'On a date…' }));
  fireEvent.change(await drawer.findByLabelText('Last day'), { target: { value: '2099-01-01' } });
  await user.click(drawer.getByRole('button', { name: 'Create key' }));
  await drawer.findByText(/Must be at most 366 days ahead/);
  expect(drawer.getByLabelText('Last day').getAttribute('aria-invalid')).toBe('true');
  expect(name.value).toBe('For ever and a day');
});

test('a key that never expires shows a warning', async () => {
  const { user } = openPage(service, '/settings/api-keys?create=new');
  const drawer = await createDrawer();
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'Old gateway');
  await user.click(drawer.getByRole('combobox', { name: 'Expires' }));
  await user.click(await screen.findByRole('option', { name: 'Never' }));
  await drawer.findByText(/stays valid until you revoke it/);
  await user.click(drawer.getByRole('button', { name: 'Create key' }));
  const dialog = await screen.findByRole('dialog', { name: 'Created Old gateway' });
  const { body } = await whoIs(secretOf(dialog));
  expect((await readKey(body.key.id)).expiresAt).toBeNull();
});

test('keys created by a session expire no later than its own key', async () => {
  const expiresAt = new Date(Date.now() + 40 * DAY_MS).toISOString();
  const { secret } = await mint('Key maker', ['api-keys:manage', 'devices:read'], { expiresAt });
  const { user } = openPage(service, '/settings/api-keys?create=new', secret);
  const drawer = await createDrawer();
  await user.click(drawer.getByRole('combobox', { name: 'Expires' }));
  const withOwnKey = await screen.findByRole('option', { name: 'With your key' });
  const offered = (name: string) => screen.queryByRole('option', { name }) !== null;
  expect(['In 30 days', 'In 90 days', 'On a date…', 'Never'].map(offered)).toEqual([
    true,
    false,
    true,
    false,
  ]);
  await user.click(withOwnKey);
  await drawer.findByText(/when your own key expires/);
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'Reader');
  await user.click(drawer.getByRole('button', { name: 'Create key' }));
  const dialog = await screen.findByRole('dialog', { name: 'Created Reader' });
  const { body } = await whoIs(secretOf(dialog));
  expect((await readKey(body.key.id)).expiresAt).toBe(expiresAt);
});

test('a session creates keys only with its own scopes', async () => {
  const { secret } = await mint('Key maker', ['api-keys:manage', 'devices:read']);
  const { user } = openPage(service, '/settings/api-keys?create=new', secret);
  const drawer = await createDrawer();
  expect(drawer.getByRole<HTMLInputElement>('radio', { name: /^Device: write telemetry/ }).disabled).toBe(
    true,
  );
  await user.click(drawer.getByRole('radio', { name: /Custom/ }));
  const enabled = scopes.filter(
    (scope) => !drawer.getByRole<HTMLInputElement>('checkbox', { name: scope }).disabled,
  );
  expect(enabled).toEqual(['devices:read', 'api-keys:manage']);
});

test('lists scopes, expiry and last use of each key, and highlights the last 14 days', async () => {
  const soon = new Date(Date.now() + 10 * DAY_MS - 60_000).toISOString();
  const { secret } = await mint('Gateway 4', ['telemetry:write'], { expiresAt: soon });
  await mint('Control room', [...scopes]);
  await whoIs(secret);
  openPage(service, '/settings/api-keys');
  const gateway = within(await rowOf('Gateway 4'));
  expect(gateway.getByText('Expires in 9 d')).toBeTruthy();
  expect(gateway.getByText(`pen_key_…${secret.slice(-4)}`)).toBeTruthy();
  expect(gateway.getByText('telemetry:write')).toBeTruthy();
  await waitFor(() => expect(gateway.getByText('127.0.0.1')).toBeTruthy());
  const room = within(await rowOf('Control room'));
  expect(room.getByText('Full access')).toBeTruthy();
  expect(room.getByText('Never used')).toBeTruthy();
  expect(room.getByText('Ada')).toBeTruthy();
});

test('a key with telemetry:write shows how many devices it can register', async () => {
  const key = await mint('Gateway 5', ['telemetry:write']);
  openPage(service, `/settings/api-keys?key=${key.id}`);
  expect(await screen.findByText(/up to 10,000 new devices an hour/)).toBeTruthy();
});

test('revoked keys are shown on request, which is in the URL', async () => {
  const { id } = await mint('Old laptop', ['devices:read']);
  await mint('New laptop', ['devices:read']);
  await service.request('DELETE', `/v1/api-keys/${id}`);
  const { user } = openPage(service, '/settings/api-keys?q=laptop');
  await rowOf('New laptop');
  expect(screen.queryByRole('row', { name: /Old laptop/ })).toBeNull();
  await user.click(screen.getByRole('switch', { name: 'Show revoked' }));
  expect(within(await rowOf('Old laptop')).getByText('Revoked')).toBeTruthy();
  expect(window.location.search).toBe('?q=laptop&revoked=shown');
});

test('a revoked key that is still used shows from which address, and when', async () => {
  const { id, secret } = await mint('Stolen laptop', ['devices:read']);
  await service.request('DELETE', `/v1/api-keys/${id}`);
  await service.request('GET', '/v1/devices', { token: secret });
  const { user } = openPage(service, '/settings/api-keys?revoked=shown');
  expect((await rowOf('Stolen laptop')).textContent).toContain('Rejected from 127.0.0.1');
  await user.click(screen.getByRole('link', { name: 'Stolen laptop' }));
  const rejected = (await screen.findByText('Last rejected')).nextElementSibling;
  expect(rejected?.textContent).toMatch(/ from 127\.0\.0\.1The client needs another key\. Create key$/);
});

test('the key that replaces a revoked one has the same name, scopes and devices', async () => {
  const { body: device } = await service.request('POST', '/v1/devices', { body: { name: 'Boiler 8' } });
  const { body: old } = await service.request('POST', '/v1/api-keys', {
    body: { name: 'Gateway 5', scopes: ['telemetry:write'], devices: [device.id] },
  });
  await service.request('DELETE', `/v1/api-keys/${old.id}`);
  await service.request('GET', '/v1/devices', { token: old.secret });
  const { user } = openPage(service, `/settings/api-keys?revoked=shown&key=${old.id}`);
  await user.click(await screen.findByRole('link', { name: 'Create key' }));
  const drawer = await createDrawer();
  await user.click(await drawer.findByRole('button', { name: 'Create key' }));
  const dialog = await screen.findByRole('dialog', { name: 'Created Gateway 5' });
  const { body } = await whoIs(secretOf(dialog));
  expect(body).toMatchObject({ scopes: ['telemetry:write'], devices: [device.id] });
});

test('rotation shows a new secret, and the old one stays valid for the overlap', async () => {
  const { secret: old } = await mint('Gateway 4', ['telemetry:write']);
  const page = openPage(service, '/settings/api-keys');
  await act(page, 'Gateway 4', /Rotate/);
  const question = await screen.findByRole('dialog', { name: 'Rotate Gateway 4' });
  await page.user.click(within(question).getByRole('radio', { name: /^7 days/ }));
  await page.user.click(within(question).getByRole('button', { name: 'Rotate' }));
  const dialog = await screen.findByRole('dialog', { name: 'New secret for Gateway 4' });
  const fresh = secretOf(dialog);
  const { body } = await whoIs(old);
  expect(Math.round((Date.parse(body.expiresAt) - Date.now()) / DAY_MS)).toBe(7);
  await page.user.keyboard('{Escape}');
  await within(dialog).findByText(/has not been copied/);
  await page.user.click(within(dialog).getByRole('button', { name: 'Close without copying' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /Gateway 4/ })).toBeNull());
  expect((await whoIs(fresh)).status).toBe(200);
});

test('rotation without an overlap ends the old secret immediately', async () => {
  const { secret: old } = await mint('Leaked', ['telemetry:write']);
  const page = openPage(service, '/settings/api-keys');
  await act(page, 'Leaked', /Rotate/);
  const question = await screen.findByRole('dialog', { name: 'Rotate Leaked' });
  await page.user.click(within(question).getByRole('radio', { name: /^None/ }));
  await page.user.click(within(question).getByRole('button', { name: 'Rotate' }));
  await screen.findByRole('dialog', { name: 'New secret for Leaked' });
  expect((await whoIs(old)).body.code).toBe('token-expired');
});

test('revoking shows the use of the key, asks for the name of a used key, and reports ended sessions', async () => {
  const { secret } = await mint('Gateway 4', ['telemetry:write', 'devices:read']);
  await whoIs(secret);
  await whoIs(secret);
  await service.request('POST', '/v1/sessions', { body: { token: secret }, token: null });
  const page = openPage(service, '/settings/api-keys');
  await act(page, 'Gateway 4', /Revoke/);
  const dialog = within(await screen.findByRole('dialog', { name: 'Revoke Gateway 4?' }));
  expect(dialog.getByText('Requests in the last hour').nextElementSibling?.textContent).toBe('2');
  expect(dialog.getByText('Last used').nextElementSibling?.textContent).toContain('from 127.0.0.1');
  const revoke = dialog.getByRole<HTMLButtonElement>('button', { name: 'Revoke' });
  expect(revoke.disabled).toBe(true);
  await page.user.type(dialog.getByRole('textbox', { name: /Type “Gateway 4”/ }), 'Gateway 4{Enter}');
  await screen.findByText('Ended 1 session.');
  expect((await whoIs(secret)).body.code).toBe('token-revoked');
});

test('an unused key is revoked without typing its name', async () => {
  const { id } = await mint('Never used', ['devices:read']);
  const page = openPage(service, '/settings/api-keys');
  await act(page, 'Never used', /Revoke/);
  const dialog = within(await screen.findByRole('dialog', { name: 'Revoke Never used?' }));
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Cancel'));
  await page.user.click(dialog.getByRole('button', { name: 'Revoke' }));
  await waitFor(async () => expect((await readKey(id)).revokedAt).not.toBeNull());
});

test('the key of the session is marked, and revoking it warns about the sign-out', async () => {
  const { secret } = await mint('Mine', [...scopes]);
  const { body } = await service.request('POST', '/v1/sessions', { body: { token: secret }, token: null });
  const page = openPage(service, '/settings/api-keys', body.token);
  expect(await within(await rowOf('Mine')).findByText('This session')).toBeTruthy();
  await act(page, 'Mine', /Revoke/);
  const dialog = within(await screen.findByRole('dialog', { name: 'Revoke Mine?' }));
  expect(dialog.getByText(/you will be signed out/)).toBeTruthy();
  await page.user.type(dialog.getByRole('textbox'), 'Mine{Enter}');
  expect(await screen.findByRole('dialog', { name: 'Sign in again' })).toBeTruthy();
});

test('a key is renamed, and a concurrent rename is not overwritten silently', async () => {
  const { id } = await mint('Gatewey', ['devices:read']);
  const page = openPage(service, `/settings/api-keys?key=${id}`);
  const drawer = await screen.findByRole('dialog', { name: 'Gatewey' });
  await page.user.click(await within(drawer).findByRole('button', { name: 'Rename…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Rename API key' });
  const name = within(dialog).getByRole('textbox', { name: 'Name' });
  await waitFor(() => expect(document.activeElement).toBe(name));
  await service.request('PATCH', `/v1/api-keys/${id}`, { body: { name: 'Theirs' } });
  // The stream reports the change: the page knows the new revision, but must not use it for this edit.
  await screen.findAllByText('Theirs');
  await page.user.clear(name);
  await page.user.type(name, 'Gateway{Enter}');
  await within(dialog).findByText(/its name is now Theirs/);
  expect((await readKey(id)).name).toBe('Theirs');
  await page.user.click(within(dialog).getByRole('button', { name: 'Rename anyway' }));
  await waitFor(async () => expect((await readKey(id)).name).toBe('Gateway'));
});

test('without api-keys:manage the page names the missing scope', async () => {
  const { secret } = await mint('Reader', ['devices:read']);
  openPage(service, '/settings/api-keys', secret);
  await screen.findByText('You do not have access');
  expect(screen.getByText(/api-keys:manage/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Create key' })).toBeNull();
});

test('a key with all scopes of an earlier version says which scope it lacks', async () => {
  await mint(
    'Older',
    scopes.filter((scope) => scope !== 'network:manage'),
  );
  openPage(service, '/settings/api-keys');
  expect(within(await rowOf('Older')).getByText('Full access except network:manage')).toBeTruthy();
});

test.each([
  ['768', 583, ['name', 'state', 'key', 'scopes', 'lastUsedAt']],
  ['1,024', 663, ['name', 'state', 'key', 'scopes', 'expiresAt', 'lastUsedAt']],
])('secrets and scopes fit a window of %s px', (_, widthPx, ids) => {
  const columns = apiKeyColumns({ sessionKeyId: null, replacedIds: new Set() });
  expect(fitColumns(columns, widthPx).map(({ id }) => id)).toEqual(ids);
});

test('all columns fit a window of 1,280 px', () => {
  const columns = apiKeyColumns({ sessionKeyId: null, replacedIds: new Set() });
  // Of the window without the navigation, a scrollbar, the padding of a row and its actions.
  expect(fitColumns(columns, 915)).toEqual(columns);
});

test('a key whose response was lost is not created twice by another attempt', async () => {
  const { user } = openPage(service, '/settings/api-keys?create=new');
  const drawer = await createDrawer();
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'Lost once');
  const usualFetch = globalThis.fetch;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const response = await usualFetch(url, init);
    if (init?.method !== 'POST') return response;
    fetched.mockRestore();
    throw new TypeError('Failed to fetch');
  });
  await user.click(drawer.getByRole('button', { name: 'Create key' }));
  await drawer.findByText(/The API key was not created/);
  await user.click(drawer.getByRole('button', { name: 'Create key' }));
  await screen.findByRole('dialog', { name: 'Created Lost once' });
  const { body } = await service.request('GET', '/v1/api-keys?q=Lost');
  expect(body.data).toHaveLength(1);
});
