import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const create = async (name: string): Promise<string> =>
  (
    await service.request('POST', '/v1/pipelines', {
      body: { name, type: 'http', interval: 10, destination: 'telemetry' },
    })
  ).body.id;
const sendGarbage = (id: string) =>
  service.request('POST', `/v1/pipelines/${id}/messages`, { body: { device: 'd', values: { a: {} } } });
const stateOf = async (id: string) => (await service.request('GET', `/v1/pipelines/${id}`)).body.state;
const soon = (expectation: () => void | Promise<void>) => vi.waitFor(expectation, 20_000);

test.each([
  ['paused', 0],
  ['draft', 1],
])('a pipeline that was just set to %s is not evaluated any more', async (state, enabled) => {
  const { db } = service.service.parts;
  // Pipelines are evaluated in the order that they were started in.
  const [changed, after] = [await create(`Changed to ${state}`), await create(`After ${state}`)];
  // A committed change that the runner has not applied yet.
  await db.updateTable('pipeline').set({ state, enabled }).where('id', '=', changed).execute();
  await sendGarbage(changed);
  await sendGarbage(after);
  await soon(async () => expect(await stateOf(after)).toBe('degraded'));
  expect(await stateOf(changed)).toBe(state);
  const { body } = await service.request('GET', `/v1/events?subject=${changed}&type=pipeline.state-changed`);
  expect(body.data).toEqual([]);
});

test('a state that could not be written is written when writes succeed again', async () => {
  const { db, log } = service.service.parts;
  const id = await create('Refused');
  const error = vi.spyOn(log, 'error');
  // Its event is written with it, or neither.
  await sql`alter table event rename to event_away`.execute(db);
  await sendGarbage(id);
  await soon(() => expect(error).toHaveBeenCalled());
  error.mockRestore();
  await sql`alter table event_away rename to event`.execute(db);
  await soon(async () => expect(await stateOf(id)).toBe('degraded'));
});

test('the numbers of its reason follow further messages without another event', async () => {
  const id = await create('Followed');
  await sendGarbage(id);
  const detailOf = async () =>
    (await service.request('GET', `/v1/pipelines/${id}`)).body.stateReason?.detail ?? '';
  await soon(async () => expect(await detailOf()).toMatch(/^1 of 1 samples/));
  for (const n of [1, 2, 3])
    await service.request('POST', `/v1/pipelines/${id}/messages`, { body: { device: 'd', values: { n } } });
  await soon(async () => expect(await detailOf()).toMatch(/^1 of 4 samples/));
  const { body } = await service.request('GET', `/v1/events?subject=${id}&type=pipeline.state-changed`);
  expect(body.data).toHaveLength(1);
});

test('a changed mapping ends the state that the previous mapping caused', async () => {
  const id = await create('Fixed');
  await sendGarbage(id);
  await soon(async () => expect(await stateOf(id)).toBe('degraded'));
  const { body } = await service.request('PATCH', `/v1/pipelines/${id}`, {
    body: { mapping: { format: 'expression', expression: '{ "device": "d", "values": { "a": 1 } }' } },
  });
  expect([body.state, body.stateReason]).toEqual(['running', null]);
});

test('a new name does not', async () => {
  const id = await create('Unnamed');
  await sendGarbage(id);
  await soon(async () => expect(await stateOf(id)).toBe('degraded'));
  const { body } = await service.request('PATCH', `/v1/pipelines/${id}`, { body: { name: 'Renamed' } });
  expect([body.state, body.stateReason?.code]).toEqual(['degraded', 'rejections']);
});
