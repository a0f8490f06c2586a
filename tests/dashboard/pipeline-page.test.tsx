import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { CodeValue } from '#dashboard/kit/schema-form/setting-value.tsx';
import { bucketColumns } from '#dashboard/pages/pipeline/throughput-panel.tsx';
import { formatRate } from '#dashboard/ui/format/format-number.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

const create = async (name: string, more: Record<string, unknown> = {}): Promise<string> => {
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name, type: 'http', interval: 10, destination: 'telemetry', ...more },
  });
  return body.id;
};
/** As if the pipeline had been created earlier. */
const ageBy = (id: string, ms: number) =>
  service.service.parts.db
    .updateTable('pipeline')
    .set({ created_at: Date.now() - ms })
    .where('id', '=', id)
    .execute();
const send = (id: string, message: unknown, query = '?device=boiler-7') =>
  service.request('POST', `/v1/pipelines/${id}/messages${query}`, { body: message });
/** For expressions that use all of their time. */
const PATIENT = { timeout: 20_000 };
const rejections = () => screen.findByRole('region', { name: 'Rejections' });

// First: later, events from before the page was opened cause refetches as well.
test('a state change on the open page shows its reason without moving the panels, and follows further messages', async () => {
  const id = await create('Turning');
  openPage(service, `/pipelines/${id}`);
  await screen.findByText('Running');
  await screen.findByText('Live');
  await send(id, 'nonsense');
  const notice = await screen.findByRole('region', { name: 'State' });
  await within(notice).findByText(
    /1 of 1 samples in the last 5 minutes were rejected\. Most common reason: Not JSON\./,
  );
  for (const n of [1, 2, 3]) await send(id, { n });
  await within(notice).findByText(/1 of 4 samples in the last 5 minutes were rejected/);
  const ledger = screen.getByRole('region', { name: 'Ledger' });
  expect(ledger.compareDocumentPosition(notice)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

/** A Modbus device without registers: it answers each request with “illegal data address”. */
const startEmptyModbusDevice = async (): Promise<number> => {
  const device = createTcpServer((socket) =>
    socket.on('data', (request) => {
      const [transaction, unit, code] = [request.subarray(0, 2), request[6] ?? 0, request[7] ?? 0];
      socket.write(Buffer.concat([transaction, Buffer.from([0, 0, 0, 3, unit, code | 0x80, 2])]));
    }),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => void device.close());
  await once(device, 'listening');
  return (device.address() as AddressInfo).port;
};

test('the rejection of a register says that there is no value to replay, and links the pipeline to correct it', async () => {
  const id = await create('Chiller', {
    type: 'modbus',
    config: {
      host: '127.0.0.1',
      port: await startEmptyModbusDevice(),
      device: 'chiller',
      registers: [{ metric: 'pressure', address: 100 }],
    },
  });
  openPage(service, `/pipelines/${id}`);
  const note = await within(await rejections()).findByText(/^Cannot be replayed/, {}, PATIENT);
  expect(note.textContent).toBe('Cannot be replayed: the source did not return these values. Edit pipeline');
  expect(within(note).getByRole('link').getAttribute('href')).toBe(`/pipelines/${id}/edit`);
});

test('the rejection of a message that is too large says that it is not stored in full', async () => {
  const id = await create('Oversized');
  await send(id, 'x'.repeat(100));
  // As the subscription to another broker stores it.
  await service.service.parts.db
    .updateTable('rejection')
    .set({ reason: 'too-large', is_whole: 0 })
    .where('pipeline_id', '=', id)
    .execute();
  openPage(service, `/pipelines/${id}`);
  const note = await within(await rejections()).findByText(/^Cannot be replayed/);
  expect(note.textContent).toBe('Cannot be replayed: the message is not stored in full.');
});

test('the ledger is shown as an equation', async () => {
  const id = await create('Counted');
  await send(id, { temp: 21, humidity: 40, note: 'x'.repeat(2_000) });
  openPage(service, `/pipelines/${id}`);
  expect(await screen.findByText('received 3 = delivered 2 + pending 0 + rejected 1')).toBeTruthy();
});

test('the panels appear together with the notice above them, whose destination is known', async () => {
  const destination = await service.request('POST', '/v1/destinations', {
    body: { name: 'closed', type: 'webhook', url: 'http://127.0.0.1:9/' },
  });
  const id = await create('Blocked', { destination: 'closed' });
  await send(id, { temp: 21 });
  const state = async () => (await service.request('GET', `/v1/pipelines/${id}`)).body.state;
  await expect.poll(state, PATIENT).toBe('degraded');
  const hold = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const usualFetch = globalThis.fetch;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if (/\/v1\/destinations\?/.test(url instanceof Request ? url.url : url.toString())) {
      held.resolve();
      await hold.promise;
    }
    return usualFetch(url, init);
  });
  const notices = new Set<string>();
  const observer = new MutationObserver(() => {
    if (screen.queryByRole('region', { name: 'Ledger' }) === null) return;
    const notice = screen.queryByRole('region', { name: 'State' });
    notices.add(notice?.querySelector('a')?.textContent ?? 'none');
  });
  onTestFinished(() => {
    fetched.mockRestore();
    observer.disconnect();
  });
  openPage(service, `/pipelines/${id}`);
  observer.observe(document.body, { childList: true, subtree: true });
  await screen.findByRole('heading', { level: 1, name: 'Blocked' });
  await held.promise;
  hold.resolve();
  await screen.findByRole('region', { name: 'Ledger' });
  expect([...notices]).toEqual(['closed']);
  await service.request('DELETE', `/v1/pipelines/${id}?discard=true`);
  await service.request('DELETE', `/v1/destinations/${destination.body.id}`);
});

test('the page and the list show the same throughput: the mean since the start, of ten seconds at least', async () => {
  const id = await create('Bursts');
  await send(id, { temp: 21, humidity: 40, power: 3 });
  const [most, least] = [formatRate(3 / 10), formatRate(3 / 60)];
  openPage(service, `/pipelines/${id}`);
  const panel = await screen.findByRole('region', { name: 'Samples per second' });
  const figure = await within(panel).findByText('mean of the last minute');
  const shown = figure.previousElementSibling?.textContent ?? '';
  expect([shown <= most, shown >= least]).toEqual([true, true]);
  cleanup();
  openPage(service, '/pipelines?q=Bursts');
  const row = within(await screen.findByRole('row', { name: /Bursts/ }));
  const rate = row.getByText(/^0\.\d+$/);
  expect(rate.dataset['hint']).toBe('Mean of the last minute');
  const listed = rate.textContent.replace('/s', '');
  expect([listed <= shown, listed >= least]).toEqual([true, true]);
});

test('a pipeline that is pushed to has no interval in its summary, and one that polls has', async () => {
  const { body: destination } = await service.request('POST', '/v1/destinations', {
    body: { name: 'Data lake', type: 'webhook', url: 'https://lake.example.com/' },
  });
  const pushed = await create('Batched', { destination: 'Data lake' });
  const polled = await create('Machine', { type: 'host', interval: 3_600, enabled: false });
  openPage(service, `/pipelines/${pushed}`);
  const summary = await screen.findByText(/into Data lake/);
  expect(summary.textContent).toBe('HTTP into Data lake; no message yet');
  expect(screen.getByText('Maximum delay').nextElementSibling?.textContent).toBe('10 s');
  cleanup();
  openPage(service, `/pipelines/${polled}`);
  expect((await screen.findByText(/into telemetry/)).textContent).toBe(
    'This machine into telemetry, every 1 h; no message yet',
  );
  for (const id of [pushed, polled]) await service.request('DELETE', `/v1/pipelines/${id}?discard=true`);
  await service.request('DELETE', `/v1/destinations/${destination.id}`);
});

test('the page of a new pipeline shows its throughput as soon as it receives samples', async () => {
  const id = await create('Brand new');
  openPage(service, `/pipelines/${id}`);
  const panel = await screen.findByRole('region', { name: 'Samples per second' });
  const figure = await within(panel).findByText('mean of the last minute');
  const shown = () => figure.previousElementSibling?.textContent;
  expect(shown()).toBe('0');
  await send(id, { temp: 21, humidity: 40, power: 3 });
  await screen.findByText(/^received 3 = /);
  // Without a refetch, which comes every 15 s.
  await waitFor(() => expect(shown()).toBe('0.3'), { timeout: 5_000 });
});

test('rejections are listed by reason with their messages, and filtered by a reason', async () => {
  const id = await create('Rejecting');
  await send(id, '{"temp": nonsense');
  await send(id, { temp: 21 }, '');
  await send(id, { temp: 22 }, '');
  const { user } = openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  const reasons = await within(panel).findByRole('list', { name: 'Reasons' });
  expect(
    within(reasons)
      .getAllByRole('button')
      .map((button) => button.textContent),
  ).toEqual(['No device2 samples', 'Not JSON1 sample']);
  expect(await within(panel).findByText('{"temp": nonsense')).toBeTruthy();
  await user.click(within(reasons).getByRole('button', { name: /No device/ }));
  await waitFor(() => expect(within(panel).queryByText('{"temp": nonsense')).toBeNull());
  expect(await within(panel).findByText('{"temp":21}')).toBeTruthy();
  expect(window.location.search).toBe('?reason=device-missing');
  await service.request('PATCH', `/v1/pipelines/${id}`, { body: { config: { device: 'named' } } });
  await user.click(within(panel).getByRole('button', { name: 'Replay these…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Replay messages rejected as “No device”' });
  expect(await within(dialog).findByText('2 samples would be accepted')).toBeTruthy();
  await user.click(within(dialog).getByRole('button', { name: 'Replay' }));
  expect(await screen.findByText('Replayed 2 samples')).toBeTruthy();
  expect(await screen.findByText('received 3 = delivered 2 + pending 0 + rejected 1')).toBeTruthy();
});

test('rejections say which API key sent them, with a link to the key', async () => {
  const id = await create('Sent by keys');
  const mint = (name: string) => service.mintKey(['telemetry:write'], { name });
  const [gateway, other] = [await mint('Gateway 3'), await mint('Gateway 4')];
  const sendAs = ({ secret }: { secret: string }, message: unknown) =>
    service.request('POST', `/v1/pipelines/${id}/messages`, { body: message, token: secret });
  await sendAs(gateway, 'nonsense');
  await sendAs(gateway, 'more nonsense');
  await sendAs(other, '{"temp": 21}');
  await sendAs(gateway, '{"temp": 22}');
  openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  const reasons = await within(panel).findByRole('list', { name: 'Reasons' });
  const sentBy = within(reasons)
    .getAllByText(/^Sent by/)
    .map(({ textContent }) => textContent);
  expect(sentBy.toSorted()).toEqual(['Sent by key Gateway 3', 'Sent by key Gateway 3 and key Gateway 4']);
  const table = await within(panel).findByRole('table', { name: 'Rejections' });
  const link = within(table).getByRole('link', { name: 'Gateway 3' });
  expect(link.getAttribute('href')).toBe(`/settings/api-keys?key=${gateway.id}`);
});

test('the last skipped message is shown with the reason', async () => {
  const id = await create('Skipping', { config: { device: 'skip-1', exclude: ['rssi'] } });
  await send(id, { temp: 21 });
  openPage(service, `/pipelines/${id}`);
  await screen.findByText('received 1 = delivered 1 + pending 0 + rejected 0');
  expect(screen.queryByRole('region', { name: 'Last skipped message' })).toBeNull();
  await send(id, { rssi: -71 });
  const panel = within(await screen.findByRole('region', { name: 'Last skipped message' }));
  expect(await panel.findByText(/leave out all of its metrics/)).toBeTruthy();
  expect(panel.getByText('{"rssi":-71}')).toBeTruthy();
});

test('the last skipped message leads to the mapping, with the message in Preview', async () => {
  const id = await create('Renamed fields', {
    mapping: { format: 'expression', expression: 'readings.{ "device": id, "values": { "n": n } }' },
  });
  await send(id, { pumps: [{ serial: 'pump-9' }] });
  const { user } = openPage(service, `/pipelines/${id}`);
  const panel = within(await screen.findByRole('region', { name: 'Last skipped message' }));
  await user.click(await panel.findByRole('link', { name: 'Edit mapping' }));
  expect(await screen.findByDisplayValue('{"pumps":[{"serial":"pump-9"}]}', {}, PATIENT)).toBeTruthy();
  expect(await screen.findByText('Skipped by the expression', {}, PATIENT)).toBeTruthy();
});

test('rejections are a table with one message open, filtered by a device', async () => {
  const id = await create('Tabled');
  for (const device of ['kiln-1', 'kiln-1', 'kiln-2']) await send(id, { device, values: { heat: [1] } });
  const { user } = openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  const table = await within(panel).findByRole('table', { name: 'Rejections' });
  const opened = () => within(table).getAllByRole('button', { expanded: true });
  expect(within(table).getAllByRole('button', { name: 'Invalid value' })).toHaveLength(3);
  expect(opened()).toHaveLength(1);
  expect(within(table).getAllByRole('button', { name: 'Copy message' })).toHaveLength(1);
  within(table).getAllByRole('button', { name: 'Invalid value' })[2]!.focus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-expanded')).toBe('true'));
  expect(opened()).toHaveLength(1);
  expect(window.location.search).toMatch(/rejection=rej_/);
  const devices = await within(panel).findByRole('list', { name: 'Devices' });
  await user.click(within(devices).getByRole('button', { name: /^kiln-2/ }));
  await waitFor(() => expect(within(panel).getAllByText('Invalid value')).toHaveLength(2));
  expect(window.location.search).toBe('?device=kiln-2');
});

test('a rejected message is fixed in the form with a preview, and replayed on save', async () => {
  const id = await create('Fixed');
  await send(id, '{"temp": 21}', '');
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('link', { name: 'Fix and replay' }));
  expect(await screen.findByRole('textbox', { name: /^Message/ })).toHaveProperty('value', '{"temp": 21}');
  const outcome = await screen.findByRole('region', { name: 'Outcome' });
  expect(await within(outcome).findByText('1 sample would still be rejected')).toBeTruthy();
  expect(within(outcome).getByText('No device')).toBeTruthy();
  await fill(user, screen.getByRole('textbox', { name: /^Device/ }), 'fixed-1');
  expect(await within(outcome).findByText('1 sample would be accepted')).toBeTruthy();
  expect(await within(outcome).findByRole('row', { name: /^fixed-1 temp 21/ })).toBeTruthy();
  const { body } = await service.request('GET', `/v1/pipelines/${id}`);
  expect([body.config, body.ledger.rejected], 'nothing of it is done yet').toEqual([{}, 1]);
  await user.click(screen.getByRole('button', { name: 'Save and replay' }));
  expect(await screen.findByText('Replayed 1 sample')).toBeTruthy();
  expect(await screen.findByText('No rejections')).toBeTruthy();
  expect((await service.request('GET', `/v1/pipelines/${id}`)).body.config).toEqual({ device: 'fixed-1' });
});

test('a fixed pipeline can be saved without a replay', async () => {
  const id = await create('Saved only');
  await send(id, '{"temp": 21}', '');
  const { user } = openPage(service, `/pipelines/${id}/edit?replay=device-missing`);
  const outcome = await screen.findByRole('region', { name: 'Outcome' });
  await user.click(await within(outcome).findByRole('button', { name: 'Show example: No device' }));
  expect(screen.getByRole('textbox', { name: /^Message/ })).toHaveProperty('value', '{"temp": 21}');
  await fill(user, screen.getByRole('textbox', { name: /^Device/ }), 'saved-1');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('received 1 = delivered 0 + pending 0 + rejected 1')).toBeTruthy();
  expect((await service.request('GET', `/v1/pipelines/${id}`)).body.config).toEqual({ device: 'saved-1' });
});

test('the number of messages to replay grows while further ones arrive without a pause', async () => {
  const id = await create('Arriving');
  for (const n of [1, 2, 3]) await send(id, `{"broken ${n}`);
  const { user } = openPage(service, `/pipelines/${id}?reason=not-json`);
  await user.click(await screen.findByRole('link', { name: 'Fix and replay' }));
  const outcome = within(await screen.findByRole('region', { name: 'Outcome' }));
  const field = await outcome.findByRole('combobox', { name: 'Messages to replay' });
  expect(field.textContent).toBe('3 messages rejected as “Not JSON”');
  await screen.findByText('Live');
  const end = new AbortController();
  const arriving = (async () => {
    for (let n = 4; !end.signal.aborted; n += 1) await send(id, `{"broken ${n}`);
  })();
  const count = () => Number.parseInt(field.textContent ?? '', 10);
  await waitFor(() => expect(count()).toBeGreaterThan(3), PATIENT);
  end.abort();
  await arriving;
  const { rejected } = (await service.request('GET', `/v1/pipelines/${id}`)).body.ledger;
  await waitFor(() => expect(count()).toBe(rejected), PATIENT);
  const tested = outcome.getByText(/^Tested 3 messages\./);
  expect(tested.nextElementSibling?.tagName, 'when they were tested').toBe('TIME');
});

test('a replay of one message offers those of its device and all with its reason, with their numbers', async () => {
  const id = await create('Alike');
  for (const device of ['oven-2', 'oven-1', 'oven-1'])
    await send(id, { device, values: { 'bad name': 1 } }, '');
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('button', { name: 'Replay…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Replay this message' });
  await user.click(await within(dialog).findByRole('combobox', { name: 'Messages to replay' }));
  await user.click(
    await screen.findByRole('option', { name: '2 messages from oven-1 rejected as “Invalid metric name”' }),
  );
  expect(await within(dialog).findByText('0 of 2 rejected messages pass')).toBeTruthy();
  await user.click(within(dialog).getByRole('link', { name: 'Fix and replay' }));
  const outcome = await screen.findByRole('region', { name: 'Outcome' });
  await within(outcome).findByText('For messages from oven-1 rejected as “Invalid metric name”');
  await user.click(await within(outcome).findByRole('combobox', { name: 'Messages to replay' }));
  await user.click(
    await screen.findByRole('option', { name: '3 messages rejected as “Invalid metric name”' }),
  );
  expect(await within(outcome).findByText('0 of 3 rejected messages pass')).toBeTruthy();
  expect(window.location.search).toContain('choice=reason');
});

test('Fix and replay opens on the group that is shown, and on one message says how many others there are', async () => {
  const id = await create('Grouped');
  for (const n of [1, 2, 3]) await send(id, `{"broken ${n}`);
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('link', { name: 'Fix and replay' }));
  let outcome = within(await screen.findByRole('region', { name: 'Outcome' }));
  expect(await outcome.findByText('Also 2 others with this reason.')).toBeTruthy();
  expect(await outcome.findByText('0 of 1 rejected message passes')).toBeTruthy();
  cleanup();

  const { user: again } = openPage(service, `/pipelines/${id}`);
  await rejections();
  await screen.findByRole('link', { name: 'Fix and replay' });
  await again.click(await screen.findByRole('button', { name: 'Show rejections' }));
  await waitFor(() => expect(window.location.search).toBe('?reason=not-json'));
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Not JSON3 samples'));
  await again.click(await screen.findByRole('link', { name: 'Fix and replay' }));
  outcome = within(await screen.findByRole('region', { name: 'Outcome' }));
  expect(await outcome.findByText('0 of 3 rejected messages pass')).toBeTruthy();
  expect(outcome.queryByText(/^Also/)).toBeNull();
});

test('a choice in the address is shown with its number, once that is known', async () => {
  const id = await create('Chosen');
  for (const device of ['oven-5', 'oven-6', 'oven-6'])
    await send(id, { device, values: { 'bad name': 1 } }, '');
  const { data } = (await service.request('GET', `/v1/pipelines/${id}/rejections`)).body;
  const { id: rejection, reason } = data.at(-1);
  const counted = Promise.withResolvers<void>();
  const usualFetch = globalThis.fetch;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if ((url instanceof Request ? url.url : url.toString()).includes('groupBy=device')) await counted.promise;
    return usualFetch(url, init);
  });
  onTestFinished(() => fetched.mockRestore());
  const target = new URLSearchParams({ replay: rejection, reason, device: 'oven-5', choice: 'device' });
  openPage(service, `/pipelines/${id}/edit?step=format&${target}`);
  const outcome = within(await screen.findByRole('region', { name: 'Outcome' }));
  await outcome.findByText('0 of 1 rejected message passes');
  expect(outcome.queryByRole('combobox', { name: 'Messages to replay' })).toBeNull();
  // Its place is taken, so that the outcome does not move.
  expect(outcome.getByText('Messages to replay')).toBeTruthy();
  counted.resolve();
  const field = await outcome.findByRole('combobox', { name: 'Messages to replay' });
  expect(field.textContent).toBe('1 message from oven-5 rejected as “Invalid metric name”');
});

test('rejections of a device are replayed together', async () => {
  const id = await create('One device');
  for (const device of ['oven-3', 'oven-4']) await send(id, 'nonsense', `?device=${device}`);
  const { user } = openPage(service, `/pipelines/${id}?device=oven-3`);
  await user.click(await screen.findByRole('button', { name: 'Replay these…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Replay all rejected messages from oven-3' });
  expect(await within(dialog).findByText('0 of 1 rejected message passes')).toBeTruthy();
});

test('a suggested expression is used, and compared with messages that were accepted', async () => {
  const id = await create('Suggested');
  await send(id, { temp: 21 }, '?device=good-1');
  await send(id, '55;7', '?device=csv-1');
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('link', { name: 'Fix and replay' }));
  const outcome = await screen.findByRole('region', { name: 'Outcome' });
  await user.click(await within(outcome).findByRole('button', { name: 'Use this expression' }));
  const field = await screen.findByRole('textbox', { name: 'Expression' });
  const suggested = '"value2": $number($trim($split($, ";")[1])) } } : ';
  expect(field).toHaveProperty('value', expect.stringContaining(`${suggested}$`));
  await waitFor(() => expect(document.activeElement).toBe(field));
  expect(await within(outcome).findByText('1 of 1 rejected message passes')).toBeTruthy();
  const recent = await screen.findByRole('region', { name: 'Recent messages' });
  expect(await within(recent).findByText('1 of 1 recent message produces the same samples')).toBeTruthy();

  // Another shape is added to the expression, so that the first one is still mapped.
  await send(id, 'a=1', '?device=pairs-1');
  const message = screen.getByRole('textbox', { name: /^Message/ });
  fireEvent.change(message, { target: { value: 'a=1' } });
  const preview = within(screen.getByRole('region', { name: 'Preview' }));
  await user.click(await preview.findByRole('button', { name: 'Use this expression' }));
  expect(field).toHaveProperty('value', expect.stringMatching(/\? \{ "values": \$merge\(.* : \(\$type/));
  expect(field).toHaveProperty('value', expect.stringContaining(`${suggested}$)`));
  expect(await within(outcome).findByText('1 of 1 rejected message passes')).toBeTruthy();
  expect(await within(recent).findByText('1 of 1 recent message produces the same samples')).toBeTruthy();
});

test('a rejected message is previewed with the device of its sender, as it is replayed', async () => {
  const id = await create('Sent with a device', { config: { device: 'configured-1' } });
  // The device in the message itself is not that of the sender.
  await send(id, { device: 'named-1', values: { temp: null } }, '?device=sent-1');
  await send(id, 'level=5', '?device=sent-2');
  await send(id, 'level=6', '');
  const { user } = openPage(service, `/pipelines/${id}`);
  const device = () => screen.getByRole('textbox', { name: /^Sent with/ });
  const rows = within(await screen.findByRole('table', { name: 'Rejections' }));
  await user.click(rows.getAllByRole('button', { name: 'Not JSON' })[1]!);
  await user.click(await screen.findByRole('link', { name: 'Fix and replay' }));
  await screen.findByRole('region', { name: 'Outcome' });
  expect(screen.getByRole('textbox', { name: /^Message/ })).toHaveProperty('value', 'level=5');
  expect(device()).toHaveProperty('value', 'sent-2');
  const preview = within(screen.getByRole('region', { name: 'Preview' }));
  await user.click(await preview.findByRole('button', { name: 'Use this expression' }));
  expect(await preview.findByRole('cell', { name: 'sent-2' })).toBeTruthy();

  await user.click(preview.getByRole('button', { name: 'Use the last rejected message' }));
  expect(device()).toHaveProperty('value', '');
  expect(await preview.findByRole('cell', { name: 'configured-1' })).toBeTruthy();
  fireEvent.change(device(), { target: { value: 'typed-1' } });
  await user.click(preview.getByRole('button', { name: 'Use the last message' }));
  await waitFor(() => expect(device()).toHaveProperty('value', ''));
  cleanup();

  const { user: again } = openPage(service, `/pipelines/${id}/edit?step=format&replay=all`);
  const example = await screen.findByRole('button', { name: 'Show example: Invalid value' });
  await again.click(example);
  expect(device()).toHaveProperty('value', 'sent-1');
});

test('settings are shown with the labels and choices of the form', async () => {
  const factsOf = async (name: string, more: Record<string, unknown>) => {
    openPage(service, `/pipelines/${await create(name, more)}`);
    await screen.findByRole('heading', { level: 1, name });
    const panel = await screen.findByRole('region', { name: 'Settings' });
    await within(panel).findByText('Unknown devices');
    const facts = within(panel)
      .getAllByRole('term')
      .map(({ textContent, nextElementSibling }) => [textContent, nextElementSibling?.textContent]);
    cleanup();
    return Object.fromEntries(facts) as Record<string, string>;
  };
  expect(
    await factsOf('Meter', {
      type: 'modbus',
      interval: 30,
      config: {
        host: '127.0.0.1',
        port: 1,
        onUnknownDevice: 'reject',
        registers: [
          { metric: 'voltage', address: 0, kind: 'holding', type: 'uint16', scale: 0.1 },
          { metric: 'current', address: 2, kind: 'input', wordOrder: 'little' },
        ],
      },
    }),
  ).toMatchObject({
    Type: 'Modbus TCP',
    Interval: 'Every 30 s: 2,880 a day.',
    Registers:
      'voltageAddress 0, Kind Holding, Type Uint16, Scale 0.1' +
      'currentAddress 2, Kind Input, Word order Little',
    Unit: '1default',
    'Unknown devices': 'Reject',
    Mapping: 'Automatic',
  });
  expect(
    await factsOf('Polled', {
      type: 'http-poll',
      interval: 60,
      config: {
        url: 'http://127.0.0.1:1/',
        timeout: 5,
        headers: { Authorization: 'Bearer 12345', 'X-Key': '${env:PENSTOCK_X}' },
        allowOld: true,
      },
      mapping: { format: 'expression', expression: '$' },
    }),
  ).toMatchObject({
    Headers: 'AuthorizationStored secretX-Key${env:PENSTOCK_X}',
    Timeout: '5 s',
    'Allow old timestamps': 'Yes',
    'Time zone': 'UTCdefault',
    'Unknown devices': 'Registerdefault',
    Mapping: 'Expression',
    Expression: '$',
  });
  const [short, long] = ['$', '(\n'.repeat(20)].map((value) => render(<CodeValue value={value} />).container);
  expect(short?.querySelector('[tabindex]')).toBeNull();
  expect(long?.querySelector('[tabindex="0"]'), 'scrolls by keyboard').not.toBeNull();
});

test('on a phone, the effect on recent messages is directly below the expression', async () => {
  const id = await create('On a phone');
  const { matchMedia } = window;
  const phone = vi
    .spyOn(window, 'matchMedia')
    .mockImplementation((query) =>
      Object.assign(matchMedia(query), { matches: query === '(width < 48rem)' }),
    );
  onTestFinished(() => phone.mockRestore());
  openPage(service, `/pipelines/${id}/edit?step=format`);
  const recent = await screen.findByRole('region', { name: 'Recent messages' });
  const isBefore = (other: HTMLElement) =>
    (recent.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) > 0;
  expect(isBefore(screen.getByRole('radio', { name: /^Expression/ }))).toBe(false);
  expect(isBefore(screen.getByRole('textbox', { name: /^Device/ }))).toBe(true);
  expect(isBefore(await screen.findByRole('region', { name: 'Preview' }))).toBe(true);
});

test('saving an expression with which accepted messages would be rejected asks first', async () => {
  const id = await create('Harmful');
  for (const device of ['good-1', 'good-2']) await send(id, { temp: 21 }, `?device=${device}`);
  const { user } = openPage(service, `/pipelines/${id}/edit?step=format`);
  expect(await screen.findByText(/^No changes yet/)).toBeTruthy();
  await user.click(await screen.findByRole('radio', { name: /^Expression/ }));
  const field = await screen.findByRole('textbox', { name: 'Expression' });
  fireEvent.change(field, { target: { value: '$number($split($, ";")[0])' } });
  const recent = await screen.findByRole('region', { name: 'Recent messages' });
  expect(await within(recent).findByText('2 messages would be rejected')).toBeTruthy();
  const changed = within(within(recent).getByRole('region', { name: 'Changed messages' }));
  expect(changed.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(
      /^Would be rejected 2 messages from good-2, good-1For example: At character 15 of the expression: \$split does not accept an object/,
    ),
  ]);
  await user.click(changed.getByRole('button', { name: 'Show example' }));
  expect(screen.getByRole('textbox', { name: /^Message/ })).toHaveProperty('value', '{"temp":21}');
  expect(screen.getByRole('textbox', { name: /^Sent with/ })).toHaveProperty('value', 'good-2');

  // Saving asks, because the device whose messages were accepted would be rejected.
  const mapping = async () => (await service.request('GET', `/v1/pipelines/${id}`)).body.mapping.format;
  const save = screen.getByRole('button', { name: 'Save' });
  await user.click(save);
  const question = await screen.findByRole('dialog', { name: 'Save a change that rejects messages?' });
  expect(question.textContent).toContain('would reject 2 of 2 recent messages that it accepted before');
  await user.click(within(question).getByRole('button', { name: 'Keep editing' }));
  await waitFor(() => expect(document.activeElement).toBe(save));
  expect(await mapping()).toBe('auto');
  await user.click(save);
  await user.click(await screen.findByRole('button', { name: 'Save anyway' }));
  await screen.findByRole('heading', { level: 1, name: 'Harmful' });
  await expect.poll(mapping).toBe('expression');
});

test('saving asks also if the form changes while the change is compared', async () => {
  const id = await create('Changed meanwhile');
  await send(id, { temp: 21 }, '?device=meanwhile-1');
  const compared = Promise.withResolvers<void>();
  const usualFetch = globalThis.fetch;
  const comparisons: string[] = [];
  const changes: string[] = [];
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const address = url instanceof Request ? url.url : url.toString();
    if (init?.method === 'PATCH') changes.push(address);
    if (address.endsWith('/messages/preview')) {
      comparisons.push(address);
      await compared.promise;
    }
    return usualFetch(url, init);
  });
  onTestFinished(() => fetched.mockRestore());
  openPage(service, `/pipelines/${id}/edit?step=format`);
  fireEvent.click(await screen.findByRole('radio', { name: /^Expression/ }));
  const field = await screen.findByRole('textbox', { name: 'Expression' });
  fireEvent.change(field, { target: { value: '$split($, ";")' } });
  // By the panel, which shows the comparison.
  await waitFor(() => expect(comparisons).toHaveLength(1));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-busy')).toBe('true'),
  );
  const before = comparisons.length;
  fireEvent.change(field, { target: { value: '$split($, ",")' } });
  // The panel compares the next change, and no longer the one that is being saved.
  await waitFor(() => expect(comparisons.length).toBeGreaterThan(before));
  compared.resolve();
  await screen.findByRole('dialog', { name: 'Save a change that rejects messages?' });
  expect(changes).toEqual([]);
});

test('a change is saved once, however often Save is clicked while it is compared', async () => {
  const id = await create('Clicked twice');
  await send(id, { temp: 21 }, '?device=clicked-1');
  const compared = Promise.withResolvers<void>();
  const isHeld = { value: false };
  const changes: string[] = [];
  const usualFetch = globalThis.fetch;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const address = url instanceof Request ? url.url : url.toString();
    if (init?.method === 'PATCH') changes.push(address);
    if (isHeld.value && address.includes('preview')) await compared.promise;
    return usualFetch(url, init);
  });
  onTestFinished(() => fetched.mockRestore());
  const { user } = openPage(service, `/pipelines/${id}/edit?step=source`);
  const field = await screen.findByRole('textbox', { name: 'Name' });
  isHeld.value = true;
  await fill(user, field, ' now');
  const save = screen.getByRole('button', { name: 'Save' });
  await user.dblClick(save);
  await waitFor(() =>
    expect(save.getAttribute('aria-disabled') ?? save.getAttribute('disabled')).not.toBeNull(),
  );
  await user.click(save);
  compared.resolve();
  await screen.findByRole('heading', { level: 1, name: 'Clicked twice now' });
  expect(changes).toHaveLength(1);
});

test('samples that differ only in their time are compared with their times', async () => {
  const expressionOf = (ts: string) => `{ "ts": ${ts}, "values": { "temp": temp } }`;
  const id = await create('Timed', { mapping: { format: 'expression', expression: expressionOf('ts') } });
  await send(id, { ts: Date.now() - 60_000, temp: 21 }, '?device=timed-1');
  const { user } = openPage(service, `/pipelines/${id}/edit?step=format`);
  const field = await screen.findByRole('textbox', { name: 'Expression' });
  await user.clear(field);
  await user.click(field);
  await user.paste(expressionOf('ts - 1000'));
  const recent = within(await screen.findByRole('region', { name: 'Recent messages' }));
  const timeIn = async (name: string) =>
    (await recent.findByText(new RegExp(`^${name}: timed-1 temp 21 at `))).textContent?.split(' at ')[1];
  expect(await timeIn('Before')).not.toBe(await timeIn('After'));
  expect(recent.getByText('1 message would produce different samples')).toBeTruthy();
});

test('new rejections are held back until requested', async () => {
  const id = await create('Moving');
  await send(id, 'first');
  const { user } = openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  await within(panel).findByText('first');
  await screen.findByText('Live');
  // In the same place, so that the list does not move.
  const place = within(panel).getByText('Newest first').parentElement;
  await send(id, 'second');
  const more = await within(panel).findByText('1 more sample rejected');
  expect(more).toBe(place);
  expect(within(panel).queryByText('second')).toBeNull();
  await user.click(within(panel).getByRole('button', { name: 'Show newest' }));
  expect(await within(panel).findByText('second')).toBeTruthy();
});

test('a page that is opened again shows the rejections since then', async () => {
  const id = await create('Visited twice');
  await send(id, 'first');
  const { user } = openPage(service, `/pipelines/${id}`);
  await within(await rejections()).findByText('first');
  await user.click(screen.getAllByRole('link', { name: 'Pipelines' })[0]!);
  await screen.findByRole('heading', { level: 1, name: 'Pipelines' });
  await send(id, 'second');
  await user.click(await screen.findByRole('link', { name: 'Visited twice' }));
  expect(await within(await rejections()).findByText('second')).toBeTruthy();
});

test('rejections that the empty list shows at once are not counted as more', async () => {
  const id = await create('Empty at first');
  const { user } = openPage(service, `/pipelines/${id}`);
  await screen.findByText('Live');
  for (const text of ['first', 'second', 'third']) await send(id, text);
  const panel = await rejections();
  await within(panel).findByRole('button', { name: /^Not JSON.*3/ });
  // The list may be read between two of the messages.
  const listed = () =>
    ['first', 'second', 'third'].filter((text) => within(panel).queryAllByText(text).length > 0).length;
  const more = () => Number(/(\d+) more sample/.exec(panel.textContent)?.[1] ?? 0);
  await waitFor(() => expect([listed() > 0, listed() + more()]).toEqual([true, 3]));
  await send(id, 'fourth');
  await waitFor(() => expect(listed() + more()).toBe(4));
  await user.click(within(panel).getByRole('button', { name: 'Show newest' }));
  await within(panel).findByText('fourth');
});

test('equal rejections of a polled target are one entry with a count and the first time', async () => {
  const target = createServer((_, response) => response.end('up 1\nnot a line\n'));
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void target.close());
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/metrics`;
  const id = await create('Polled twice', { type: 'http-poll', interval: 1, config: { url } });
  await waitFor(async () => {
    const { body } = await service.request('GET', `/v1/pipelines/${id}/rejections`);
    expect(body.data[0]?.count).toBeGreaterThan(1);
  });
  await service.request('PATCH', `/v1/pipelines/${id}`, { body: { enabled: false } });
  openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  expect(await within(panel).findByText(/^\d+ times, first/)).toBeTruthy();
  expect(within(panel).getByText(/not a line/)).toBeTruthy();
  expect(within(panel).getByText(/A replay processes the lines of the last poll/)).toBeTruthy();
});

test('the first rejections are not reported as deleted before they are read', async () => {
  const id = await create('Rejecting first');
  openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  await within(panel).findByText('No rejections');
  await screen.findByText('Live');
  const texts = new Set<string>();
  const observer = new MutationObserver(() => texts.add(panel.textContent ?? ''));
  observer.observe(panel, { childList: true, subtree: true, characterData: true });
  await send(id, 'nonsense');
  await within(panel).findByRole('button', { name: 'Replay…' });
  observer.disconnect();
  expect([...texts].filter((text) => text.includes('No stored messages'))).toEqual([]);
});

test('deleting stored messages asks first and keeps the count', async () => {
  const id = await create('Discarding');
  await send(id, 'nonsense');
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('button', { name: 'Delete stored messages…' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByRole('button', { name: 'Delete messages' }));
  expect(await screen.findByText('No stored messages')).toBeTruthy();
  expect(screen.getByText('received 1 = delivered 0 + pending 0 + rejected 1')).toBeTruthy();
});

test('a replay shows a preview first', async () => {
  const id = await create('Replaying');
  await send(id, 'nonsense');
  const { user } = openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  await user.click(await within(panel).findByRole('button', { name: 'Replay…' }));
  let dialog = await screen.findByRole('dialog', { name: 'Replay this message' });
  expect(await within(dialog).findByText('1 sample would still be rejected')).toBeTruthy();
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await service.request('PATCH', `/v1/pipelines/${id}`, {
    body: {
      mapping: { format: 'expression', expression: '{ "device": "fixed", "values": { "text": $ } }' },
    },
  });
  await user.click(within(panel).getByRole('button', { name: 'Replay all…' }));
  dialog = await screen.findByRole('dialog', { name: 'Replay all rejected messages' });
  expect(await within(dialog).findByText('1 sample would be accepted')).toBeTruthy();
  expect(within(dialog).getByRole('row', { name: /^fixed text “nonsense”/ })).toBeTruthy();
  expect(screen.getByText('received 1 = delivered 0 + pending 0 + rejected 1')).toBeTruthy();
  await user.click(within(dialog).getByRole('button', { name: 'Replay' }));
  expect(await screen.findByText('Replayed 1 sample')).toBeTruthy();
  expect(await screen.findByText('No rejections')).toBeTruthy();
  expect(await screen.findByText('received 1 = delivered 1 + pending 0 + rejected 0')).toBeTruthy();
  // The button that opened the dialog is gone.
  const heading = screen.getByRole('heading', { level: 1 });
  await waitFor(() => expect(document.activeElement).toBe(heading));
});

/** Records what screen readers announce from now on: each new text of a status element. */
const recordAnnouncements = (): string[] => {
  const announced: string[] = [];
  const observer = new MutationObserver((records) => {
    const outputs = records.flatMap(({ target, addedNodes }) => [
      (target instanceof Element ? target : target.parentElement)?.closest('output'),
      // Only in what was added: the target can be the body, which has every output.
      ...[...addedNodes].flatMap((node) =>
        node instanceof Element ? [node.closest('output'), ...node.querySelectorAll('output')] : [],
      ),
    ]);
    for (const output of new Set(outputs)) announced.push(output?.textContent ?? '');
  });
  observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  onTestFinished(() => observer.disconnect());
  return announced;
};

test('a replay from its dialog announces the outcome of its preview once', async () => {
  const id = await create('Announced');
  await send(id, 'nonsense');
  await service.request('PATCH', `/v1/pipelines/${id}`, {
    body: { mapping: { format: 'expression', expression: '{ "device": "fixed", "values": { "text": $ } }' } },
  });
  const { user } = openPage(service, `/pipelines/${id}`);
  const announced = recordAnnouncements();
  await user.click(await within(await rejections()).findByRole('button', { name: 'Replay all…' }));
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByText(/^Tested 1 message\./);
  await user.click(dialog.getByRole('button', { name: 'Replay' }));
  await screen.findByText('Replayed 1 sample');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(announced.filter((text) => text.startsWith('Tested'))).toHaveLength(1);
});

test('a preview of several pages counts the messages of all', async () => {
  const usual = service;
  // Each request previews one message.
  service = await startTestService({ timeouts: { previewMs: 0 } });
  onTestFinished(async () => {
    await service.close();
    service = usual;
  });
  const id = await create('Pages');
  for (let n = 0; n < 3; n += 1) await send(id, 'nonsense');
  await service.request('PATCH', `/v1/pipelines/${id}`, {
    body: { mapping: { format: 'expression', expression: '{ "values": { "text": $ } }' } },
  });
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await within(await rejections()).findByRole('button', { name: 'Replay all…' }));
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByText(/^Tested 3 messages\./);
  expect(dialog.getByText('3 of 3 rejected messages pass')).toBeTruthy();
});

test('the preview of a slow expression continues on request', async () => {
  const usual = service;
  service = await startTestService({ timeouts: { previewMs: 1 } });
  onTestFinished(async () => {
    await service.close();
    service = usual;
  });
  const id = await create('Many', {
    mapping: { format: 'expression', expression: '/^(a+)+$/($)' },
  });
  const COUNT = 4;
  for (let n = 0; n < COUNT; n += 1) await send(id, `"${'a'.repeat(30)}!"`);
  const { user } = openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  await user.click(await within(panel).findByRole('button', { name: 'Replay all…' }));
  const dialog = await screen.findByRole('dialog');
  const all = `Tested ${COUNT} messages. Nothing is saved.`;
  await within(dialog).findByText(/^Tested \d+ of 4 messages so far$/, {}, PATIENT);
  while (within(dialog).queryByText(all, { exact: false }) === null) {
    await user.click(await within(dialog).findByRole('button', { name: 'Test more' }, PATIENT));
    await waitFor(
      () => expect(within(dialog).queryByRole('button', { name: 'Test more' })).toBeNull(),
      PATIENT,
    );
    await waitFor(
      () =>
        expect(
          within(dialog).queryByRole('button', { name: 'Test more' }) ??
            within(dialog).queryByText(all, { exact: false }),
        ).not.toBeNull(),
      PATIENT,
    );
  }
  expect(within(dialog).getByText(`${COUNT} samples would still be rejected`)).toBeTruthy();
  expect(within(dialog).getByText(`${COUNT} samples from ${COUNT} messages`)).toBeTruthy();
});

test('a long replay shows its progress, and is stopped', async () => {
  const id = await create('Long', { enabled: true });
  for (let n = 0; n < 200; n += 1) await send(id, `nonsense-${n}`);
  await service.request('PATCH', `/v1/pipelines/${id}`, {
    body: {
      // Each message computes for a while.
      mapping: {
        format: 'expression',
        expression: '( $sum([1..20000]); { "device": "long", "values": { "text": $ } } )',
      },
    },
  });
  const { user } = openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  await user.click(await within(panel).findByRole('button', { name: 'Replay all…' }));
  const dialog = await screen.findByRole('dialog');
  await within(dialog).findByText(/^\d+ samples would be accepted$/, {}, PATIENT);
  await user.click(within(dialog).getByRole('button', { name: 'Replay' }));
  await within(dialog).findByText('200 rejected samples left');
  await user.click(within(dialog).getByRole('button', { name: 'Stop' }));
  expect(await screen.findByText('Replay stopped')).toBeTruthy();
  const ledger = async () => (await service.request('GET', `/v1/pipelines/${id}`)).body.ledger;
  await waitFor(async () => expect((await ledger()).delivered).toBeGreaterThan(0), PATIENT);
  const { delivered, rejected } = await ledger();
  expect(delivered + rejected).toBe(200);
  expect(rejected, 'what was not begun stays').toBeGreaterThan(0);
});

test('the preview of a draft explains why there is no result', async () => {
  const id = await create('Drafted');
  await send(id, 'nonsense');
  const { user } = openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  await within(panel).findByRole('button', { name: 'Replay all…' });
  await service.request('PATCH', `/v1/pipelines/${id}`, { body: { destination: 'nowhere' } });
  await user.click(within(panel).getByRole('button', { name: 'Replay all…' }));
  const dialog = await screen.findByRole('dialog');
  const alert = await within(dialog).findByRole('alert');
  expect(alert.textContent).toContain('There is no destination nowhere.');
  expect(within(dialog).getByRole('button', { name: 'Replay' })).toHaveProperty('disabled', true);
  await service.request('PATCH', `/v1/pipelines/${id}`, { body: { destination: 'telemetry' } });
  await user.click(within(alert).getByRole('button', { name: 'Try again' }));
  expect(await within(dialog).findByText('1 sample would still be rejected')).toBeTruthy();
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
});

test('a paused pipeline explains the state above the panels, and keeps the place when it resumes', async () => {
  const id = await create('Paused one', { enabled: false });
  const { user } = openPage(service, `/pipelines/${id}`);
  const notice = await screen.findByRole('region', { name: 'State' });
  expect(within(notice).getByText('Messages are rejected until you resume the pipeline.')).toBeTruthy();
  const ledger = screen.getByRole('region', { name: 'Ledger' });
  expect(ledger.compareDocumentPosition(notice)).toBe(Node.DOCUMENT_POSITION_PRECEDING);
  await user.click(within(notice).getByRole('button', { name: 'Resume' }));
  await screen.findByText('Running');
  expect(screen.queryByRole('region', { name: 'State' })).toBeNull();
  expect(screen.getByText('Running again')).toBeTruthy();
});

test('a paused pipeline that reads its source says that it does not', async () => {
  const config = { url: 'https://example.com/metrics' };
  const id = await create('Paused poll', { type: 'http-poll', config, enabled: false });
  openPage(service, `/pipelines/${id}`);
  const notice = await screen.findByRole('region', { name: 'State' });
  expect(
    within(notice).getByText('Penstock does not read the source until you resume the pipeline.'),
  ).toBeTruthy();
});

test('the URL of the pipeline is shown alone, to be copied, and in the example', async () => {
  const id = await create('Sendable');
  openPage(service, `/pipelines/${id}`);
  expect(await screen.findByText(`${service.url}/v1/pipelines/${id}/messages`)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Copy URL' })).toBeTruthy();
  const snippet = await screen.findByRole('region', { name: 'curl' });
  expect(snippet.textContent).toContain(`'${service.url}/v1/pipelines/${id}/messages?device=boiler-7'`);
});

test('deleting asks for the name, names the consequences, and leads back to the list', async () => {
  const id = await create('Doomed');
  await send(id, { temp: 21 });
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Delete Doomed?' });
  expect(within(dialog).getByText(/1 received sample/)).toBeTruthy();
  const confirm = within(dialog).getByRole('button', { name: 'Delete' });
  expect(confirm).toHaveProperty('disabled', true);
  await fill(user, within(dialog).getByRole('textbox'), 'Doomed');
  await user.click(confirm);
  expect(await screen.findByRole('heading', { level: 1, name: 'Pipelines' })).toBeTruthy();
  expect((await service.request('GET', `/v1/pipelines/${id}`)).status).toBe(404);
});

test('a page opened by keyboard focuses its heading', async () => {
  const id = await create('Focused');
  const { user } = openPage(service, '/pipelines');
  const link = await screen.findByRole('link', { name: 'Focused' });
  link.focus();
  await user.keyboard('{Enter}');
  const heading = await screen.findByRole('heading', { level: 1, name: 'Focused' });
  await screen.findByText('Ledger');
  await waitFor(() => expect(document.activeElement).toBe(heading));
  expect(window.location.pathname).toBe(`/pipelines/${id}`);
});

test('an unknown pipeline is reported', async () => {
  openPage(service, '/pipelines/pip_01jz3k5v8cf6n9qw2r4t7y0abd');
  expect(await screen.findByText('Not found')).toBeTruthy();
});

test('the chart shows minutes of 24 hours or hours of 30 days, and the address keeps the choice', async () => {
  const id = await create('Charted');
  const { db } = service.service.parts;
  const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
  const DAY_MS = 24 * HOUR_MS;
  await ageBy(id, 40 * DAY_MS);
  const record = async (bucketMs: number, agoMs: number, received: number) => {
    const bucket = { bucket_ms: bucketMs, ts: Math.floor((Date.now() - agoMs) / bucketMs) * bucketMs };
    await db
      .insertInto('service_throughput')
      .values({ ...bucket, ran_ms: bucketMs })
      .execute();
    await db
      .insertInto('pipeline_throughput')
      .values({ pipeline_id: id, ...bucket, received })
      .execute();
  };
  // The service has recorded an hour of its own if one ended since it started.
  await db.deleteFrom('service_throughput').where('bucket_ms', '=', HOUR_MS).execute();
  // The service ran 3 hours ago and 1 hour ago, for 3 minutes each.
  for (const minutes of [180, 179, 178, 60, 59, 58])
    await record(MINUTE_MS, minutes * MINUTE_MS, minutes > 100 ? 120 : 300);
  // It ran 20 days ago for three hours, and 10 days ago for two.
  for (const hours of [482, 481, 480, 240, 239])
    await record(HOUR_MS, hours * HOUR_MS, hours > 300 ? 10 * 3_600 : 40 * 3_600);

  const { user } = openPage(service, `/pipelines/${id}?reason=value-invalid`);
  const panel = within(await screen.findByRole('region', { name: 'Samples per second' }));
  const summary = (text: RegExp) => waitFor(() => expect(document.body.textContent).toMatch(text));
  await waitFor(() =>
    expect(panel.getByRole<HTMLInputElement>('radio', { name: '24 h' }).checked).toBe(true),
  );
  await panel.findByRole('application', { name: 'Samples per second of Charted' });
  await summary(/: between [02] and 5\b/);
  panel.getByText('Gaps are minutes in which Penstock was not running. Their throughput is unknown.');

  await user.click(panel.getByRole('radio', { name: '1 h' }));
  // A minute of this test may be over, without samples.
  await summary(/, 1.h: (constant at|between 0 and) 5\b/);
  expect(window.location.search).toBe('?reason=value-invalid&range=1h');

  await user.click(panel.getByRole('radio', { name: '30 d' }));
  await summary(/: between 10 and 40\b/);
  expect(window.location.search).toBe('?reason=value-invalid&range=30d');
  panel.getByText('Gaps are hours in which Penstock was not running. Their throughput is unknown.');
  await user.click(panel.getByRole('button', { name: 'Show as table' }));
  await panel.findByRole('region', { name: 'Samples per second by hour' });
  const table = within(await panel.findByRole('table', { name: /^Samples per second of Charted/ }));
  const rows = table.getAllByRole('row').slice(1);
  expect(
    rows.map((row) =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    ),
  ).toEqual([
    ['144,000', '40'],
    ['144,000', '40'],
    ['Unknown'],
    ['36,000', '10'],
    ['36,000', '10'],
    ['36,000', '10'],
  ]);

  cleanup();
  const reopened = openPage(service, `/pipelines/${id}?range=30d`);
  await summary(/: between 10 and 40\b/);
  await reopened.user.click(screen.getByRole('radio', { name: '24 h' }));
  await summary(/: between [02] and 5\b/);
  expect(window.location.search).toBe('?range=24h');
});

test('the throughput opens on an hour for a new pipeline, and on 24 hours for one with more data', async () => {
  const id = await create('Growing');
  const checked = async (name: string) => {
    const panel = within(await screen.findByRole('region', { name: 'Samples per second' }));
    await waitFor(() => expect(panel.getByRole<HTMLInputElement>('radio', { name }).checked).toBe(true));
  };
  const { user } = openPage(service, `/pipelines/${id}`);
  await checked('1 h');
  await user.click(screen.getByRole('radio', { name: '24 h' }));
  expect(window.location.search).toBe('?range=24h');
  await checked('24 h');
  await ageBy(id, 7 * 3_600_000);
  cleanup();
  openPage(service, `/pipelines/${id}`);
  await checked('24 h');
});

test('the chart of a new pipeline says when it starts', async () => {
  const id = await create('Just created');
  openPage(service, `/pipelines/${id}?range=30d`);
  await screen.findByText('The chart starts after the first full hour.');
});

test('the line has a gap while the service did not run', () => {
  const minute = (n: number) => n * 60_000;
  const throughput = {
    from: 0,
    to: minute(9),
    bucketMs: minute(1),
    ts: [2, 3, 5].map(minute),
    received: [],
    perSecond: [4, 0, 6],
  };
  expect(bucketColumns(throughput)).toEqual({ ts: [2, 3, 4, 5].map(minute), value: [4, 0, null, 6] });
});
