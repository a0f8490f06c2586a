import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { queryClient } from '#dashboard/api/query-client.ts';
import { deviceQueries } from '#dashboard/resources/devices/device-queries.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { failRequests, pressTryAgain } from './fail-requests.ts';
import { fill } from './fill.ts';
import { inputText } from './input-text.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());
afterEach(async () => {
  const { body } = await service.request('GET', '/v1/devices?limit=200');
  for (const { id } of body.data) await service.request('DELETE', `/v1/devices/${id}`);
});

const ROW_PX = 36;

let serial = 0;
/** Registers a device with a new external ID: those of deleted devices stay reserved for a day. */
const register = async (name: string, more: Record<string, unknown> = {}) => {
  serial += 1;
  const externalId = `device-${serial}`;
  const { body } = await service.request('POST', '/v1/devices', { body: { name, externalId, ...more } });
  return { id: body.id as string, externalId };
};
const read = async (id: string) => (await service.request('GET', `/v1/devices/${id}`)).body;
const rowOf = (name: string) => screen.findByRole('row', { name: new RegExp(name) });
const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('link')[0]?.textContent);

test('the search runs on the service and is in the URL', async () => {
  await register('Boiler 7');
  await register('Pump 3');
  const { user } = openPage(service, '/devices');
  await rowOf('Pump 3');
  await fill(user, screen.getByRole('searchbox', { name: 'Search devices' }), 'boil');
  await waitFor(() => expect(screen.queryByRole('row', { name: /Pump 3/ })).toBeNull());
  expect(await rowOf('Boiler 7')).toBeTruthy();
  await waitFor(() => expect(window.location.search).toBe('?q=boil'));
  expect(await screen.findByText('1 device found')).toBeTruthy();
});

test('Escape clears the search, then leaves it for the list, where g o opens Overview', async () => {
  await register('Boiler 7');
  await register('Pump 3');
  const { user } = openPage(service, '/devices');
  await rowOf('Pump 3');
  const search = screen.getByRole('searchbox', { name: 'Search devices' });
  await fill(user, search, 'boil');
  await waitFor(() => expect(screen.queryByRole('row', { name: /Pump 3/ })).toBeNull());
  await user.keyboard('{Escape}');
  expect(search).toHaveProperty('value', '');
  expect(document.activeElement, 'a first Escape only clears').toBe(search);
  await rowOf('Pump 3');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Boiler 7'));
  await user.keyboard('go');
  await screen.findByRole('heading', { name: 'Overview', level: 1 });
  expect(window.location.search).toBe('');
});

test('a row is marked when somebody else changes the device', async () => {
  const { id } = await register('Boiler 7');
  openPage(service, '/devices');
  await rowOf('Boiler 7');
  await waitFor(() => expect(screen.getByText('Live')).toBeTruthy());
  await service.request('PATCH', `/v1/devices/${id}`, { body: { name: 'Boiler 8' } });
  const row = await rowOf('Boiler 8');
  await waitFor(() => expect(row.querySelector('.row-changed')).not.toBeNull());
});

test('in the search, ArrowDown goes to the first row, and Enter opens the first match when it is there', async () => {
  await register('Boiler 7');
  await register('Boiler 8');
  await register('Pump 3');
  const { user } = openPage(service, '/devices');
  await rowOf('Pump 3');
  const search = screen.getByRole('searchbox', { name: 'Search devices' });
  await user.type(search, '{Enter}{ArrowDown}');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('link', { name: 'Boiler 7' })));
  await user.keyboard('{ArrowDown}');
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Boiler 8'));
  await user.type(search, 'pump{Enter}');
  await screen.findByRole('heading', { name: 'Pump 3', level: 1 });
});

test('Back from a device leads to the search that was typed just before', async () => {
  await register('Boiler 7');
  await register('Pump 3');
  const { user } = openPage(service, '/devices');
  await rowOf('Pump 3');
  await user.type(screen.getByRole('searchbox', { name: 'Search devices' }), 'pump{Enter}');
  await screen.findByRole('heading', { name: 'Pump 3', level: 1 });
  window.history.back();
  await screen.findByRole('heading', { name: 'Devices', level: 1 });
  expect(screen.getByRole('searchbox', { name: 'Search devices' })).toHaveProperty('value', 'pump');
  await waitFor(() => expect(screen.queryByRole('row', { name: /Boiler 7/ })).toBeNull());
});

test('Back while a search is being typed shows the list before it', async () => {
  await register('Boiler 7');
  await register('Pump 3');
  const { user } = openPage(service, '/devices');
  await rowOf('Pump 3');
  await user.click(screen.getByRole('button', { name: 'Never seen' }));
  await waitFor(() => expect(window.location.search).toBe('?state=never-seen'));
  const search = screen.getByRole('searchbox', { name: 'Search devices' });
  await user.type(search, 'pump');
  window.history.back();
  await waitFor(() => expect(search).toHaveProperty('value', ''));
  expect(await rowOf('Boiler 7')).toBeTruthy();
  expect(window.location.search).toBe('');
});

test('a character that is typed while the URL is replaced is kept', async () => {
  await register('Boiler 7');
  await register('Pump 3');
  const { user } = openPage(service, '/devices');
  await rowOf('Pump 3');
  const search = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search devices' });
  await user.type(search, 'pum');
  // The click makes the URL follow, and the character arrives before the page has rendered that.
  document.body.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  inputText(search, 'pump');
  await waitFor(() => expect(window.location.search).toBe('?q=pump'));
  expect(search.value).toBe('pump');
});

test('the focus stays on its device when the order of the rows changes', async () => {
  await register('Alpha');
  const { id } = await register('Beta');
  openPage(service, '/devices');
  const beta = await screen.findByRole('link', { name: 'Beta' });
  beta.focus();
  await service.request('PATCH', `/v1/devices/${id}`, { body: { name: 'Aardvark' } });
  await waitFor(() => expect(names()).toEqual(['Aardvark', 'Alpha']));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('link', { name: 'Aardvark' })));
});

test('while the matches of a search are counted, the number above the list is not that of the list before', async () => {
  await register('Boiler 7');
  await register('Pump 3');
  const { user } = openPage(service, '/devices');
  await screen.findByText('2 devices');
  const counted = Promise.withResolvers<void>();
  const usualFetch = globalThis.fetch;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if ((url instanceof Request ? url.url : url.toString()).includes('total=true')) await counted.promise;
    return usualFetch(url, init);
  });
  onTestFinished(() => {
    counted.resolve();
    fetched.mockRestore();
  });
  await fill(user, screen.getByRole('searchbox', { name: 'Search devices' }), 'boil');
  await waitFor(() => expect(screen.queryByRole('row', { name: /Pump 3/ })).toBeNull());
  expect(await screen.findByText('1 device found')).toBeDefined();
});

test('groups have the empty states of the list: without devices, and without a match', async () => {
  const { unmount } = openPage(service, '/devices?group=site');
  await screen.findByText('No devices yet');
  expect(screen.getByRole('link', { name: 'Connect a device or tool' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Register the first device' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Import CSV…' })).toBeTruthy();
  await register('Boiler 7', { tags: { site: 'north' } });
  unmount();
  const { user } = openPage(service, '/devices?group=site&q=zzz');
  await screen.findByText('No matching devices');
  await user.click(screen.getByRole('button', { name: 'Clear search and filters' }));
  await screen.findByRole('row', { name: /north/ });
  expect(window.location.search).toBe('?group=site');
});

test('groups offer no choice of columns', async () => {
  await register('Boiler 7', { tags: { site: 'north' } });
  const { unmount } = openPage(service, '/devices');
  await rowOf('Boiler 7');
  expect(screen.getByRole('button', { name: 'Columns' })).toBeTruthy();
  unmount();
  openPage(service, '/devices?group=site');
  await screen.findByRole('row', { name: /north/ });
  expect(screen.queryByRole('button', { name: 'Columns' })).toBeNull();
});

test('the link to the list and Delete return from a device to the list as it was', async () => {
  await register('Boiler 7');
  await register('Boiler 8');
  await register('Pump 3');
  const { user } = openPage(service, '/devices?q=boiler&sort=-name');
  await user.click(within(await rowOf('Boiler 7')).getByRole('link'));
  await user.click(await screen.findByRole('button', { name: 'Edit' }));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  await user.click(within(screen.getByRole('main')).getByRole('link', { name: 'Devices' }));
  await rowOf('Boiler 8');
  expect(window.location.search).toBe('?q=boiler&sort=-name');
  expect(names()).toEqual(['Boiler 8', 'Boiler 7']);
  await user.click(within(await rowOf('Boiler 7')).getByRole('link'));
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(names()).toEqual(['Boiler 8']));
  expect(window.location.search).toBe('?q=boiler&sort=-name');
});

test('two filters that are clicked at once both apply', async () => {
  const { user } = openPage(service, '/devices');
  await screen.findByText('No devices yet');
  const [offline, never] = ['Offline', 'Never seen'].map((name) => screen.getByRole('button', { name }));
  await user.click(offline!);
  await user.click(never!);
  await waitFor(() => expect(window.location.search).toBe('?state=offline&state=never-seen'));
});

test('a URL with filters shows the same list, and each filter can be removed', async () => {
  await register('Boiler 7', { type: 'boiler', tags: { site: 'north' } });
  await register('Boiler 8', { type: 'boiler', tags: { site: 'south' } });
  await register('Pump 3', { type: 'pump', tags: { site: 'north' } });
  const { user } = openPage(service, '/devices?state=never-seen&type=boiler&tag=site:north');
  await rowOf('Boiler 7');
  expect(names()).toEqual(['Boiler 7']);
  expect(screen.getByRole('button', { name: 'Never seen', pressed: true })).toBeTruthy();
  await user.click(await screen.findByRole('button', { name: 'Remove filter Tag site:north' }));
  await rowOf('Boiler 8');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Remove filter Type boiler' }));
  expect(names()).toEqual(['Boiler 7', 'Boiler 8']);
  await user.click(screen.getByRole('button', { name: 'Offline' }));
  await user.click(screen.getByRole('button', { name: 'Never seen' }));
  expect(await screen.findByText('No matching devices')).toBeTruthy();
  expect(window.location.search).toBe('?type=boiler&state=offline');
  openPage(service, '/devices?state=late');
  expect(await screen.findByText('No late devices')).toBeTruthy();
});

test('a column sorts, and a second click reverses the order', async () => {
  await register('Alpha', { type: 'z' });
  await register('Beta', { type: 'a' });
  const { user } = openPage(service, '/devices');
  await rowOf('Beta');
  await user.click(screen.getByRole('button', { name: 'Name' }));
  await waitFor(() => expect(names()).toEqual(['Beta', 'Alpha']));
  expect(screen.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('descending');
  await user.click(screen.getByRole('button', { name: 'Type' }));
  await waitFor(() => expect(window.location.search).toBe('?sort=type'));
});

test('arrow keys move between rows, and Tab reaches one row only', async () => {
  for (const name of ['Alpha', 'Beta', 'Gamma']) await register(name);
  const { user } = openPage(service, '/devices');
  const alpha = await screen.findByRole('link', { name: 'Alpha' });
  alpha.focus();
  await user.keyboard('{ArrowDown}{ArrowDown}');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('link', { name: 'Gamma' })));
  expect(alpha.tabIndex).toBe(-1);
  await user.keyboard('{Home}');
  await waitFor(() => expect(document.activeElement).toBe(alpha));
});

test("registers a device in a drawer, and places the service's errors at their fields", async () => {
  const taken = await register('Boiler 7');
  const { user } = openPage(service, '/devices');
  await user.click(await screen.findByRole('button', { name: 'Register device' }));
  const drawer = await screen.findByRole('dialog', { name: 'Register device' });
  const name = within(drawer).getByRole('textbox', { name: 'Name' });
  await waitFor(() => expect(document.activeElement).toBe(name));

  await user.click(within(drawer).getByRole('button', { name: 'Register' }));
  expect(await within(drawer).findByText('Must not be empty.')).toBeTruthy();
  expect(name.getAttribute('aria-invalid')).toBe('true');

  await fill(user, name, 'Pump 3');
  await user.type(within(drawer).getByRole('textbox', { name: /^External ID/ }), taken.externalId);
  await user.type(within(drawer).getByRole('textbox', { name: /^Expected interval/ }), '10');
  await user.click(within(drawer).getByRole('button', { name: 'Add tag' }));
  await fill(user, await within(drawer).findByRole('combobox', { name: 'Key 1' }), 'site');
  // Enter adds no row. Browsers submit the form instead, by the button in the footer.
  await user.type(within(drawer).getByRole('combobox', { name: 'Value 1' }), 'north{Enter}');
  expect(within(drawer).queryByRole('combobox', { name: 'Value 2' })).toBeNull();
  await user.click(within(drawer).getByRole('button', { name: 'Register' }));
  const externalId = within(drawer).getByRole('textbox', { name: /^External ID/ });
  await waitFor(() => expect(externalId.getAttribute('aria-invalid')).toBe('true'));
  const problem = await within(drawer).findByText(/^Already used by the device “Boiler 7”\./u);
  const link = within(problem).getByRole('link', { name: 'Open device' });
  expect(link.getAttribute('href')).toBe(`/devices/${taken.id}`);

  await user.clear(externalId);
  expect(within(drawer).queryByRole('link', { name: 'Open device' })).toBeNull();
  await fill(user, externalId, 'pump-three');
  await user.click(within(drawer).getByRole('button', { name: 'Register' }));
  await rowOf('Pump 3');
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Register device' })).toBeNull());
  const { body } = await service.request('GET', '/v1/devices?q=pump-three');
  expect(body.data[0]).toMatchObject({
    name: 'Pump 3',
    externalId: 'pump-three',
    expectedInterval: 10,
    tags: { site: 'north' },
  });
});

test('an invalid tag is reported at the tag', async () => {
  const { user } = openPage(service, '/devices?register=new');
  const drawer = await screen.findByRole('dialog', { name: 'Register device' });
  await fill(user, within(drawer).getByRole('textbox', { name: 'Name' }), 'Pump 3');
  await user.click(within(drawer).getByRole('button', { name: 'Add tag' }));
  await fill(user, await within(drawer).findByRole('combobox', { name: 'Key 1' }), 'the site');
  await user.click(within(drawer).getByRole('button', { name: 'Register' }));
  expect(await within(drawer).findByText(/Tag keys use letters/)).toBeTruthy();
});

test('an error of the field that loses the focus appears after the click, which it would move', async () => {
  const { user } = openPage(service, '/devices?register=new');
  const drawer = within(await screen.findByRole('dialog', { name: 'Register device' }));
  const interval = drawer.getByLabelText(/^Expected interval/);
  await fill(user, interval, 'abc');
  const addTag = drawer.getByRole('button', { name: 'Add tag' });
  const isInvalid = () => interval.getAttribute('aria-invalid') === 'true';
  await user.pointer({ keys: '[MouseLeft>]', target: addTag });
  // Longer than the validation takes.
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  expect([document.activeElement, isInvalid()]).toEqual([addTag, false]);
  await user.pointer({ keys: '[/MouseLeft]', target: addTag });
  await drawer.findByRole('combobox', { name: 'Key 1' });
  await waitFor(() => expect(isInvalid()).toBe(true));
});

test('an edit sends only changes, and removes a tag', async () => {
  const { id, externalId } = await register('Boiler 7', {
    tags: { site: 'north', line: '4' },
    type: 'boiler',
  });
  const { user } = openPage(service, `/devices?edit=${id}`);
  const drawer = await screen.findByRole('dialog', { name: 'Edit device' });
  const name = await within(drawer).findByRole('textbox', { name: 'Name' });
  await user.clear(name);
  await fill(user, name, 'Boiler seven');
  await user.click(within(drawer).getByRole('button', { name: 'Remove line' }));
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  await rowOf('Boiler seven');
  expect(await read(id)).toMatchObject({
    name: 'Boiler seven',
    externalId,
    type: 'boiler',
    tags: { site: 'north' },
  });
  const { body } = await service.request('GET', `/v1/events?subject=${id}&type=device.updated`);
  expect(body.data[0].data.fields.toSorted()).toEqual(['name', 'tags']);
});

test('edits survive leaving and reopening the page', async () => {
  const first = openPage(service, '/devices?register=new');
  await fill(first.user, await screen.findByRole('textbox', { name: 'Name' }), 'Half-typed');
  await waitFor(() => expect(sessionStorage.getItem('penstock.draft.device.new')).toContain('Half-typed'));
  const kept = sessionStorage.getItem('penstock.draft.device.new') ?? '';
  first.unmount();
  const { user } = openPage(service, '/devices');
  sessionStorage.setItem('penstock.draft.device.new', kept);
  await user.click(await screen.findByRole('button', { name: 'Register device' }));
  expect(await screen.findByText('Your unsaved changes were restored.')).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Half-typed');
  await user.click(screen.getByRole('button', { name: 'Discard changes' }));
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('');
});

test('an old draft does not undo later changes by others', async () => {
  const { id } = await register('Boiler 8', { type: 'boiler', tags: { site: 'north' } });
  const first = openPage(service, `/devices?edit=${id}`);
  await fill(first.user, await screen.findByRole('textbox', { name: 'Name' }), ' of mine');
  const key = `penstock.draft.device.${id}`;
  await waitFor(() => expect(sessionStorage.getItem(key)).toContain('of mine'));
  const kept = sessionStorage.getItem(key) ?? '';
  first.unmount();
  await service.request('PATCH', `/v1/devices/${id}`, { body: { type: 'kettle', tags: { line: '2' } } });
  const { user } = openPage(service, '/devices');
  sessionStorage.setItem(key, kept);
  await user.click(await screen.findByRole('button', { name: 'Actions for Boiler 8' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit…' }));
  await screen.findByRole('region', { name: 'Updated elsewhere' });
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await rowOf('Boiler 8 of mine');
  expect(await read(id)).toMatchObject({
    name: 'Boiler 8 of mine',
    type: 'kettle',
    tags: { site: 'north', line: '2' },
  });
});

/** Deletes Boiler 7 with 2 metrics on the page. Returns the requests for its telemetry, of which counts are answered by `count`. */
const deleteBoiler = async (count: typeof fetch) => {
  const { id, externalId } = await register('Boiler 7');
  await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: externalId, values: { temperature: 21, pressure: 2 } }] },
  });
  const { user } = openPage(service, '/devices');
  await rowOf('Boiler 7');
  const requests: string[] = [];
  const send = fetch;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (/count$|metrics$/.test(pathname)) requests.push(pathname);
    return pathname.endsWith('/count') ? count(input, init) : send(input, init);
  });
  onTestFinished(() => fetched.mockRestore());
  await user.click(screen.getByRole('button', { name: 'Actions for Boiler 7' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  return { id, user, requests };
};

test('deleting a device names its metrics and samples, and Undo restores it', async () => {
  const { id, user, requests } = await deleteBoiler(fetch);
  await screen.findByText('Deleted Boiler 7 with 2 metrics and 2 samples');
  expect(requests).toEqual(['/v1/telemetry/count']);
  expect((await service.request('GET', `/v1/devices/${id}`)).status).toBe(404);
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await rowOf('Boiler 7');
  expect((await service.request('GET', `/v1/devices/${id}`)).status).toBe(200);
});

test.each<[string, typeof fetch]>([
  ['fails', async () => new Response('', { status: 500 })],
  [
    'takes more than a second',
    (_, init) =>
      new Promise((_, reject) =>
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)),
      ),
  ],
])('deleting a device names its metrics if the count of its samples %s', async (_, count) => {
  const { id, requests } = await deleteBoiler(count);
  await screen.findByText('Deleted Boiler 7 with 2 metrics', {}, { timeout: 5_000 });
  expect(requests).toEqual(['/v1/telemetry/count', `/v1/devices/${id}/metrics`]);
});

const pressBy = async (user: UserEvent, act: string, button: HTMLElement) => {
  if (act === 'a click') return user.click(button);
  button.focus();
  return user.keyboard('{Enter}');
};

test.each(['a click', 'Enter'])('after %s on Undo, the focus is on the page', async (act) => {
  await register('Boiler 7');
  const { user } = openPage(service, '/devices');
  await rowOf('Boiler 7');
  await user.click(screen.getByRole('button', { name: 'Actions for Boiler 7' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByRole('row', { name: /Boiler 7/ })).toBeNull());
  await pressBy(user, act, await screen.findByRole('button', { name: 'Undo' }));
  await rowOf('Boiler 7');
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull());
  await waitFor(() => expect(screen.getByRole('main').contains(document.activeElement)).toBe(true));
});

test.each(['a click', 'Enter'])('after %s on Try again, the focus is on the page', async (act) => {
  await register('Boiler 7');
  const endFailures = failRequests(({ pathname }) => pathname === '/v1/devices');
  const { user } = openPage(service, '/devices');
  await pressTryAgain(endFailures, (button) => pressBy(user, act, button));
  await rowOf('Boiler 7');
  await waitFor(() => expect(screen.getByRole('main').contains(document.activeElement)).toBe(true));
});

test('after Try again below a list, the focus is on the page', async () => {
  for (let index = 0; index < 120; index += 1) await register(`Meter ${index}`);
  const endFailures = failRequests(
    ({ pathname, searchParams }) => pathname === '/v1/devices' && searchParams.has('cursor'),
  );
  const { user } = openPage(service, '/devices');
  await rowOf('Meter 0');
  window.scrollTo(0, 80 * ROW_PX);
  await pressTryAgain(endFailures, user.click);
  await waitFor(() => expect(screen.queryByText('Could not load more rows.')).toBeNull());
  await waitFor(() => expect(screen.getByRole('main').contains(document.activeElement)).toBe(true));
});

test.each(['Tab', 'Shift+Tab'])('%s in a menu closes it and returns to its button', async (press) => {
  await register('Boiler 7');
  const { user } = openPage(service, '/devices');
  await rowOf('Boiler 7');
  const button = screen.getByRole('button', { name: 'Actions for Boiler 7' });
  button.focus();
  await user.keyboard('{Enter}');
  const menu = await screen.findByRole('menu');
  await waitFor(() => expect(menu.contains(document.activeElement)).toBe(true));
  await user.tab({ shift: press === 'Shift+Tab' });
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(button));
});

test('a read-only session sees no actions', async () => {
  await register('Boiler 7');
  const { secret } = await service.mintKey(['devices:read']);
  const { body } = await service.request('POST', '/v1/sessions', { body: { token: secret }, token: null });
  await service.request('PATCH', '/v1/session', { body: { label: 'Reader' }, token: body.token });
  const { user } = openPage(service, '/devices', body.token);
  await rowOf('Boiler 7');
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Register device' })).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Actions for Boiler 7' }));
  await screen.findByRole('menuitem', { name: 'Copy external ID' });
  expect(screen.queryByRole('menuitem', { name: 'Delete' })).toBeNull();
});

test('without devices:read the page says only which scope is missing', async () => {
  const { secret } = await service.mintKey(['pipelines:read']);
  openPage(service, '/devices', secret);
  await screen.findByText(/Your key lacks devices:read\. Ask an administrator/);
  expect(screen.queryByRole('searchbox')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Import and export' })).toBeNull();
});

test('further pages load on scroll, each device once', async () => {
  const batch = Array.from({ length: 130 }, (_, index) => `Sensor ${String(index).padStart(3, '0')}`);
  for (const name of batch) await register(name);
  openPage(service, '/devices');
  await rowOf('Sensor 000');
  expect(screen.getAllByRole('row').length).toBeLessThan(60);
  expect(await screen.findByText('130 devices')).toBeTruthy();
  window.scrollTo(0, 80 * ROW_PX);
  await rowOf('Sensor 099');
  window.scrollTo(0, 130 * ROW_PX);
  await rowOf('Sensor 129');
  expect(new Set(names()).size).toBe(names().length);
});

test('a further page loads though the list is read again as its request starts', async () => {
  for (let n = 100; n < 202; n += 1) await register(`Sensor ${n}`);
  const { fetch } = globalThis;
  let cursors = 0;
  const asked = vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    if ((url instanceof Request ? url.url : url.toString()).includes('cursor=') && cursors++ === 0)
      void queryClient.invalidateQueries({ queryKey: deviceQueries.lists() });
    return fetch(url, init);
  });
  onTestFinished(() => asked.mockRestore());
  openPage(service, '/devices');
  await rowOf('Sensor 100');
  window.scrollTo(0, 100 * ROW_PX);
  await rowOf('Sensor 201');
  expect(cursors).toBeGreaterThan(1);
});

test('the sparklines of all rows come with one request, and the choice of the column is kept', async () => {
  const devices = [await register('Boiler 1'), await register('Boiler 2'), await register('Boiler 3')];
  const samples = devices.slice(1).map(({ id }, n) => ({ device: id, values: { temperature: 20 + n } }));
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  const asked = vi.spyOn(globalThis, 'fetch');
  const { user, unmount } = openPage(service, '/devices');
  await rowOf('Boiler 3');
  const last = 'temperature, last 24 h: 21 to 21, last 21';
  expect(await within(await rowOf('Boiler 3')).findByRole('img', { name: last })).toBeTruthy();
  expect(within(await rowOf('Boiler 1')).queryByRole('img')).toBeNull();
  const requests = asked.mock.calls.filter(([url]) => (url as URL).pathname === '/v1/telemetry/sparklines');
  asked.mockRestore();
  expect(requests).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Columns' }));
  await user.click(await screen.findByRole('menuitemcheckbox', { name: 'Last 24 h' }));
  await waitFor(() => expect(screen.queryByRole('columnheader', { name: 'Last 24 h' })).toBeNull());
  unmount();
  openPage(service, '/devices');
  await rowOf('Boiler 3');
  expect(screen.queryByRole('columnheader', { name: 'Last 24 h' })).toBeNull();
  localStorage.removeItem('penstock.devices.columns');
  window.dispatchEvent(new StorageEvent('storage', { key: null }));
});

test('the sparkline of a counter is its rate', async () => {
  const { id } = await register('Meter 1');
  const halfHour = 1_800_000;
  const latest = Math.floor(Date.now() / halfHour) * halfHour - halfHour;
  const samples = [0, 1, 2].map((n) => ({
    device: id,
    ts: latest - (2 - n) * halfHour,
    values: { energy_kwh_total: 100 + n * 2 },
  }));
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  openPage(service, '/devices');
  const name = /^energy_kwh_total, rate, last 24 h: 4\skWh\/h to 4\skWh\/h, last 4\skWh\/h$/;
  await within(await rowOf('Meter 1')).findByRole('img', { name });
});

test('sparklines end at the time of the service', async () => {
  const { id } = await register('Boiler 1');
  await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: id, values: { level: 1 } }] },
  });
  const { fetch } = globalThis;
  const threeHoursAhead = new Date(Date.now() + 3 * 3_600_000).toUTCString();
  const asked = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
    const response = await fetch(...request);
    const headers = new Headers(response.headers);
    headers.set('date', threeHoursAhead);
    return new Response(response.body, { status: response.status, headers });
  });
  openPage(service, '/devices');
  const line = await within(await rowOf('Boiler 1')).findByRole('img', { name: /^level/ });
  const [, x] = /M([\d.]+)/.exec(line.innerHTML) ?? [];
  // Three hours are an eighth of the width, 96 px; a bucket begins up to 30 minutes before its samples.
  expect(Number(x)).toBeGreaterThan(80);
  expect(Number(x)).toBeLessThan(86);
  asked.mockRestore();
});

test('without telemetry:read there are no sparklines', async () => {
  await register('Boiler 1');
  const { secret } = await service.mintKey(['devices:read']);
  openPage(service, '/devices', secret);
  await rowOf('Boiler 1');
  await waitFor(() => expect(screen.queryByRole('columnheader', { name: 'Last 24 h' })).toBeNull());
});
