import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventType, ListedEvent } from '#contract/events.ts';
import type { NewEvent } from '#service/events/event-store.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** The start of a minute, one for each test. */
const minutes = [0, 1, 2, 3, 4, 5, 6, 7].map((hour) => Date.parse('2026-11-20T00:00:00Z') + hour * 3_600_000);

const happened = (type: EventType, count: number, at: number): NewEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    type,
    subject: { type: 'device', id: `dev_${index}`, name: `Device ${index}` },
    actor: null,
    at: at + index,
  }));
const record = (...events: NewEvent[]) =>
  service.service.parts.transact((_, recordEvents) => recordEvents(...events));
const list = async (from: number, query = ''): Promise<{ data: ListedEvent[]; nextCursor: string | null }> =>
  (await service.request('GET', `/v1/events?collapse=true&from=${from}&to=${from + 600_000}${query}`)).body;
/** “667 device.late”, or “device.late” for an event on its own. */
const shown = (events: readonly ListedEvent[]) =>
  events.map(({ type, run }) => (run === undefined ? type : `${run.count} ${type}`));

test('devices that change to one state in a minute are one entry, with their number and range', async () => {
  const at = minutes[0]!;
  await record(
    ...happened('device.late', 667, at),
    ...happened('telemetry.deleted', 6, at + 1_000),
    ...happened('device.offline', 4, at + 2_000),
    ...happened('device.offline', 5, at + 60_000),
  );
  const { data, nextCursor } = await list(at);
  expect(shown(data)).toEqual([
    '5 device.offline',
    ...Array.from({ length: 4 }, () => 'device.offline'),
    ...Array.from({ length: 6 }, () => 'telemetry.deleted'),
    '667 device.late',
  ]);
  expect(nextCursor).toBeNull();
  expect(data.at(-1)).toMatchObject({
    subject: { name: 'Device 666' },
    run: { firstAt: new Date(at).toISOString(), lastAt: new Date(at + 666).toISOString() },
  });
});

test('devices that come online as they are registered are two entries, and those of another actor a third', async () => {
  const at = minutes[4]!;
  const actor = (id: string) => ({ type: 'api-key', id, name: id });
  const registered = (id: string, count: number, from: number) =>
    happened('device.registered', count, from).map((event) => ({ ...event, actor: actor(id) }));
  const mixed = registered('key_1', 30, at).flatMap((event, index) => [
    event,
    ...happened('device.online', 1, at + index).map((online) => ({ ...online, subject: event.subject })),
  ]);
  await record(...mixed, ...registered('key_2', 6, at + 100), ...registered('key_3', 2, at + 200));
  const expected = [
    'device.registered',
    'device.registered',
    '6 device.registered',
    '30 device.online',
    '30 device.registered',
  ];
  const { data } = await list(at);
  expect(shown(data)).toEqual(expected);
  expect(data[4]).toMatchObject({ actor: actor('key_1'), run: { firstAt: new Date(at).toISOString() } });
  // A page that ends where they are mixed leaves the others to the next one.
  const first = await list(at, '&limit=4');
  const second = await list(at, `&limit=4&cursor=${first.nextCursor}`);
  expect(shown(first.data)).toEqual([...expected.slice(0, 3), 'device.online']);
  expect(shown(second.data)).toEqual(['30 device.registered', '29 device.online']);
});

test('devices whose same fields somebody changes at once are one entry', async () => {
  const at = minutes[6]!;
  const ada = { type: 'session', id: 'ses_1', name: 'Ada' };
  const changed = (type: EventType, count: number, from: number, data: NewEvent['data'] = {}) =>
    happened(type, count, from).map((event) => ({ ...event, actor: ada, data }));
  await record(
    ...changed('device.updated', 400, at, { fields: ['tags'] }),
    ...changed('device.updated', 5, at + 500, { fields: ['type', 'tags'] }),
    ...changed('device.updated', 5, at + 600, { fields: ['unit'], metric: 'flow' }),
    ...changed('device.deleted', 300, at + 1_000),
    ...changed('device.restored', 300, at + 2_000),
  );
  const { data } = await list(at);
  expect(shown(data)).toEqual([
    '300 device.restored',
    '300 device.deleted',
    ...Array.from({ length: 5 }, () => 'device.updated'),
    '5 device.updated',
    '400 device.updated',
  ]);
  expect(data.at(-1)).toMatchObject({ actor: ada, data: { fields: ['tags'] } });
});

test('a device that is changed several times has an entry for each change', async () => {
  const at = minutes[7]!;
  const changes = [0, 1, 2, 3, 4, 5].flatMap((second) => happened('device.updated', 1, at + second * 1_000));
  await record(...changes, ...happened('device.updated', 20, at + 10_000));
  expect(shown((await list(at)).data)).toEqual([
    '20 device.updated',
    ...Array.from({ length: 6 }, () => 'device.updated'),
  ]);
});

test('an event of another kind ends a run', async () => {
  const at = minutes[5]!;
  await record(
    ...happened('device.late', 5, at),
    ...happened('telemetry.deleted', 1, at + 1_000),
    ...happened('device.late', 6, at + 2_000),
  );
  expect(shown((await list(at)).data)).toEqual(['6 device.late', 'telemetry.deleted', '5 device.late']);
});

test('without collapse each event is an entry', async () => {
  const at = minutes[1]!;
  await record(...happened('device.late', 6, at));
  const { body } = await service.request('GET', `/v1/events?from=${at}&to=${at + 60_000}`);
  expect(shown(body.data)).toEqual(Array.from({ length: 6 }, () => 'device.late'));
});

test.each(['from', 'to'])('an empty %s is an error, not the whole range', async (end) => {
  const { status, body } = await service.request('GET', `/v1/events?${end}=`);
  expect([status, body.code]).toEqual([400, 'invalid-parameter']);
  expect(body.errors).toMatchObject([{ parameter: end }]);
});

test('an empty subject matches no event', async () => {
  const { body } = await service.request('GET', '/v1/events?subject=');
  expect(body.data).toEqual([]);
});

test('a page has as many entries as asked for, and the next one continues after them', async () => {
  const at = minutes[2]!;
  await record(
    ...happened('device.online', 3, at),
    ...happened('device.late', 20, at + 1_000),
    ...happened('device.offline', 7, at + 2_000),
  );
  for (const sort of ['', '&sort=at']) {
    const first = await list(at, `&limit=3${sort}`);
    const second = await list(at, `&limit=3${sort}&cursor=${first.nextCursor}`);
    const all = [...shown(first.data), ...shown(second.data)];
    const expected = [
      '7 device.offline',
      '20 device.late',
      'device.online',
      'device.online',
      'device.online',
    ];
    expect(all).toEqual(sort === '' ? expected : expected.toReversed());
    expect([first.data.length, second.nextCursor]).toEqual([3, null]);
  }
});

test('a run of thousands of events continues on the next page', async () => {
  const at = minutes[3]!;
  await record(...happened('device.offline', 4_500, at));
  const first = await list(at);
  expect(shown(first.data)).toEqual(['4000 device.offline']);
  const second = await list(at, `&cursor=${first.nextCursor}`);
  expect(shown(second.data)).toEqual(['500 device.offline']);
  expect(second.nextCursor).toBeNull();
});
