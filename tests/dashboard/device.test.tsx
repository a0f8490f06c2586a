import { act, screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { queryClient } from '#dashboard/api/query-client.ts';
import { messagesOf } from '#dashboard/pages/device/device-message-queries.ts';
import { deviceQueries } from '#dashboard/resources/devices/device-queries.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { failRequests } from './fail-requests.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

const register = async (name: string, more: Record<string, unknown> = {}) => {
  const { body } = await service.request('POST', '/v1/devices', { body: { name, ...more } });
  return body as { id: string; externalId: string };
};
const send = async (device: string, values: Record<string, unknown>, ts?: number) => {
  await service.request('POST', '/v1/telemetry', { body: { samples: [{ device, ts, values }] } });
  // The last-seen time is written within a quarter of a second; here, immediately.
  await service.service.parts.presence.flush();
};
const valueOf = async (metric: string) => {
  const table = await screen.findByRole('region', { name: 'Latest values' });
  const row = await within(table).findByRole('row', { name: new RegExp(metric) });
  return within(row).getAllByRole('cell')[0]?.textContent;
};

test('shows the expected interval and the last-seen time', async () => {
  const { id, externalId } = await register('Boiler 1', { expectedInterval: 10 });
  await send(externalId, { temperature: 20 });
  openPage(service, `/devices/${id}`);
  await screen.findByRole('heading', { name: 'Boiler 1' });
  expect(await screen.findByText(/^Expected every 10 s, last seen/)).toBeTruthy();
  expect(screen.getByText('Online')).toBeTruthy();
  expect(screen.getByText('1 min')).toBeTruthy();
});

test('a device without a known interval says so, and how long a message makes it online', async () => {
  const { id, externalId } = await register('Boiler 19');
  await send(externalId, { temperature: 20 });
  openPage(service, `/devices/${id}`);
  expect(
    await screen.findByText(/^No interval yet: online for 5 min after a message, last seen/),
  ).toBeTruthy();
});

test('a metric that is text here and a number on other devices of the type is marked', async () => {
  const type = 'kiln';
  for (const name of ['Kiln 1', 'Kiln 2'])
    await send((await register(name, { type })).externalId, { heat: 900, mode: 'auto' });
  const other = await register('Kiln of another type', { type: 'forge' });
  await send(other.externalId, { mode: 4 });
  const { id, externalId } = await register('Kiln 3', { type });
  await send(externalId, { heat: '905', mode: 'auto' });
  openPage(service, `/devices/${id}`);
  const table = within(await screen.findByRole('region', { name: 'Latest values' }));
  const note = await table.findByText('Text here, a number on 2 other devices');
  expect(note.closest('tr')?.textContent).toContain('heat');
  expect(table.getAllByText(/^Text here/)).toHaveLength(1);
});

test('the metrics of a device with many are filtered by name', async () => {
  const { id, externalId } = await register('Machine');
  const disks = Array.from({ length: 20 }, (_, disk) => [`disk.vda${disk}.used`, disk] as const);
  await send(externalId, { ...Object.fromEntries(disks), load: 0.5 });
  const { user } = openPage(service, `/devices/${id}`);
  const table = within(await screen.findByRole('region', { name: 'Latest values' }));
  const filter = await table.findByRole('searchbox', { name: 'Filter metrics' });
  const shown = () => table.getAllByRole('rowheader').map(({ textContent }) => textContent);
  await fill(user, filter, 'VDA1');
  await waitFor(() => expect(shown()).toHaveLength(11));
  await user.clear(filter);
  await fill(user, filter, 'load');
  await waitFor(() => expect(shown()).toEqual(['load']));
  await user.clear(filter);
  await fill(user, filter, 'wind');
  expect(await table.findByText('No metric matches “wind”.')).toBeTruthy();
});

test('latest values follow the stream', async () => {
  const { id, externalId } = await register('Boiler 2');
  await send(externalId, { temperature: 20.5, running: true, mode: 'auto' });
  openPage(service, `/devices/${id}`);
  expect(await valueOf('temperature')).toBe('20.5');
  expect(await valueOf('running')).toBe('true');
  // Sent again until the stream, which opens after the page, has begun to follow it.
  await waitFor(
    async () => {
      await send(externalId, { temperature: 31, mode: 'eco' });
      expect(await valueOf('temperature')).toBe('31');
    },
    { interval: 500 },
  );
  expect(await valueOf('mode')).toBe('eco');
});

test('the chart opens with a measurement that the device still sends, and stays with it', async () => {
  const { id, externalId } = await register('Boiler 9');
  const hoursAgo = (hours: number) => Date.now() - hours * 3_600_000;
  await send(externalId, { absorbed: 1, battery_percent: 3 }, hoursAgo(2));
  await send(externalId, { zone_temperature: 20, pressure_bar: 2, energy_kwh: 7 }, hoursAgo(0.5));
  await send(externalId, { power: 'ON' });
  const { user } = openPage(service, `/devices/${id}`);
  const isCharted = async (metric: string) =>
    (await screen.findByRole<HTMLInputElement>('checkbox', { name: `Chart ${metric}` })).checked;
  expect(await isCharted('pressure_bar')).toBe(true);
  await waitFor(
    async () => {
      await send(externalId, { absorbed: 2 });
      expect(await valueOf('absorbed')).toBe('2');
    },
    { interval: 500 },
  );
  expect([await isCharted('absorbed'), await isCharted('pressure_bar')]).toEqual([false, true]);
  await user.click(screen.getByRole('checkbox', { name: 'Chart absorbed' }));
  await waitFor(() => expect(window.location.search).toBe('?metric=pressure_bar&metric=absorbed'));
});

test('a device that is online says that its availability reported the connection as lost', async () => {
  const { id, externalId } = await register('Plug 1');
  // Connections to something else, beside other values.
  await send(externalId, { 'AP.connected': false, cable: 'disconnected', power: 3 }, Date.now() - 500);
  await send(externalId, { LWT: 'Offline' });
  openPage(service, `/devices/${id}`);
  const report = await screen.findByText(/^connection reported lost/);
  expect(report.textContent).toMatch(/\(LWT Offline\)$/);
  expect(screen.getByText('Online')).toBeTruthy();
});

test('the chosen metrics and the range are in the URL', async () => {
  const { id, externalId } = await register('Boiler 3');
  await send(externalId, { pressure: 2, temperature: 20 });
  const { user } = openPage(service, `/devices/${id}`);
  const temperature = await screen.findByRole('checkbox', { name: 'Chart temperature' });
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Chart pressure' }).checked).toBe(true);
  await user.click(temperature);
  await waitFor(() => expect(window.location.search).toBe('?metric=pressure&metric=temperature'));
  await user.click(screen.getByRole('radio', { name: '24 h' }));
  await waitFor(() => expect(window.location.search).toContain('range=24h'));
  const chart = screen.getByRole('link', { name: 'Open in Telemetry' }).getAttribute('href');
  expect(chart).toBe(`/telemetry?device=${id}&metric=pressure&metric=temperature&range=24h`);
  const events = await screen.findByRole('link', { name: 'All events' });
  expect(events.getAttribute('href')).toBe(`/activity?subject=${id}`);
  await user.click(screen.getByRole('switch', { name: 'Live' }));
  await waitFor(() => expect(window.location.search).toContain('live=off'));
});

test('a deleted or unknown device is reported, with links', async () => {
  openPage(service, '/devices/dev_01jz3k5v8cf6n9qw2r4t7y0abd');
  expect(await screen.findByText('Device not found')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Go to Devices' })).toBeTruthy();
});

test('an address without the ID of a device offers no restoration', async () => {
  openPage(service, '/devices/new');
  const missing = (await screen.findByText('Device not found')).parentElement;
  expect(missing?.textContent).toContain('The address is wrong: it does not contain the ID of a device.');
  expect(missing?.textContent).not.toContain('restore');
  expect(screen.getByRole('link', { name: 'Go to Devices' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Restore device' })).toBeNull();
});

test('a deletion leads back to the list, and Undo brings the device back', async () => {
  const { id } = await register('Boiler 4');
  const { user } = openPage(service, `/devices/${id}`);
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
  await screen.findByRole('heading', { name: 'Devices' });
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByRole('row', { name: /Boiler 4/ })).toBeTruthy();
});

test('a session that cannot read events does not request them', async () => {
  const { id } = await register('Boiler 5');
  const { secret } = await service.mintKey(['devices:read', 'telemetry:read']);
  const { body } = await service.request('POST', '/v1/sessions', { body: { token: secret }, token: null });
  await service.request('PATCH', '/v1/session', { body: { label: 'Reader' }, token: body.token });
  const asked = vi.spyOn(globalThis, 'fetch');
  openPage(service, `/devices/${id}`, body.token);
  await screen.findByRole('heading', { name: 'Boiler 5' });
  await screen.findByRole('button', { name: 'Account: Reader' });
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Events' })).toBeNull());
  const paths = asked.mock.calls.map(([url]) => (url as URL).pathname);
  asked.mockRestore();
  expect(paths).toContain(`/v1/devices/${id}`);
  expect(paths).not.toContain('/v1/events');
});

test('a device that is not found keeps its page while it is read again', async () => {
  const { id } = await register('Boiler 9');
  await service.request('DELETE', `/v1/devices/${id}`);
  openPage(service, `/devices/${id}`);
  const restore = await screen.findByRole('button', { name: 'Restore device' });
  await act(() => queryClient.invalidateQueries({ queryKey: deviceQueries.detail(id).queryKey }));
  expect(screen.getByRole('button', { name: 'Restore device' })).toBe(restore);
});

test('after a deletion, Back offers to restore the device', async () => {
  const { id } = await register('Boiler 9');
  const { user } = openPage(service, `/devices/${id}`);
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
  await screen.findByRole('heading', { name: 'Devices' });
  window.history.back();
  await user.click(await screen.findByRole('button', { name: 'Restore device' }));
  expect(await screen.findByRole('heading', { name: 'Boiler 9' })).toBeTruthy();
});

test('a device that never existed cannot be restored', async () => {
  const { user } = openPage(service, '/devices/dev_01jz3k5v8cf6n9qw2r4t7y0abd');
  await user.click(await screen.findByRole('button', { name: 'Restore device' }));
  const toast = await screen.findByRole('alertdialog', { name: 'Could not restore the device' });
  expect(toast.textContent).toContain('The device never existed, was deleted more than 24 hours ago');
});

test('a deleted device is restored from its own page', async () => {
  const { id } = await register('Boiler 9');
  await service.request('DELETE', `/v1/devices/${id}`);
  const { user } = openPage(service, `/devices/${id}`);
  await user.click(await screen.findByRole('button', { name: 'Restore device' }));
  expect(await screen.findByRole('heading', { name: 'Boiler 9' })).toBeTruthy();
});

test('the pipelines and the last messages of a device are listed, with the reasons of rejections', async () => {
  const { id, externalId } = await register('Boiler 14');
  const { user } = openPage(service, `/devices/${id}`);
  expect(await screen.findByText('No pipelines since Penstock started')).toBeTruthy();
  const pipelines = within(screen.getByRole('region', { name: 'Pipelines' }));
  expect(pipelines.getByRole('link', { name: 'Activity' }).getAttribute('href')).toBe(
    '/activity?type=http.refused',
  );
  expect(screen.getByText('No messages from this device alone since Penstock started')).toBeTruthy();
  const { body: pipeline } = await service.request('POST', '/v1/pipelines', {
    body: { name: 'Gateway', type: 'http', interval: 10, destination: 'telemetry' },
  });
  const message = { device: externalId, values: { temp: 20, flow: [1] } };
  await service.request('POST', `/v1/pipelines/${pipeline.id}/messages`, { body: message });
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  const panel = await screen.findByRole('region', { name: 'Pipelines' });
  const link = await within(panel).findByRole('link', { name: 'Gateway' });
  expect(link.getAttribute('href')).toBe(`/pipelines/${pipeline.id}`);
  const rejected = within(panel).getByRole('link', { name: /^1 sample rejected/ });
  expect(rejected.getAttribute('href')).toBe(`/pipelines/${pipeline.id}?device=${externalId}`);
  const messages = within(screen.getByRole('region', { name: 'Last messages' }));
  expect(messages.getByText('Partly rejected')).toBeTruthy();
  expect(messages.getByText(JSON.stringify(message))).toBeTruthy();
  expect(messages.getByRole('link', { name: 'Invalid value' })).toBeTruthy();

  const newer = { device: externalId, values: { temp: 21 } };
  await service.request('POST', `/v1/pipelines/${pipeline.id}/messages`, { body: newer });
  await act(() => queryClient.invalidateQueries({ queryKey: messagesOf(id).queryKey }));
  expect(messages.queryByText(JSON.stringify(newer))).toBeNull();
  const endFailures = failRequests(({ pathname }) => pathname.endsWith(`${id}/messages`));
  await user.click(await screen.findByRole('button', { name: 'Show newer' }));
  await screen.findAllByText('Could not load the messages');
  endFailures();
  const read = (await messages.findByText(JSON.stringify(message))).closest('details');
  await messages.findByText(JSON.stringify(newer));
  expect(read?.open).toBe(true);
});

test('the last messages of a device are read once for all that the page shows of them', async () => {
  const { id } = await register('Boiler 17');
  const usualFetch = globalThis.fetch;
  const answered = Promise.withResolvers<void>();
  let requests = 0;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if ((url as URL).pathname.endsWith('/messages')) {
      requests += 1;
      await answered.promise;
    }
    return usualFetch(url, init);
  });
  onTestFinished(() => fetched.mockRestore());
  openPage(service, `/devices/${id}`);
  await screen.findByText(/registered .*never seen/);
  await screen.findByRole('region', { name: 'Last messages' });
  await waitFor(() => expect(requests).toBeGreaterThan(0));
  expect(requests).toBe(1);
  answered.resolve();
  await screen.findByText('No messages from this device alone since Penstock started');
});

test('a device that was never seen says when its last message was rejected, and why', async () => {
  const { id, externalId } = await register('Boiler 16');
  const { body: pipeline } = await service.request('POST', '/v1/pipelines', {
    body: { name: 'Unreadable', type: 'http', interval: 10, destination: 'telemetry' },
  });
  const send = (body: unknown) =>
    service.request('POST', `/v1/pipelines/${pipeline.id}/messages?device=${externalId}`, { body });
  openPage(service, `/devices/${id}`);
  await screen.findByText(/registered .*never seen/);
  await send('{"temp": nonsense');
  const evidence = await screen.findByText(/last message rejected/, undefined, { timeout: 20_000 });
  const reason = within(evidence).getByRole('link', { name: 'Not JSON' });
  expect(reason.getAttribute('href')).toBe(`/pipelines/${pipeline.id}?device=${externalId}`);
  expect(screen.getByText('Never seen')).toBeTruthy();
  await send({ temp: 20 });
  await screen.findByText('Online');
  expect(screen.queryByText(/last message rejected/)).toBeNull();
});

test('an online device says beside its state that samples of it were rejected, and why', async () => {
  const { id, externalId } = await register('Boiler 17');
  const { body: pipeline } = await service.request('POST', '/v1/pipelines', {
    body: { name: 'Mixed', type: 'http', interval: 10, destination: 'telemetry' },
  });
  const samples = [
    { device: externalId, values: { temp: 20 } },
    { device: externalId, ts: '2199-01-01T00:00:00Z', values: { temp: 21 } },
  ];
  await service.request('POST', `/v1/pipelines/${pipeline.id}/messages`, { body: { samples } });
  openPage(service, `/devices/${id}`);
  await screen.findByText('Online');
  const evidence = await screen.findByText(/samples rejected/, undefined, { timeout: 20_000 });
  const reason = within(evidence).getByRole('link');
  expect(reason.getAttribute('href')).toBe(`/pipelines/${pipeline.id}?device=${externalId}`);
});

test('without pipelines:read a device has no messages', async () => {
  const { id } = await register('Boiler 15');
  const { secret } = await service.mintKey(['devices:read', 'telemetry:read'], { devices: [id] });
  const { body } = await service.request('POST', '/v1/sessions', { body: { token: secret }, token: null });
  // Otherwise the panel would be missing only because its code is not loaded yet.
  await import('#dashboard/pages/device/device-messages.tsx');
  const asked = vi.spyOn(globalThis, 'fetch');
  openPage(service, `/devices/${id}`, body.token);
  await screen.findByText('No samples yet');
  await screen.findByRole('button', { name: /^Account/ });
  expect(screen.queryByRole('region', { name: 'Last messages' })).toBeNull();
  const paths = asked.mock.calls.map(([url]) => (url as URL).pathname);
  asked.mockRestore();
  expect(paths).not.toContain(`/v1/devices/${id}/messages`);
});

const notesPanel = () => screen.findByRole('region', { name: 'Notes' });

test('notes are written in place, as plain text', async () => {
  const { id } = await register('Boiler 10');
  const { user } = openPage(service, `/devices/${id}`);
  await user.click(await screen.findByRole('button', { name: 'Add notes' }));
  const field = await screen.findByRole('textbox', { name: /^Notes/ });
  await waitFor(() => expect(document.activeElement).toBe(field));
  await user.type(field, '<b>Key</b> with{Enter}the porter');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByRole('button', { name: 'Edit notes' })).toBeTruthy();
  expect((await within(await notesPanel()).findByText(/<b>Key/)).textContent).toBe(
    '<b>Key</b> with\nthe porter',
  );
  const { body } = await service.request('GET', `/v1/devices/${id}`);
  expect(body.notes).toBe('<b>Key</b> with\nthe porter');
});

test('a click on Save returns the focus to the button of the notes, even if a frame precedes the render', async () => {
  const { id } = await register('Boiler 22');
  const { user } = openPage(service, `/devices/${id}`);
  await user.click(await screen.findByRole('button', { name: 'Add notes' }));
  await fill(user, await screen.findByRole('textbox', { name: /^Notes/ }), 'Behind the door.');
  const frames = vi.spyOn(globalThis, 'requestAnimationFrame').mockImplementation((callback) => {
    callback(0);
    return 0;
  });
  onTestFinished(() => frames.mockRestore());
  await user.click(screen.getByRole('button', { name: 'Save' }));
  const edit = await screen.findByRole('button', { name: 'Edit notes' });
  await waitFor(() => expect(document.activeElement).toBe(edit));
});

test('notes that another operator changed meanwhile are not overwritten', async () => {
  const { id } = await register('Boiler 11', { notes: 'First.' });
  const { user } = openPage(service, `/devices/${id}`);
  await user.click(await screen.findByRole('button', { name: 'Edit notes' }));
  const field = await screen.findByRole('textbox', { name: /^Notes/ });
  await fill(user, field, ' Mine.');
  await service.request('PATCH', `/v1/devices/${id}`, { body: { notes: 'Theirs.' } });
  await user.click(screen.getByRole('button', { name: 'Save' }));
  const conflict = within(await screen.findByRole('region', { name: 'Updated elsewhere' }));
  expect((await service.request('GET', `/v1/devices/${id}`)).body.notes).toBe('Theirs.');
  await user.click(await conflict.findByRole('radio', { name: /^Mine/ }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('button', { name: 'Edit notes' });
  expect((await service.request('GET', `/v1/devices/${id}`)).body.notes).toBe('First. Mine.');
});

test('typed notes return with the page, and Cancel discards them after a confirmation', async () => {
  const { id } = await register('Boiler 12', { notes: 'First.' });
  const { user, unmount } = openPage(service, `/devices/${id}`);
  await user.click(await screen.findByRole('button', { name: 'Edit notes' }));
  await user.type(await screen.findByRole('textbox', { name: /^Notes/ }), ' More.');
  const key = `penstock.draft.device-notes.${id}`;
  await waitFor(() => expect(sessionStorage.getItem(key)).toContain('More.'));
  const kept = sessionStorage.getItem(key) ?? '';
  unmount();
  const { user: again } = openPage(service, `/devices/${id}`);
  sessionStorage.setItem(key, kept);
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: /^Notes/ });
  await waitFor(() => expect(field.value).toBe('First. More.'));
  expect(document.activeElement).not.toBe(field);
  await again.click(screen.getByRole('button', { name: 'Cancel' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Discard changes?' }));
  await again.click(dialog.getByRole('button', { name: 'Discard changes' }));
  expect(await within(await notesPanel()).findByText('First.')).toBeTruthy();
  expect(sessionStorage.getItem(key)).toBeNull();
});

test('without devices:write the notes are only shown', async () => {
  const { id } = await register('Boiler 13', { notes: 'Read me.' });
  const { secret } = await service.mintKey(['devices:read']);
  const { body } = await service.request('POST', '/v1/sessions', { body: { token: secret }, token: null });
  openPage(service, `/devices/${id}`, body.token);
  await within(await notesPanel()).findByText('Read me.');
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Edit notes' })).toBeNull());
});
