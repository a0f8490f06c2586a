import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';
import { createPipelineInReview, openStep } from './open-step.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

const fillIn = (name: RegExp, value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } });
const showMessage = (message: unknown) => fillIn(/^Message/, JSON.stringify(message));
/** The device of messages that name none, like the level of a topic. */
const sendAs = (device: string) => fillIn(/^Sent with \?device=/, device);

/** Opens the format of a new HTTP pipeline with a message in the preview. */
const previewOf = async (message: unknown): Promise<UserEvent> => {
  const { user } = openPage(service, '/pipelines/new');
  await user.click(await screen.findByRole('radio', { name: /^HTTP/ }));
  await openStep(user, 'Format');
  await screen.findByRole('textbox', { name: /^Message/ });
  showMessage(message);
  await screen.findByRole('region', { name: 'Fields' });
  return user;
};
const role = (name: string) => screen.findByRole('combobox', { name: `Role of ${name}` });
const choose = async (user: UserEvent, name: string, label: string) => {
  await user.click(await role(name));
  await user.click(await screen.findByRole('option', { name: label }));
};
const samples = () => within(screen.getByRole('region', { name: 'Samples' }));
const question = async (text: string) => within(await screen.findByRole('region', { name: text }));
const expression = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: /^Expression/ });

test('roles of fields choose the device, the time and the metrics that are left out, and become a rule', async () => {
  const taken = minutesAgo(3);
  const user = await previewOf({ unit: 'boiler 7', taken, temp: 21.5, raw: { adc: 512 } });
  await waitFor(async () => expect((await role('raw.adc')).textContent).toContain('Metric'));

  await choose(user, 'unit', 'Device');
  await screen.findByText('unit is the device');
  expect((await expression()).value).toBe(
    '$exists($device) and $not($exists(device)) or $exists($[unit != null]) ? $.{ "device": unit != null ? $string(unit) : $error("The message has no “unit”. This field is the device."), "values": $ ~> |$|{}, ["unit"]| } : $',
  );
  // The external ID of its name.
  await waitFor(() => expect(samples().getByRole('row', { name: /^boiler-7 temp 21\.5/ })).toBeTruthy());
  expect((await role('unit')).textContent).toContain('Device');

  showMessage({ unit: 'boiler-7', taken, temp: 21.5, raw: { adc: 512 } });
  await waitFor(() => expect(samples().getByRole('row', { name: /^boiler-7 temp 21\.5/ })).toBeTruthy());
  await choose(user, 'taken', 'Time');
  await waitFor(() => expect(samples().queryByRole('row', { name: /taken|On arrival/ })).toBeNull());
  expect((await role('unit')).textContent).toContain('Device');
  expect((await role('taken')).textContent).toContain('Time');

  await choose(user, 'raw.adc', 'Left out');
  await waitFor(() => expect(samples().queryByRole('row', { name: /raw\.adc/ })).toBeNull());
  expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Exclude metrics/ }).value).toBe(
    'raw.adc',
  );
  await choose(user, 'raw.adc', 'Metric');
  await waitFor(() => expect(samples().getByRole('row', { name: /raw\.adc/ })).toBeTruthy());
});

test('a text that contains a number asks whether to store the number', async () => {
  const others = { mode: 'auto', code: '0042', lot: '4c11ae0d8f22', run: '9b1deb4d-3b7d-4bad' };
  const user = await previewOf({ device: 'd', temp: '21,5', flow: '3.5 l/min', ...others });
  const both = await question('temp “21,5” and flow “3.5 l/min” would be stored as text.');
  await user.click(both.getByRole('button', { name: 'Store the number in temp' }));
  await waitFor(() => expect(samples().getByRole('row', { name: /^d temp 21\.5 / })).toBeTruthy());
  const one = await question('flow “3.5 l/min” would be stored as text.');
  expect(document.activeElement).not.toBe(document.body);
  await user.click(one.getByRole('button', { name: 'Keep as text' }));
  expect(screen.queryByText(/would be stored as text/)).toBeNull();
  expect(samples().getByRole('row', { name: /^d flow “3\.5 l\/min”/ })).toBeTruthy();
});

test('the fields of a message from a wrong clock keep their roles, so that its time can be left out', async () => {
  const user = await previewOf({ device: 'meter-4', ts: Date.now() + 7_200_000, kwh: 12 });
  await screen.findByText(/^Timestamp in the future/);
  expect(screen.queryByRole('region', { name: 'Samples' })).toBeNull();
  expect((await role('device')).textContent).toContain('Device');
  expect((await role('kwh')).textContent).toContain('Metric');
  await choose(user, 'ts', 'Left out');
  await waitFor(() =>
    expect(samples().getByRole('row', { name: /^meter-4 kwh 12 On arrival/ })).toBeTruthy(),
  );
});

test('the first rejections of each reason are listed, with the number of further ones', async () => {
  const late = Array.from({ length: 40 }, (_, n) => ({ ts: Date.now() + (2 + n) * 3_600_000, kwh: n }));
  await previewOf(
    [...late, { ts: Date.now() - 60_000, kwh: { nested: [null] } }].map((each) => ({
      device: 'meter-5',
      ...each,
    })),
  );
  const list = await screen.findByRole('list', { name: 'Would be rejected' });
  expect(within(list).getByText('No values')).toBeTruthy();
  expect(within(list).getAllByText('Timestamp in the future')).toHaveLength(3);
  expect(within(list).getByText('and 37 more')).toBeTruthy();
});

test('a timestamp is recognised by a name with its unit', async () => {
  await previewOf({ device: 'boiler-7', ts_ms: Date.now(), temp: 21.5 });
  expect(await screen.findByRole('region', { name: 'Is ts_ms the time of the samples?' })).toBeTruthy();
});

test('a timestamp that is left out by its name is a question', async () => {
  const user = await previewOf({ device: 'boiler-7', event_ts: Date.now() - 60_000, temp: 21.5 });
  const isTime = await question('Is event_ts the time of the samples?');
  await user.click(isTime.getByRole('button', { name: 'Use event_ts as time' }));
  await waitFor(() => expect(samples().queryByRole('row', { name: /On arrival/ })).toBeNull());
  expect((await role('event_ts')).textContent).toContain('Time');
});

test('fields that an expression of your own stores are not shown as not stored', async () => {
  const user = await previewOf({ unit: 'boiler-7', t: 21.5, values: { flow: 3, off: 4 } });
  await user.click(screen.getByRole('radio', { name: /^Expression/ }));
  const own = '{ "device": unit, "values": $merge([values, { "temperature": t }]) }';
  fireEvent.change(await expression(), { target: { value: own } });
  await waitFor(() =>
    expect(samples().getByRole('row', { name: /^boiler-7 temperature 21\.5/ })).toBeTruthy(),
  );
  expect((await role('flow')).textContent).toContain('Metric');
  expect((await role('unit')).textContent).toContain('Device');
  expect((await role('t')).textContent).toContain('In expression');
  await choose(user, 'off', 'Left out');
  await waitFor(() => expect(samples().queryByRole('row', { name: /off/ })).toBeNull());
  expect((await role('off')).textContent).toContain('Left out');
  expect((await expression()).value).toBe(own);
});

test('a field that your expression does not use has no role, and no field has one while the expression fails', async () => {
  const user = await previewOf({ id: 'pump-1', dev: 'pump-1', t: 21.5, rh: 50, fw: '1.2' });
  await user.click(screen.getByRole('radio', { name: /^Expression/ }));
  const type = async (text: string) => fireEvent.change(await expression(), { target: { value: text } });
  await type('{ "device": dev, "values": { "temp": t, "fw": 3 } }');
  await waitFor(() => expect(samples().getByRole('row', { name: /^pump-1 temp 21\.5/ })).toBeTruthy());
  expect((await role('dev')).textContent).toContain('Device');
  expect((await role('t')).textContent).toContain('In expression');
  for (const name of ['id', 'rh', 'fw']) expect((await role(name)).textContent).toContain('Not used');

  await type('{ "device": dev, "values": { "temp": t, } }');
  await screen.findByText('Your expression fails for this message, so its fields have no roles.');
  for (const name of ['id', 'dev', 't', 'rh']) expect((await role(name)).textContent).toContain('No role');

  await type('{ "device": dev, "values": { "n": $count($keys($)) } }');
  await waitFor(() => expect(samples().getByRole('row', { name: /^pump-1 n 5/ })).toBeTruthy());
  expect((await role('rh')).textContent).toContain('May be used');
});

test('no role replaces an expression of your own that handles the message', async () => {
  const message = { dev: 'a-1', at: Math.floor(Date.now() / 1000) - 180, T: 25, tag: 'A-1' };
  const user = await previewOf(message);
  await user.click(screen.getByRole('radio', { name: /^Expression/ }));
  const own =
    '{ "device": dev, "ts": at, "values": { "fahrenheit": T * 9 / 5 + 32, "tag": tag, "flow": "3,5 l" } }';
  fireEvent.change(await expression(), { target: { value: own } });
  await waitFor(() => expect(samples().getByRole('row', { name: /^a-1 fahrenheit 77/ })).toBeTruthy());
  await screen.findByText(/^Your expression handles this message\. Change it there\./);
  for (const name of ['dev', 'at', 'T']) expect((await role(name)).hasAttribute('disabled')).toBe(true);
  const tag = await question('tag looks like an identifier, not a measurement.');
  expect(tag.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    'Leave out',
    'Keep as metric',
  ]);
  await user.click(await role('tag'));
  await screen.findByRole('option', { name: 'Left out' });
  expect(screen.getAllByRole('option')).toHaveLength(2);
  await user.keyboard('{Escape}');
  expect((await expression()).value).toBe(own);

  // A rule for other messages stays editable, and leaves this one to the expression.
  const rule = `$exists($[unit != null]) ? $.{ "device": unit != null ? $string(unit) : $error("x"), "values": $ ~> |$|{}, ["unit"]| } : (${own})`;
  fireEvent.change(await expression(), { target: { value: rule } });
  await waitFor(() => expect(samples().getByRole('row', { name: /^a-1 fahrenheit 77/ })).toBeTruthy());
  expect((await role('at')).hasAttribute('disabled')).toBe(true);
  showMessage({ unit: 'b-1', read: minutesAgo(3), T: 25 });
  await waitFor(() => expect(samples().getByRole('row', { name: /^b-1 T 25/ })).toBeTruthy());
  await choose(user, 'read', 'Time');
  await waitFor(() => expect(samples().queryByRole('row', { name: /read|On arrival/ })).toBeNull());
  expect((await expression()).value.endsWith(`: (${own})`)).toBe(true);
});

test('a role says that an expression of your own, which left the message to Automatic, now applies to others', async () => {
  const user = await previewOf({ unit: 'boiler-7', temp: 21.5 });
  await user.click(screen.getByRole('radio', { name: /^Expression/ }));
  fireEvent.change(await expression(), { target: { value: 'alarm ? { "values": { "alarm": true } } : $' } });
  await screen.findByText('Flat JSON');
  await choose(user, 'unit', 'Device');
  await screen.findByText('unit is the device');
  expect(screen.getByText('Your expression now applies only to other messages')).toBeTruthy();
});

test('values are shown with all their digits', async () => {
  await previewOf({ device: 'boiler-7', uptime_ms: 1_795_767_966_123, energy: 12_345.678_9 });
  const fields = within(screen.getByRole('region', { name: 'Fields' }));
  expect(fields.getByText('1795767966123')).toBeTruthy();
  expect(fields.getByText('12345.6789')).toBeTruthy();
  expect(samples().getByRole('cell', { name: '1,795,767,966,123' })).toBeTruthy();
  expect(samples().getByRole('cell', { name: '12,345.6789' })).toBeTruthy();
});

test('only the latest choice of a role can be undone, since an undo restores the mapping before it', async () => {
  const user = await previewOf({ unit: 'boiler-7', taken: minutesAgo(3), temp: 21.5 });
  await choose(user, 'unit', 'Device');
  await screen.findByText('unit is the device');
  await choose(user, 'taken', 'Time');
  await screen.findByText('taken is the time');
  expect(screen.queryByText('unit is the device')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(async () => expect((await role('taken')).textContent).not.toContain('Time'));
  expect((await role('unit')).textContent).toContain('Device');
});

test('a field that loses its role to another one is named', async () => {
  const user = await previewOf({ unit: 'boiler-7', gateway: 'hall-2', temp: 21.5 });
  await choose(user, 'unit', 'Device');
  await screen.findByText('unit is the device');
  await waitFor(async () => expect((await role('unit')).textContent).toContain('Device'));
  await choose(user, 'gateway', 'Device');
  await screen.findByText('gateway is the device');
  expect(screen.getByText('unit is no longer the device')).toBeTruthy();
  await waitFor(async () => expect((await role('unit')).textContent).toContain('Metric'));
  expect((await role('gateway')).textContent).toContain('Device');
});

test('a text that is a registered device is proposed as the device before fields with likely names', async () => {
  const { body } = await service.request('POST', '/v1/devices', { body: { name: 'Press 4' } });
  const user = await previewOf({ tag: 'A-1', where: 'press-4', at: Date.now() - 60_000, bar: 182 });
  await question('Is at the time of the samples?');
  const device = await question('Which field is the device?');
  expect(device.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['where', 'tag']);
  await user.click(device.getByRole('button', { name: 'where' }));
  await waitFor(() => expect(samples().getByRole('row', { name: /^press-4 bar 182/ })).toBeTruthy());

  await user.click(screen.getByRole('radio', { name: /^Automatic/ }));
  sendAs('line-7');
  showMessage({ parts: { on: body.id }, bar: 182 });
  await question('parts.on names a registered device.');
});

test('the offer to undo a role goes with the form, when it is submitted and when it is left', async () => {
  // Long before the toast closes by time.
  const isGone = () =>
    waitFor(() => expect(screen.queryByText('unit is the device')).toBeNull(), { timeout: 3_000 });
  let user = await previewOf({ unit: 'boiler-7', temp: 21.5 });
  await choose(user, 'unit', 'Device');
  await screen.findByText('unit is the device');
  await openStep(user, 'Source');
  fillIn(/^Name/, 'Boilers');
  await createPipelineInReview(user);
  await screen.findByRole('heading', { name: 'Boilers' });
  await screen.findByText('Created Boilers');
  await isGone();
  cleanup();

  user = await previewOf({ unit: 'boiler-7', temp: 21.5 });
  await choose(user, 'unit', 'Device');
  await screen.findByText('unit is the device');
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  await user.click(await screen.findByRole('button', { name: 'Discard changes' }));
  await screen.findByRole('heading', { name: 'Pipelines' });
  await isGone();
});

test('chosen roles stay in any order, with times in every unit and without any metric', async () => {
  const seconds = Math.floor(Date.now() / 1000) - 180;
  const iso = new Date(seconds * 1000).toISOString();
  const messages = [seconds, seconds * 1e3, seconds * 1e6, seconds * 1e9, iso].map((zeit, i) => ({
    Kennung: 'm1',
    zeit,
    temp: 20 + i,
  }));
  const user = await previewOf(messages[0]);
  await choose(user, 'zeit', 'Time');
  await waitFor(() => expect(samples().queryByRole('row', { name: /zeit|On arrival/ })).toBeNull());
  expect((await role('zeit')).textContent).toContain('Time');
  await choose(user, 'Kennung', 'Device');
  for (const message of messages) {
    showMessage(message);
    await screen.findByRole('row', { name: new RegExp(`^m1 temp ${message.temp}`) });
    expect(samples().queryByRole('row', { name: /zeit|On arrival/ })).toBeNull();
    expect((await role('zeit')).textContent).toContain('Time');
    expect((await role('Kennung')).textContent).toContain('Device');
  }
  await choose(user, 'temp', 'Left out');
  await screen.findByText(/All metrics are left out/);
  expect((await role('zeit')).textContent).toContain('Time');
  expect((await role('Kennung')).textContent).toContain('Device');
});

test('a chosen time such as 28.11.2026 17:55:00 is read, and stays so while other roles change', async () => {
  const pad = (value: number) => String(value).padStart(2, '0');
  const at = new Date(Date.now() - 180_000);
  const stamp = `${pad(at.getUTCDate())}.${pad(at.getUTCMonth() + 1)}.${at.getUTCFullYear()} ${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}:${pad(at.getUTCSeconds())}`;
  const user = await previewOf({ Kennung: 'm1', stamp, temp: 21.5 });
  sendAs('line-7');
  await choose(user, 'stamp', 'Time');
  await screen.findByText('stamp is the time');
  const timed = (name: RegExp) =>
    waitFor(() => expect(screen.getByRole('row', { name }).textContent).not.toContain('On arrival'));
  await timed(/^line-7 temp 21\.5/);
  showMessage({ Kennung: 'm1', temp: 22 });
  await screen.findByRole('row', { name: /^line-7 temp 22 On arrival/ });
  await choose(user, 'Kennung', 'Device');
  showMessage({ Kennung: 'm1', stamp, temp: 23 });
  await timed(/^m1 temp 23/);
  showMessage({ Kennung: 'm1', stamp: at.toISOString(), temp: 24 });
  await timed(/^m1 temp 24/);
  showMessage({ Kennung: 'm1', stamp: 'Saturday', temp: 25 });
  await within(await screen.findByRole('list', { name: 'Would be rejected' })).findByText(
    'Invalid timestamp',
  );
  expect(screen.queryByRole('row', { name: /^m1 temp 25/ })).toBeNull();
});

test.each([
  '28/11/2026 17:55',
  '28/11/26 17:55',
  '11/28/2026 5:55 PM',
  '11/28/2026, 5:55:00 PM',
  '28.11.2026T17:55:00',
  '2026-11-28 17:55',
  'Sat, 28 Nov 2026 17:55:00 GMT',
])('a chosen time that has one meaning is read: %s', async (stamp) => {
  const user = await previewOf({ device: 'm1', stamp, temp: 21.5 });
  await choose(user, 'stamp', 'Time');
  await screen.findByText('stamp is the time');
  await waitFor(() => expect(samples().queryByRole('row', { name: /stamp|On arrival/ })).toBeNull());
  expect(samples().getByRole('row', { name: /^m1 temp 21\.5 Nov 28, 2026, 12:55:00/ })).toBeTruthy();
  showMessage({ device: 'm1', stamp: '31.02.2026 17:55:00', temp: 22 });
  await screen.findByText(
    /^ts: Must be a Unix timestamp .* In the expression, \$toMillis reads any notation/,
  );
  expect(screen.queryByRole('row', { name: /^m1 temp/ })).toBeNull();
});

test('a chosen time with the day or the month first is a question, whose answer stays while other roles change', async () => {
  const user = await previewOf({ id: 'm1', stamp: '03/04/2026 17:55', temp: 21.5 });
  await choose(user, 'stamp', 'Time');
  const order = await question('Is the day or the month first in stamp “03/04/2026 17:55”?');
  expect(order.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    'Day first: April 3',
    'Month first: March 4',
  ]);
  await user.click(order.getByRole('button', { name: 'Day first: April 3' }));
  const device = await question('Which field is the device?');
  await waitFor(() => expect(screen.queryByText(/^Is the day or the month first/)).toBeNull());
  await user.click(device.getByRole('button', { name: 'id' }));
  await screen.findByRole('row', { name: /^m1 temp 21\.5 Apr 3, 2026/ });
  showMessage({ id: 'm1', stamp: '05/06/2026 17:55', temp: 22 });
  await screen.findByRole('row', { name: /^m1 temp 22 Jun 5, 2026/ });
  expect(screen.queryByText(/^Is the day or the month first/)).toBeNull();
});

test('a message whose time cannot be read still asks for its device, and then for its time', async () => {
  const user = await previewOf({ id: 'pump-1', ts: '28/11/2026 17:55', temp: 21.5 });
  const device = await question('Which field is the device?');
  expect(device.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['id']);
  await user.click(device.getByRole('button', { name: 'id' }));
  const time = await question('Is ts the time of the samples?');
  expect(screen.queryByText(/looks like an identifier/)).toBeNull();
  await user.click(time.getByRole('button', { name: 'Use ts as time' }));
  await screen.findByRole('row', { name: /^pump-1 temp 21\.5 Nov 28, 2026/ });
});

test('a message without a device says what names it, in the words of the form and of the source', async () => {
  const user = await previewOf({ temp: 21.5 });
  const list = () => within(screen.getByRole('list', { name: 'Would be rejected' }));
  await screen.findByText(/^These samples name no device/);
  list().getByText(
    'These samples name no device. Choose the role Device for a field above, send messages with ?device= or enter one device for all messages under Device.',
  );
  await user.click(screen.getByRole('radio', { name: /^Expression/ }));
  fireEvent.change(await expression(), { target: { value: '{ "values": { "t": temp } }' } });
  await screen.findByText(/^These samples name no device. Return “device” from your expression, send/);
  await openStep(user, 'Source');
  await user.click(screen.getByRole('radio', { name: /^NATS/ }));
  await openStep(user, 'Format');
  await screen.findByText(
    /Return “device” from your expression, put \* at the level of the subject that names the device or enter one/,
  );
});

test('a message without the time keeps the device, and one without the device never gets another device', async () => {
  const Zeitstempel = minutesAgo(3);
  const user = await previewOf({ Kennung: 'm1', Zeitstempel, temp: 21.5 });
  sendAs('line-7');
  await choose(user, 'Kennung', 'Device');
  await choose(user, 'Zeitstempel', 'Time');
  showMessage({ Kennung: 'm1', temp: 22 });
  await screen.findByRole('row', { name: /^m1 temp 22 On arrival/ });
  for (const message of [{ Zeitstempel, temp: 23 }, { temp: 24 }]) {
    showMessage(message);
    await screen.findByText(/^At character \d+ of the expression: The message has no “Kennung”\./);
    expect(screen.queryByRole('region', { name: 'Samples' })).toBeNull();
    showMessage({ ...message, Kennung: 'm2' });
    await screen.findByRole('row', { name: new RegExp(`^m2 temp ${message.temp}`) });
  }
  await choose(user, 'Kennung', 'Metric');
  showMessage({ Zeitstempel, temp: 25 });
  const row = await screen.findByRole('row', { name: /^line-7 temp 25/ });
  expect(row.textContent).not.toContain('On arrival');
});

test('the time of messages that name their device applies to others too', async () => {
  const read = minutesAgo(3);
  const user = await previewOf({ device: 'm1', read, temp: 21.5 });
  sendAs('line-7');
  await choose(user, 'read', 'Time');
  await waitFor(() => expect(samples().queryByRole('row', { name: /read|On arrival/ })).toBeNull());
  expect(samples().getByRole('row', { name: /^m1 temp 21\.5/ })).toBeTruthy();
  showMessage({ read, temp: 22 });
  const row = await screen.findByRole('row', { name: /^line-7 temp 22/ });
  expect(row.textContent).not.toContain('On arrival');
});

test('fields that contradict each other are a question with a button for each field', async () => {
  const user = await previewOf({ deviceId: 'a', dev_eui: '0004a30b001c0530', power: 12 });
  const device = await question('Which field is the device?');
  await user.click(device.getByRole('button', { name: 'dev_eui' }));
  await waitFor(() =>
    expect(samples().getByRole('row', { name: /^0004a30b001c0530 power 12/ })).toBeTruthy(),
  );
  const identity = await question('deviceId looks like an identifier, not a measurement.');
  await user.click(identity.getByRole('button', { name: 'Leave out' }));
  await waitFor(() => expect(samples().queryByRole('row', { name: /deviceId/ })).toBeNull());
  expect(screen.queryByText(/looks like an identifier/)).toBeNull();
});

test('what a gateway calls its devices is a question, but a reading of the same name is none', async () => {
  const user = await previewOf({ slave: 3, sensor: 512, u: 230.1 });
  sendAs('gateway');
  const slave = await question('slave looks like an identifier, not a measurement.');
  expect(screen.queryByText(/^sensor looks like/)).toBeNull();
  await user.click(slave.getByRole('button', { name: 'Use as device' }));
  await waitFor(() => expect(samples().getByRole('row', { name: /^3 u 230\.1/ })).toBeTruthy());
  showMessage({ sensor: 'attic', temp: 21 });
  sendAs('');
  await question('Which field is the device?');
});

test('a metric that looks like the time is a question, unless it is kept', async () => {
  const user = await previewOf({ device: 'm', logged: minutesAgo(5), power: 12 });
  await user.click(
    (await question('Is logged the time of the samples?')).getByRole('button', { name: 'Keep as metric' }),
  );
  expect(screen.queryByText(/the time of the samples/)).toBeNull();
  expect(samples().getByRole('row', { name: /^m logged/ })).toBeTruthy();
});

test('the unit of the metrics beside a field, or of the one that it names, becomes a rule', async () => {
  const user = await previewOf({
    device: 'm',
    temp: 21.5,
    hum: 40,
    temp_unit: '°C',
    room: { co2: 500, in: 'ppm' },
  });
  await choose(user, 'temp_unit', 'Unit');
  await waitFor(() => expect(samples().queryByRole('row', { name: /temp_unit/ })).toBeNull());
  await choose(user, 'room.in', 'Unit');
  await waitFor(() => expect(samples().queryByRole('row', { name: /room\.in/ })).toBeNull());
  expect((await expression()).value).toContain('"units": { "temp": temp_unit, "room.co2": room.`in` }');
  expect((await role('temp_unit')).textContent).toContain('Unit');
  expect(samples().getByRole('row', { name: /^m hum 40/ })).toBeTruthy();
  await choose(user, 'room.in', 'Metric');
  await waitFor(() => expect(samples().getByRole('row', { name: /room\.in/ })).toBeTruthy());
  expect((await role('temp_unit')).textContent).toContain('Unit');
});

test('a text with a unit becomes a number with this unit, and text without a number is left out', async () => {
  const user = await previewOf({ device: 'm', room: { hum: '61,5 %' }, p: '182.4 bar', at: 'Kiel', n: 1 });
  await user.click(await role('at'));
  expect((await screen.findAllByRole('option')).map(({ textContent }) => textContent)).not.toContain(
    'Number',
  );
  await user.keyboard('{Escape}');
  await choose(user, 'room.hum', 'Number');
  await screen.findByText('room.hum is a number');
  await choose(user, 'p', 'Number');
  await waitFor(() => expect(samples().getByRole('row', { name: /^m p 182\.4 / })).toBeTruthy());
  expect(samples().getByRole('row', { name: /^m room\.hum 61\.5 / })).toBeTruthy();
  expect((await role('room.hum')).textContent).toContain('Number');

  const mapping = { format: 'expression', expression: (await expression()).value };
  const create = {
    body: { name: 'Numbers', type: 'http', interval: 10, destination: 'telemetry', config: {}, mapping },
  };
  const { body: pipeline } = await service.request('POST', '/v1/pipelines', create);
  await service.request('POST', `/v1/pipelines/${pipeline.id}/messages`, {
    body: { device: 'm', room: { hum: '61,5 %' }, p: '0,2 bar' },
  });
  const { body: latest } = await service.request('GET', '/v1/telemetry/latest?device=m');
  expect(latest.data).toMatchObject([
    { metric: 'p', unit: 'bar', value: 0.2 },
    { metric: 'room.hum', unit: '%', value: 61.5 },
  ]);

  showMessage({ device: 'm', room: { hum: -7 }, p: '5/3', n: 2 });
  await waitFor(() => expect(samples().getByRole('row', { name: /^m room\.hum -7 / })).toBeTruthy());
  expect(samples().queryByRole('row', { name: /^m p / })).toBeNull();
  await choose(user, 'room.hum', 'Metric');
  await choose(user, 'p', 'Metric');
  await waitFor(() => expect(samples().getByRole('row', { name: /^m p .*5\/3/ })).toBeTruthy());
});

test('messages without the chosen fields are left to the automatic detection', async () => {
  const user = await previewOf([
    { sensor: 'a', level: 1 },
    { sensor: 'b', level: 2 },
  ]);
  await choose(user, 'sensor', 'Device');
  await waitFor(() => expect(samples().getByRole('row', { name: /^b level 2/ })).toBeTruthy());
  showMessage({ device: 'm', power: 12 });
  await screen.findByText('Flat JSON');
  expect(samples().getByRole('row', { name: /^m power 12/ })).toBeTruthy();
});

test('the device of renamed messages leaves other messages that name their device as they are', async () => {
  const ts = minutesAgo(3);
  const user = await previewOf({ unit: 'pump-1', ts, values: { rpm: 900 } });
  await choose(user, 'unit', 'Device');
  await waitFor(() => expect(samples().getByRole('row', { name: /^pump-1 rpm 900/ })).toBeTruthy());
  for (const topicDevice of ['', 'line-7']) {
    sendAs(topicDevice);
    showMessage({ device: 'pump-2', ts, values: { rpm: 800 } });
    await waitFor(() => expect(samples().getByRole('row', { name: /^pump-2 rpm 800/ })).toBeTruthy());
    showMessage({ ts, values: { rpm: 700 } });
    await screen.findByText(/^At character \d+ of the expression: The message has no “unit”\./);
  }
  await choose(user, 'ts', 'Metric');
  expect((await expression()).value).toContain('$error("The message has no “unit”');
});

test('metrics of renamed messages keep the names that they have in messages of Penstock', async () => {
  const ts = minutesAgo(3);
  const message = { unit: 'pump-1', ts, values: { rpm: 900, flow: '3,5 l', mode: 'auto' }, rssi: -70 };
  const user = await previewOf(message);
  await choose(user, 'unit', 'Device');
  for (const row of [/^pump-1 rpm 900/, /^pump-1 flow “3,5 l”/, /^pump-1 rssi/])
    await waitFor(() => expect(samples().getByRole('row', { name: row })).toBeTruthy());
  expect((await role('rpm')).textContent).toContain('Metric');
  await choose(user, 'flow', 'Number');
  await waitFor(() => expect(samples().getByRole('row', { name: /^pump-1 flow 3\.5 / })).toBeTruthy());
  expect((await role('flow')).textContent).toContain('Number');
  await choose(user, 'mode', 'Left out');
  await waitFor(() => expect(samples().queryByRole('row', { name: /mode/ })).toBeNull());
  expect(samples().getByRole('row', { name: /^pump-1 flow 3\.5 / })).toBeTruthy();
  showMessage({ unit: 'pump-2', ts, values: { rpm: 800 } });
  await waitFor(() => expect(samples().getByRole('row', { name: /^pump-2 rpm 800/ })).toBeTruthy());
});

test('a rule keeps lists and nested fields, also those of later messages', async () => {
  const user = await previewOf({ meta: { unit: 'p-1', fw: 3 }, phases: [230, 231] });
  await choose(user, 'meta.unit', 'Device');
  await waitFor(() => expect(samples().getByRole('row', { name: /^p-1 phases\.1 231/ })).toBeTruthy());
  expect((await role('phases.0')).textContent).toContain('Metric');
  const reading = { n: 7, time: minutesAgo(9) };
  showMessage({ meta: { unit: 'p-2' }, room: { temp: 21 }, log: [reading], no: null });
  await waitFor(() => expect(samples().getByRole('row', { name: /^p-2 room\.temp 21/ })).toBeTruthy());
  expect(samples().getByRole('row', { name: /^p-2 log\.n 7/ }).textContent).not.toContain('On arrival');
});
