import { screen, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

const create = async (name: string, expression?: string): Promise<string> => {
  const mapping = expression === undefined ? {} : { mapping: { format: 'expression', expression } };
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name, type: 'http', interval: 10, destination: 'telemetry', ...mapping },
  });
  return body.id;
};
const send = (id: string, body: unknown) => service.request('POST', `/v1/pipelines/${id}/messages`, { body });
const write = (id: string, n: unknown) =>
  send(id, { device: 'repeats', ts: 1_700_000_000_000, values: { n } });
const WARM_ONLY = 't > 0 ? { "device": "warm", "values": { "t": t } }';
/** Expressions are evaluated in processes that start when they are needed. */
const PATIENT = { timeout: 20_000 };

test('the ledger counts messages that the expression skips, and balances', async () => {
  const id = await create('Filtering', WARM_ONLY);
  for (const t of [1, -1, -2]) await send(id, { t });
  openPage(service, `/pipelines/${id}`);
  const ledger = await screen.findByRole('region', { name: 'Ledger' });
  expect(
    await within(ledger).findByText('received 3 = delivered 1 + pending 0 + rejected 0 + skipped 2'),
  ).toBeTruthy();
  const skipped = within(ledger).getByText('Skipped').closest('div')!;
  expect(within(skipped).getByText('2')).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Overwritten samples' })).toBeNull();
  expect(await screen.findByText('No rejections')).toBeTruthy();
});

test('a preview says that the expression skips the message', async () => {
  const { user } = openPage(service, `/pipelines/${await create('Previewed', WARM_ONLY)}/edit?step=format`);
  const message = await screen.findByRole('textbox', { name: /^Message/ });
  await user.click(message);
  await user.paste('{"t": -1}');
  expect(await screen.findByText('Skipped by the expression', undefined, PATIENT)).toBeTruthy();
  expect(screen.queryByText('Would be rejected')).toBeNull();
});

test('a preview names the tool of a message without samples', async () => {
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name: 'Zigbee', type: 'mqtt', interval: 10, destination: 'telemetry' },
  });
  const { user } = openPage(service, `/pipelines/${body.id}/edit?step=format`);
  await user.click(await screen.findByRole('textbox', { name: /^Message/ }));
  await user.paste('{"state": "online"}');
  await fill(user, screen.getByRole('textbox', { name: /^Published to/ }), 'zigbee2mqtt/bridge/state');
  expect(await screen.findByText('Zigbee2MQTT', undefined, PATIENT)).toBeTruthy();
  expect(screen.getByText('This message has no samples. Nothing is stored or rejected')).toBeTruthy();
});

test('a replay says how many messages the expression would skip, and skips them', async () => {
  const id = await create('Replayed', '$error("not yet")');
  for (const t of [1, -1]) await send(id, { t });
  await service.request('PATCH', `/v1/pipelines/${id}`, { body: { mapping: { expression: WARM_ONLY } } });
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('button', { name: 'Replay all…' }));
  const dialog = await screen.findByRole('dialog');
  expect(await within(dialog).findByText('1 message would be skipped', undefined, PATIENT)).toBeTruthy();
  await user.click(within(dialog).getByRole('button', { name: 'Replay' }));
  expect(await screen.findByText('Replayed 1 sample, 1 message skipped', undefined, PATIENT)).toBeTruthy();
});

test('overwritten samples are listed by device and metric, and updated live', async () => {
  const id = await create('Repeating');
  for (const n of [20, 21]) await write(id, n);
  openPage(service, `/pipelines/${id}`);
  const ledger = await screen.findByRole('region', { name: 'Ledger' });
  expect(await within(ledger).findByText('1 of them overwrote an earlier sample')).toBeTruthy();
  const panel = await screen.findByRole('region', { name: 'Overwritten samples' });
  const [entry] = await within(panel).findAllByRole('listitem');
  expect(entry?.textContent).toMatch(/^repeats n1 sample, .*20 → 21 at /);
  expect(within(entry!).getByRole('link', { name: 'repeats' }).getAttribute('href')).toMatch(
    /^\/devices\/dev_/,
  );
  await screen.findByText('Live');
  await write(id, 22);
  expect(await within(panel).findByText(/^2 samples/, undefined, PATIENT)).toBeTruthy();
  expect(within(panel).getByText(/21/)).toBeTruthy();
});

test('overwritten samples of a deleted device stay counted', async () => {
  const id = await create('Left');
  for (const n of [1, 2]) await write(id, n);
  const { body } = await service.request('GET', `/v1/pipelines/${id}/overwrites`);
  await service.request('DELETE', `/v1/devices/${body.data[0].device}`);
  openPage(service, `/pipelines/${id}`);
  const panel = await screen.findByRole('region', { name: 'Overwritten samples' });
  expect(await within(panel).findByText(/were deleted\. The ledger still counts the samples/)).toBeTruthy();
});

test('the ledger says that it counts after replays, which can make it shrink', async () => {
  const id = await create('Shrinking');
  const at = `/v1/pipelines/${id}`;
  await send(id, { a: 1, b: 2, c: 3 });
  const receivedOf = async () => (await service.request('GET', at)).body.ledger.received;
  expect(await receivedOf()).toBe(3);
  const mapping = { format: 'expression', expression: '{ "device": "d-1", "values": { "a": a } }' };
  await service.request('PATCH', at, { body: { mapping } });
  await service.request('POST', `${at}/rejections/replay`, { body: { all: true } });
  expect(await receivedOf()).toBe(1);
  openPage(service, `/pipelines/${id}`);
  const ledger = within(await screen.findByRole('region', { name: 'Ledger' }));
  expect(ledger.getByText('received').previousElementSibling?.textContent).toBe('1');
  expect(ledger.getByText('Samples since creation, after replays')).toBeTruthy();
});
