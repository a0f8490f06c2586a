import { setTimeout as delay } from 'node:timers/promises';
import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { BATCH_LIMIT } from '#contract/devices.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { freePort } from '#tests/service/free-port.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  // The page finds the service again after a restart.
  service = await startTestService({ env: { PORT: String(await freePort()) } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());
afterEach(() => service.service.parts.db.deleteFrom('device').execute());

const register = async (names: readonly string[], more: Record<string, unknown> = {}) => {
  for (let from = 0; from < names.length; from += BATCH_LIMIT) {
    const items = names
      .slice(from, from + BATCH_LIMIT)
      .map((name) => ({ externalId: name.replaceAll(' ', '-'), name, ...more }));
    await service.request('POST', '/v1/devices/batch', { body: { operation: 'upsert', items } });
  }
};
const numbered = (count: number) =>
  Array.from({ length: count }, (_, number) => `Sensor ${String(number).padStart(4, '0')}`);
const countOf = async (query: string) =>
  (await service.request('GET', `/v1/devices?limit=1&total=true&${query}`)).body.total as number;
const box = (name: string) => screen.findByRole<HTMLInputElement>('checkbox', { name: `Select ${name}` });
const selected = (count: string) => screen.findByText(`${count} selected`);
const bar = () => screen.findByRole('region', { name: 'Selection' });
const act = async (user: UserEvent, name: string) =>
  user.click(within(await bar()).getByRole('button', { name }));
const isSelected = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .filter((row) => row.getAttribute('aria-selected') === 'true')
    .map((row) => within(row).getAllByRole('link')[0]?.textContent);
const withShift = async (user: UserEvent, element: Element) => {
  await user.keyboard('{Shift>}');
  await user.click(element);
  await user.keyboard('{/Shift}');
};

test('a click selects a row, Shift selects the range, and the header all loaded rows', async () => {
  await register(['A', 'B', 'C', 'D', 'E']);
  const { user } = openPage(service, '/devices');
  await user.click(await box('B'));
  await selected('1 device');
  await withShift(user, await box('D'));
  await selected('3 devices');
  expect(isSelected()).toEqual(['B', 'C', 'D']);
  const all = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all loaded: Devices' });
  expect(all.indeterminate).toBe(true);
  await user.click(all);
  expect(isSelected()).toEqual(['A', 'B', 'C', 'D', 'E']);
  await user.click(all);
  expect(isSelected()).toEqual([]);
  expect(screen.queryByRole('region', { name: 'Selection' })).toBeNull();
});

test('Space selects, Shift with arrows moves the end of the range, and Esc clears', async () => {
  await register(['A', 'B', 'C', 'D']);
  const { user } = openPage(service, '/devices');
  (await screen.findByRole('link', { name: 'B' })).focus();
  await user.keyboard(' ');
  expect(isSelected()).toEqual(['B']);
  await user.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
  expect(isSelected()).toEqual(['B', 'C', 'D']);
  await user.keyboard('{Shift>}{ArrowUp}{/Shift}');
  expect(isSelected()).toEqual(['B', 'C']);
  await user.keyboard('{Escape}');
  expect(isSelected()).toEqual([]);
});

test('sorting and live updates keep the selection; another filter clears it and says so', async () => {
  await register(['A', 'B', 'C']);
  const { user } = openPage(service, '/devices');
  await user.click(await box('A'));
  await user.click(screen.getByRole('button', { name: 'Name' }));
  await waitFor(() => expect(window.location.search).toBe('?sort=-name'));
  await screen.findByText('Live');
  await register(['D']);
  await box('D');
  expect(isSelected()).toEqual(['A']);
  expect(window.location.search).toBe('?sort=-name');
  await user.click(screen.getByRole('button', { name: 'Never seen' }));
  expect(await screen.findByText('Selection cleared')).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Selection' })).toBeNull();
});

test('a device that is deleted from its menu is no longer selected, and one selected device is deleted by its name', async () => {
  await register(['A', 'B', 'C']);
  const { user } = openPage(service, '/devices');
  await user.click(await box('A'));
  await user.click(await box('B'));
  await selected('2 devices');
  await user.click(screen.getByRole('button', { name: 'Actions for A' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await selected('1 device');
  expect(isSelected()).toEqual(['B']);
  await act(user, 'Delete…');
  const dialog = await screen.findByRole('dialog', { name: 'Delete B?' });
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByRole('link', { name: 'B' })).toBeNull());
  expect(screen.queryByRole('region', { name: 'Selection' })).toBeNull();
});

test('a deselected device that is deleted from its menu leaves the number of selected devices, and Undo deselects it again', async () => {
  await register(['A', 'B', 'C', 'D']);
  const { user } = openPage(service, '/devices');
  await user.click(await box('A'));
  await act(user, 'Select all 4');
  await selected('4 devices');
  await user.click(await box('B'));
  await selected('3 devices');
  await user.click(screen.getByRole('button', { name: 'Actions for B' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByRole('link', { name: 'B' })).toBeNull());
  await selected('3 devices');
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await box('B');
  await waitFor(() => expect(isSelected()).toEqual(['A', 'C', 'D']));
  await selected('3 devices');
});

test('tags are added to all devices that match the filters, except those deselected', async () => {
  await register(numbered(305), { type: 'old' });
  await register(['Other'], { type: 'new' });
  const { user } = openPage(service, '/devices?type=old');
  await user.click(await box('Sensor 0000'));
  await act(user, 'Select all 305 that match');
  await selected('305 devices');
  await user.click(await box('Sensor 0001'));
  await selected('304 devices');
  await act(user, 'Add tags…');
  const dialog = await screen.findByRole('dialog', { name: 'Add tags to 304 devices' });
  await user.click(within(dialog).getByRole('button', { name: 'Add tags' }));
  expect(await within(dialog).findByText('Enter a key.')).toBeTruthy();
  await fill(user, within(dialog).getByRole('combobox', { name: 'Key 1' }), 'site');
  await fill(user, within(dialog).getByRole('combobox', { name: 'Value 1' }), 'north');
  await user.click(within(dialog).getByRole('button', { name: 'Add tags' }));
  expect(await screen.findByText('Added tags to 304 devices')).toBeTruthy();
  expect(await countOf('tag=site:north')).toBe(304);
  expect(await countOf('tag=site:north&q=Sensor+0001')).toBe(0);
  expect(screen.queryByRole('region', { name: 'Selection' })).toBeNull();
});

test('all devices in a state are those that are in it when they are selected', async () => {
  const names = numbered(250);
  await register(names);
  const { user } = openPage(service, '/devices?state=never-seen');
  await user.click(await box('Sensor 0000'));
  await act(user, 'Select all 250 that match');
  await selected('250 devices');
  await act(user, 'Add tags…');
  const dialog = await screen.findByRole('dialog', { name: 'Add tags to 250 devices' });
  // Meanwhile, one leaves the state, and another enters it.
  await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'Sensor-0007', values: { temp: 1 } }] },
  });
  await register(['Later']);
  await waitFor(async () => expect(await countOf('state=online')).toBe(1));
  await fill(user, within(dialog).getByRole('combobox', { name: 'Key 1' }), 'site');
  await fill(user, within(dialog).getByRole('combobox', { name: 'Value 1' }), 'north');
  await user.click(within(dialog).getByRole('button', { name: 'Add tags' }));
  expect(await screen.findByText('Added tags to 250 devices')).toBeTruthy();
  expect(await countOf('tag=site:north')).toBe(250);
  expect(await countOf('q=Later&tag=site:north')).toBe(0);
});

test('all devices in a state are not selected after Esc, or after another filter and back', async () => {
  await register(numbered(250));
  const { user } = openPage(service, '/devices?state=never-seen');
  const holdSecondPage = () => {
    const { fetch } = globalThis;
    const pages = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      if (
        input instanceof URL &&
        input.searchParams.has('cursor') &&
        input.searchParams.get('limit') === '200'
      )
        await new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(new Error())));
      return fetch(input, init);
    });
    onTestFinished(() => pages.mockRestore());
  };
  holdSecondPage();
  await user.click(await box('Sensor 0000'));
  await act(user, 'Select all 250 that match');
  await screen.findByText('200 of 250');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Selection' })).toBeNull());
  expect(isSelected()).toEqual([]);

  await user.click(await box('Sensor 0000'));
  await act(user, 'Select all 250 that match');
  await screen.findByText('200 of 250');
  vi.restoreAllMocks();
  await user.click(screen.getByRole('button', { name: 'Online' }));
  await user.click(screen.getByRole('button', { name: 'Online' }));
  await user.click(await box('Sensor 0001'));
  await selected('1 device');
  expect(isSelected()).toEqual(['Sensor 0001']);
});

test('keys and values of tags are suggested as one types, and others can be entered', async () => {
  await register(['A', 'B'], { tags: { site: 'north' } });
  await register(['C'], { tags: { site: 'Northeast', line: '1' } });
  await register(['D']);
  const { user } = openPage(service, '/devices');
  await user.click(await box('D'));
  await act(user, 'Add tags…');
  const dialog = await screen.findByRole('dialog', { name: 'Add tags to 1 device' });
  const field = (name: string) => within(dialog).getByRole<HTMLInputElement>('combobox', { name });
  const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);
  await user.click(field('Key 1'));
  await waitFor(() => expect(options()).toEqual(['site3', 'line1']));
  await user.type(field('Key 1'), 'SI');
  await waitFor(() => expect(options()).toEqual(['site3']));
  await user.click(screen.getByRole('option', { name: /site/ }));
  expect(field('Key 1').value).toBe('site');
  await user.type(field('Value 1'), 'NOR');
  await waitFor(() => expect(options()).toEqual(['north2', 'Northeast1']));
  await user.keyboard('{ArrowDown}{ArrowDown}{Enter}');
  expect(field('Value 1').value).toBe('Northeast');
  await user.click(within(dialog).getByRole('button', { name: 'Add tag' }));
  await user.type(await within(dialog).findByRole('combobox', { name: 'Key 2' }), 'si');
  await waitFor(() => expect(options()).toEqual(['site3']));
  // What is typed stays: nothing was chosen.
  await user.type(field('Key 2'), 'd');
  await user.type(field('Value 2'), 'left');
  await user.click(within(dialog).getByRole('button', { name: 'Add tags' }));
  await screen.findByText('Added tags to 1 device');
  await user.click(screen.getByRole('button', { name: 'Show devices' }));
  await waitFor(() => expect(window.location.search).toBe('?tag=site%3ANortheast&tag=sid%3Aleft'));
  await box('D');
  const { body } = await service.request('GET', '/v1/devices?tag=sid:left');
  expect(body.data).toMatchObject([{ name: 'D', tags: { site: 'Northeast', sid: 'left' } }]);
});

test('the type, the interval and a tag of selected devices are changed', async () => {
  await register(['A', 'B'], { tags: { site: 'north', line: '1' } });
  const { user } = openPage(service, '/devices');
  const change = async (action: string, label: string, text: string, submit: string) => {
    await user.click(await box('A'));
    await act(user, action);
    const dialog = await screen.findByRole('dialog', { name: /^(Change the|Remove a) / });
    await user.type(within(dialog).getByLabelText(new RegExp(`^${label}`)), text);
    await user.click(within(dialog).getByRole('button', { name: submit }));
    return dialog;
  };
  await change('Change type…', 'Type', 'pump', 'Change type');
  await screen.findByText('Changed the type of 1 device');
  await change('Remove tag…', 'Key', 'line', 'Remove tag');
  await screen.findByText('Removed line from 1 device');
  const dialog = await change('Change interval…', 'Expected interval', '0', 'Change interval');
  await within(dialog).findByText('Must be at least 0.1 s.');
  await user.type(within(dialog).getByLabelText(/^Expected interval/), '.5{Enter}');
  await screen.findByText('Changed the interval of 1 device');
  const { body } = await service.request('GET', '/v1/devices');
  expect(body.data).toMatchObject([
    { name: 'A', type: 'pump', tags: { site: 'north' }, expectedInterval: 0.5 },
    { name: 'B', type: '', tags: { site: 'north', line: '1' }, expectedInterval: null },
  ]);
});

test('deleting many names the series and samples that go with them, and Undo restores them', async () => {
  await register(numbered(120));
  const samples = numbered(120).map((name) => ({
    device: name.replaceAll(' ', '-'),
    ts: Date.now(),
    values: { temperature: 20, humidity: 50 },
  }));
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  const { user } = openPage(service, '/devices');
  await user.click(await box('Sensor 0000'));
  await act(user, 'Select all 120');
  await act(user, 'Delete…');
  const dialog = await screen.findByRole('dialog', { name: 'Delete 120 devices?' });
  await within(dialog).findByText(
    'You can restore them for 24 hours. Then Penstock deletes them with their 240 series and 240 samples.',
  );
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await screen.findByText('Deleted 120 devices');
  expect(await countOf('')).toBe(0);
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('Restored 120 devices');
  expect(await countOf('')).toBe(120);
});

test('a report names each device that failed with the reason, as a CSV file too', async () => {
  const full = Object.fromEntries(Array.from({ length: 50 }, (_, number) => [`tag-${number}`, 'x']));
  await register(['Good']);
  await register(['=SUM(A1)'], { externalId: 'full', tags: full });
  const { user } = openPage(service, '/devices');
  await box('Good');
  await user.click(screen.getByRole('checkbox', { name: 'Select all loaded: Devices' }));
  await act(user, 'Add tags…');
  const dialog = await screen.findByRole('dialog', { name: 'Add tags to 2 devices' });
  await fill(user, within(dialog).getByRole('combobox', { name: 'Key 1' }), 'site');
  await user.click(within(dialog).getByRole('button', { name: 'Add tags' }));
  const outcome = await screen.findByText('Added tags to 1 device. 1 failed.');
  await user.click(screen.getByRole('button', { name: 'Show failures' }));
  const report = await screen.findByRole('dialog', { name: '1 device failed' });
  expect(within(report).getByRole('cell', { name: '=SUM(A1)' })).toBeTruthy();
  expect(within(report).getByRole('cell', { name: /at most 50 tags/ })).toBeTruthy();

  const saved: Blob[] = [];
  const created = vi
    .spyOn(URL, 'createObjectURL')
    .mockImplementation((blob) => `blob:${saved.push(blob as Blob)}`);
  onTestFinished(() => created.mockRestore());
  await user.click(within(report).getByRole('button', { name: 'Download CSV' }));
  await waitFor(() => expect(saved).toHaveLength(1));
  const [header, row] = (await saved[0]!.text()).split('\r\n');
  expect(header).toBe('id,name,reason');
  expect(row).toMatch(/^dev_\w+,"'=SUM\(A1\)",A device can have at most 50 tags/);
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(outcome.isConnected).toBe(false);
});

test('a change counts each batch, can be cancelled after one, and continued', async () => {
  await register(numbered(220));
  const { user } = openPage(service, '/devices');
  await user.click(await box('Sensor 0000'));
  await act(user, 'Select all 220');
  await act(user, 'Change type…');
  const dialog = await screen.findByRole('dialog', { name: /^Change the type/ });
  // The second batch waits.
  const second = Promise.withResolvers<void>();
  const usualFetch = globalThis.fetch;
  let batches = 0;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if ((url instanceof Request ? url.url : url.toString()).endsWith('/batch') && (batches += 1) === 2)
      await second.promise;
    return usualFetch(url, init);
  });
  onTestFinished(() => fetched.mockRestore());
  await user.type(within(dialog).getByLabelText(/^Type/), 'pump');
  await user.click(within(dialog).getByRole('button', { name: 'Change type' }));
  const progress = await screen.findByRole('region', { name: 'Bulk change' });
  await waitFor(() => expect(progress.textContent).toContain('Changing the type: 50 of 220 devices'));
  await user.click(within(progress).getByRole('button', { name: 'Cancel' }));
  expect(within(progress).getByRole('button', { name: 'Cancelling…' })).toBeTruthy();
  // After a click elsewhere, the buttons of the outcome must not take the focus.
  await user.click(document.body);
  second.resolve();
  await screen.findByText(/^Cancelled\. Changed the type of [1-9]\d+ of 220 devices\.$/);
  expect(document.activeElement).toBe(document.body);
  expect(await countOf('type=pump')).toBeLessThan(220);
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await screen.findByText('Changed the type of 220 devices');
  expect(await countOf('type=pump')).toBe(220);
});

test('a slow connection does not make the batches of a change smaller', async () => {
  await register(numbered(100));
  const { user } = openPage(service, '/devices');
  await user.click(await box('Sensor 0000'));
  await act(user, 'Select all 100');
  await act(user, 'Change type…');
  const dialog = await screen.findByRole('dialog', { name: /^Change the type/ });
  const usualFetch = globalThis.fetch;
  let batches = 0;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if ((url instanceof Request ? url.url : url.toString()).endsWith('/batch')) {
      batches += 1;
      await delay(700);
    }
    return usualFetch(url, init);
  });
  onTestFinished(() => fetched.mockRestore());
  await user.type(within(dialog).getByLabelText(/^Type/), 'pump');
  await user.click(within(dialog).getByRole('button', { name: 'Change type' }));
  await screen.findByText('Changed the type of 100 devices');
  expect(batches).toBe(2);
});

test('a change that the service could not be reached for continues when it can', async () => {
  await register(['A', 'B']);
  const { user } = openPage(service, '/devices');
  await user.click(await box('A'));
  await act(user, 'Change type…');
  const dialog = await screen.findByRole('dialog', { name: /^Change the type/ });
  await service.restart(async () => {
    await user.type(within(dialog).getByLabelText(/^Type/), 'pump');
    await user.click(within(dialog).getByRole('button', { name: 'Change type' }));
    await screen.findByText(/^Cannot reach the service\. Changed the type of 0 of 1 device\./);
  });
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await screen.findByText('Changed the type of 1 device');
  expect(await countOf('type=pump')).toBe(1);
});

test('a session that cannot change devices sees no check boxes', async () => {
  await register(['A']);
  const { secret } = await service.mintKey(['devices:read']);
  const { body } = await service.request('POST', '/v1/sessions', { body: { token: secret }, token: null });
  await service.request('PATCH', '/v1/session', { body: { label: 'Reader' }, token: body.token });
  openPage(service, '/devices', body.token);
  await screen.findByRole('link', { name: 'A' });
  await waitFor(() => expect(screen.queryByRole('checkbox')).toBeNull());
});

test('Back from a device brings the selection back, and a new visit begins without one', async () => {
  await register(['A', 'B', 'C']);
  const { user } = openPage(service, '/devices');
  await user.click(await box('B'));
  await user.click(await box('C'));
  await user.click(screen.getByRole('link', { name: 'A' }));
  await screen.findByRole('heading', { level: 1, name: 'A' });
  window.history.back();
  await selected('2 devices');
  expect(isSelected()).toEqual(['B', 'C']);
  await user.click(screen.getByRole('link', { name: 'A' }));
  await screen.findByRole('heading', { level: 1, name: 'A' });
  await user.click(screen.getAllByRole('link', { name: 'Devices' })[0]!);
  await box('B');
  expect(isSelected()).toEqual([]);
});
