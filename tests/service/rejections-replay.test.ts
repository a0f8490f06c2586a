import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let id: string;
let number = 0;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  id = await createPipeline({});
});

const createPipeline = async (more: Record<string, unknown>): Promise<string> => {
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name: `Replay ${++number}`, type: 'http', interval: 10, destination: 'telemetry', ...more },
  });
  return body.id;
};
const send = (body: unknown, query = '', more = {}) =>
  service.request('POST', `/v1/pipelines/${id}/messages${query}`, { body, ...more });
const change = (body: unknown) => service.request('PATCH', `/v1/pipelines/${id}`, { body });
const replay = async (body: unknown, of = id) =>
  service.request('POST', `/v1/pipelines/${of}/rejections/replay`, { body });
const ledger = async () => (await service.request('GET', `/v1/pipelines/${id}`)).body.ledger;
const rejections = async () => (await service.request('GET', `/v1/pipelines/${id}/rejections`)).body.data;
const register = (externalId: string) =>
  service.request('POST', '/v1/devices', { body: { name: externalId, externalId } });
const samples = async (device: string, metric: string): Promise<{ ts: number; value: unknown }[]> => {
  const { body } = await service.request('POST', '/v1/telemetry/query', {
    body: { devices: [device], metrics: [metric], from: '-1h', to: '+1h' },
  });
  return body.series.flatMap(({ ts, value }: { ts: number[]; value: unknown[] }) =>
    ts.map((at, index) => ({ ts: at, value: value[index] })),
  );
};
const expression = (text: string) => ({ mapping: { format: 'expression', expression: text } });

describe('a replay', () => {
  test('delivers samples of an unknown device after its registration, with their time of receipt', async () => {
    id = await createPipeline({ config: { onUnknownDevice: 'reject' } });
    await send({ device: 'late-comer', values: { a: 1, b: 2 } });
    const [{ at }] = await rejections();
    await register('late-comer');
    expect(await replay({ all: true })).toMatchObject({ status: 200, body: { replayed: 2, rejected: 0 } });
    const { body } = await service.request('GET', '/v1/telemetry/latest?device=late-comer');
    expect(body.data).toMatchObject([
      { metric: 'a', value: 1, ts: Date.parse(at) },
      { metric: 'b', value: 2, ts: Date.parse(at) },
    ]);
    expect(await ledger()).toMatchObject({ received: 2, delivered: 2, pending: 0, rejected: 0 });
    expect(await rejections()).toEqual([]);
    await service.service.parts.presence.flush();
    const devices = await service.request('GET', '/v1/devices?q=late-comer');
    expect(devices.body.data, 'no device was seen').toMatchObject([
      { state: 'never-seen', lastSeenAt: null },
    ]);
  });

  test('for one reason leaves other rejections unchanged', async () => {
    id = await createPipeline({ config: { onUnknownDevice: 'reject' } });
    await send({ device: 'by-cause', values: { a: 1 } });
    await send('this is no message');
    await register('by-cause');
    expect(await replay({ reason: 'unknown-device' })).toMatchObject({ body: { replayed: 1, rejected: 0 } });
    expect(await rejections()).toMatchObject([{ reason: 'not-json', attempts: 1 }]);
    expect(await ledger()).toMatchObject({ received: 2, delivered: 1, pending: 0, rejected: 1 });
    expect((await replay({ reason: 'not-json', all: true })).status).toBe(422);
  });

  test('does not repeat delivered samples, and can be repeated', async () => {
    await send({ device: 'mixed', values: { temp: 21 } });
    await send({ device: 'mixed', values: { temp: 'warm', fine: 2 } });
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 0, rejected: 1 });
    expect(await rejections()).toMatchObject([{ reason: 'kind-mismatch', attempts: 2, samples: 1 }]);
    await change(expression('{ "device": device, "values": values ~> |$|{ "temp.text": temp }, "temp"| }'));
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 1, rejected: 0 });
    expect(await samples('mixed', 'fine')).toHaveLength(1);
    expect(await samples('mixed', 'temp.text')).toMatchObject([{ value: 'warm' }]);
    expect(await ledger()).toMatchObject({ received: 3, delivered: 3, pending: 0, rejected: 0 });
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 0, rejected: 0 });
    expect(await ledger()).toMatchObject({ received: 3, delivered: 3, pending: 0, rejected: 0 });
  });

  test('counts the samples of a previously unreadable message', async () => {
    await send('21;55;7', '', { headers: { 'content-type': 'text/plain' } });
    expect(await ledger()).toMatchObject({ received: 1, rejected: 1 });
    await change(
      expression(
        '{ "device": "csv", "values": { "a": $number($split($, ";")[0]), "b": $number($split($, ";")[1]), "a b": 1 } }',
      ),
    );
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 2, rejected: 1 });
    expect(await ledger()).toMatchObject({ received: 3, delivered: 2, pending: 0, rejected: 1 });
    expect(await rejections()).toMatchObject([{ reason: 'invalid-metric', attempts: 2, samples: 1 }]);
  });

  test('assigns samples without a device to the device of the current config, or of the sender', async () => {
    await send({ a: 1 });
    await send('b=1', '?device=by-query', { headers: { 'content-type': 'text/plain' } });
    await change({
      config: { device: 'by-config' },
      ...expression('$type($) = "string" ? { "values": { "b": 1 } } : { "values": $ }'),
    });
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 2, rejected: 0 });
    expect(await samples('by-config', 'a')).toHaveLength(1);
    expect(await samples('by-query', 'b')).toHaveLength(1);
  });

  test('of one rejection replays its whole message and no other', async () => {
    id = await createPipeline({ config: { onUnknownDevice: 'reject' } });
    await send({
      samples: [
        { device: 'not-yet', values: { a: 1, b: 2 } },
        { device: 'a b', values: { c: 3 } },
      ],
    });
    await send({ device: 'not-yet', values: { d: 4 } });
    await register('not-yet');
    const chosen = (await rejections()).find(({ reason }: { reason: string }) => reason === 'invalid-device');
    expect((await replay({ ids: [chosen.id] })).body).toMatchObject({ replayed: 2, rejected: 1 });
    expect(await ledger()).toMatchObject({ received: 4, delivered: 2, pending: 0, rejected: 2 });
    expect(await samples('not-yet', 'd')).toEqual([]);
    expect(await rejections()).toHaveLength(2);
  });

  test('ignores rejections of other pipelines', async () => {
    await send('nonsense');
    const ids = (await rejections()).map(({ id: own }: { id: string }) => own);
    const other = await createPipeline({});
    expect(await replay({ ids }, other)).toMatchObject({ status: 200, body: { replayed: 0, rejected: 0 } });
    expect(await rejections()).toMatchObject([{ attempts: 1 }]);
  });

  test('of all rejections runs oldest first, and the ledger balances while messages arrive', async () => {
    id = await createPipeline({ config: { onUnknownDevice: 'reject' } });
    const ts = Date.now() - 60_000;
    for (let from = 0; from < 300; from += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          send({ device: 'many', values: { a: from + index, [`m${from + index}`]: 1 } }),
        ),
      );
    // Both have the same timestamp, so the later message is stored.
    await send({ device: 'many', ts, values: { order: 1 } });
    await send({ device: 'many', ts, values: { order: 2 } });
    expect(await ledger()).toMatchObject({ received: 602, delivered: 0, pending: 0, rejected: 602 });
    await register('many');
    const watched = { isDone: false };
    const watch = async () => {
      for (let index = 0; !watched.isDone; index++) {
        await send({ device: 'many', values: { live: index } });
        const { received, delivered, pending, rejected } = await ledger();
        expect(received).toBe(delivered + pending + rejected);
      }
    };
    const watching = watch();
    const [first, second] = await Promise.all([replay({ all: true }), replay({ all: true })]);
    watched.isDone = true;
    await watching;
    expect([first.body, second.body]).toEqual(
      expect.arrayContaining([
        { replayed: 602, rejected: 0, skipped: 0 },
        { replayed: 0, rejected: 0, skipped: 0 },
      ]),
    );
    const { received, delivered, rejected } = await ledger();
    expect([delivered, rejected]).toEqual([received, 0]);
    expect(await samples('many', 'order')).toMatchObject([{ value: 2 }]);
  });

  test('keeps each value without a timestamp that arrived within one millisecond', async () => {
    const nowMs = service.service.parts.now();
    id = await createPipeline({ config: { onUnknownDevice: 'reject' } });
    for (const burst of [0, 1, 2]) await send({ device: 'burst', values: { burst } });
    await service.service.parts.db
      .updateTable('rejection')
      .set({ at: nowMs })
      .where('pipeline_id', '=', id)
      .execute();
    await register('burst');
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 3, rejected: 0 });
    expect(await samples('burst', 'burst')).toEqual([
      { ts: nowMs, value: 0 },
      { ts: nowMs + 1, value: 1 },
      { ts: nowMs + 2, value: 2 },
    ]);
  });

  test('of a partly stored message gives its samples without a timestamp the same times again', async () => {
    id = await createPipeline({ config: { device: 'parted' } });
    await send([{ t: 1 }, { t: 2 }, { t: null }]);
    const before = await samples('parted', 't');
    expect(before).toMatchObject([{ value: 1 }, { value: 2 }]);
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 0, rejected: 1 });
    expect(await samples('parted', 't')).toEqual(before);
    expect(await ledger()).toMatchObject({ received: 3, delivered: 2, rejected: 1, overwritten: 0 });
  });

  test('reads the whole message even if the rejection shows only its beginning', async () => {
    id = await createPipeline({ config: { onUnknownDevice: 'reject' } });
    const metrics = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`m${n}`, 'x'.repeat(900)]));
    await send({ device: 'long', values: metrics });
    const [{ message }] = await rejections();
    expect(message.length).toBe(65_536);
    await register('long');
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 100, rejected: 0 });
    expect(await ledger()).toMatchObject({ received: 100, delivered: 100, pending: 0, rejected: 0 });
    const kept = await service.service.parts.db.selectFrom('whole_message').select('message_id').execute();
    expect(kept, 'what was taken is not kept any longer').toEqual([]);
  });

  test('leaves a message unchanged that is no longer stored whole', async () => {
    await send(`{ "device": "long", "x": ${'1'.repeat(70_000)}`);
    await service.service.parts.db.deleteFrom('whole_message').execute();
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 0, rejected: 1 });
    expect(await rejections()).toMatchObject([{ attempts: 1, reason: 'not-json' }]);
  });

  test('does not give the sender access to devices beyond its key', async () => {
    await register('foreign');
    const own = (await register('own')).body.id;
    const { secret } = await service.mintKey(['telemetry:write'], { devices: [own] });
    await service.request('POST', `/v1/pipelines/${id}/messages`, {
      body: { device: 'foreign', values: { a: 1 } },
      token: secret,
    });
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 0, rejected: 1 });
    expect(await samples('foreign', 'a')).toEqual([]);
  });

  test('counts samples that were stored before the ledger could be written', async () => {
    id = await createPipeline({ config: { onUnknownDevice: 'reject' } });
    await send({ device: 'cut-off', values: { a: 1 } });
    const [{ at }] = await rejections();
    await register('cut-off');
    await service.request('POST', '/v1/telemetry', {
      body: { samples: [{ device: 'cut-off', ts: at, values: { a: 1 } }] },
    });
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 1, rejected: 0 });
    expect(await samples('cut-off', 'a')).toHaveLength(1);
    expect(await ledger()).toMatchObject({ received: 1, delivered: 1, pending: 0, rejected: 0 });
  });

  test('works while the pipeline is paused, and records an event', async () => {
    await send('nonsense');
    await change({ enabled: false });
    expect((await replay({ all: true })).body).toMatchObject({ replayed: 0, rejected: 1 });
    const { body } = await service.request('GET', `/v1/events?type=pipeline.replayed&subject=${id}`);
    expect(body.data).toMatchObject([{ data: { replayed: 0, rejected: 1 } }]);
  });

  test('of a draft or an empty choice is rejected', async () => {
    await change({ type: 'opc' });
    expect(await replay({ all: true })).toMatchObject({ status: 409, body: { code: 'invalid-state' } });
    for (const body of [{}, { all: false }, { all: true, ids: [`rej_${'0'.repeat(26)}`] }, { ids: [] }])
      expect(await replay(body)).toMatchObject({ status: 422, body: { code: 'validation-failed' } });
  });
});
