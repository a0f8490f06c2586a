import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startFaultyReceiver, type FaultyReceiver } from './faulty-receiver.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const PATIENT = { timeout: 20_000, interval: 50 };

let service: TestService;
let receiver: FaultyReceiver;
let number = 0;

const start = async (env: Record<string, string> = {}) => {
  receiver = await startFaultyReceiver();
  service = await startTestService({
    env: { ALLOWED_NETWORKS: '127.0.0.0/8', ...env },
    timeouts: { deliverMs: 500 },
  });
};
beforeEach(() => start());
afterEach(async () => {
  receiver.how = 'fine';
  await service.close();
  await receiver.close();
});

const createDestination = async (options: Record<string, unknown> = {}, url = receiver.url) => {
  number += 1;
  const { status, body } = await service.request('POST', '/v1/destinations', {
    body: { name: `Receiver ${number}`, type: 'webhook', url, options },
  });
  expect(status).toBe(201);
  return body;
};
const createPipeline = async (destination: string, interval = 1) => {
  number += 1;
  const { status, body } = await service.request('POST', '/v1/pipelines', {
    body: { name: `To a receiver ${number}`, type: 'http', interval, destination },
  });
  expect(status).toBe(201);
  return body;
};
const send = (id: string, body: unknown) => service.request('POST', `/v1/pipelines/${id}/messages`, { body });
const read = async (id: string) => (await service.request('GET', `/v1/pipelines/${id}`)).body;
const ledgerOf = async (id: string) => {
  const { ledger } = await read(id);
  expect(ledger.received).toBe(ledger.delivered + ledger.pending + ledger.rejected);
  return ledger;
};
const readDestination = async (id: string) => (await service.request('GET', `/v1/destinations/${id}`)).body;

/** One message of one value. */
const reading = (device: string, n: number) => ({
  samples: [{ device, ts: 1_700_000_000_000 + n * 1_000, values: { n } }],
});
const numbersOf = (device: string): unknown[] =>
  receiver.samples.filter((sample) => sample.device === device).map(({ values }) => values['n']);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

test('samples are on disk before the response, and delivered within the interval', async () => {
  const { name } = await createDestination();
  const { id } = await createPipeline(name, 2);
  receiver.how = 'hangs';
  for (const n of upTo(5)) expect((await send(id, reading('boiler', n))).status).toBe(202);
  expect(await ledgerOf(id)).toMatchObject({ received: 5, delivered: 0, pending: 5, rejected: 0 });
  expect((await read(id)).spool).toMatchObject({ bytes: expect.any(Number), oldestAt: expect.any(String) });
  receiver.how = 'fine';
  await vi.waitFor(() => expect(numbersOf('boiler')).toEqual(upTo(5)), PATIENT);
  await vi.waitFor(
    async () =>
      expect(await ledgerOf(id)).toMatchObject({ received: 5, delivered: 5, pending: 0, rejected: 0 }),
    PATIENT,
  );
  expect((await read(id)).spool).toMatchObject({ bytes: 0, oldestAt: null });
  expect(receiver.samples[0]).toEqual({ device: 'boiler', ts: '2023-11-14T22:13:20.000Z', values: { n: 0 } });
  const { body } = await service.request('GET', '/v1/telemetry/latest?device=boiler');
  expect(body.data, 'nothing of it is in the built-in store').toEqual([]);
  const { body: devices } = await service.request('GET', '/v1/devices?q=boiler');
  expect(devices.data[0]).toMatchObject({ externalId: 'boiler', state: 'online' });
});

test('samples are accepted while the built-in store does not answer', async () => {
  const { name } = await createDestination();
  const [{ id }, stored] = [await createPipeline(name), await createPipeline('telemetry')];
  const { telemetry } = service.service.parts;
  const writeBatch = telemetry.write.bind(telemetry);
  const { promise: answer, resolve: letAnswer } = Promise.withResolvers<void>();
  const write = vi.spyOn(telemetry, 'write').mockImplementation(async (batch) => {
    await answer;
    return writeBatch(batch);
  });
  // A large message is written in slices.
  const large = { samples: upTo(1_000).flatMap((n) => reading('tank', n).samples) };
  const waiting = Promise.all([send(stored.id, reading('boiler', 0)), send(stored.id, large)]);
  await vi.waitFor(() => expect(write).toHaveBeenCalledTimes(2), PATIENT);
  for (const body of [reading('boiler', 0), large]) expect((await send(id, body)).status).toBe(202);
  await vi.waitFor(() => expect(numbersOf('boiler')).toEqual([0]), PATIENT);
  await vi.waitFor(() => expect(numbersOf('tank')).toEqual(upTo(1_000)), PATIENT);
  expect(await ledgerOf(stored.id)).toMatchObject({ received: 0 });
  letAnswer();
  expect(await waiting).toMatchObject([{ body: { received: 1 } }, { body: { received: 1_000 } }]);
});

test('a full batch does not wait for the interval', async () => {
  const { name } = await createDestination({ batchSize: 10 });
  const { id } = await createPipeline(name, 86_400);
  for (const n of upTo(9)) await send(id, reading('pump', n));
  expect(receiver.calls).toBe(0);
  await send(id, reading('pump', 9));
  await vi.waitFor(() => expect(numbersOf('pump')).toEqual(upTo(10)), PATIENT);
  expect(receiver.calls).toBe(1);
});

test('a sample that the destination rejects is rejected alone, and can be replayed', async () => {
  const { name } = await createDestination();
  const { id } = await createPipeline(name);
  receiver.judge = (samples) => (samples.some(({ values }) => values['n'] === 7) ? 422 : undefined);
  for (const n of upTo(20)) await send(id, reading('boiler', n));
  await vi.waitFor(
    async () =>
      expect(await ledgerOf(id)).toMatchObject({ received: 20, delivered: 19, pending: 0, rejected: 1 }),
    PATIENT,
  );
  expect(numbersOf('boiler')).toEqual(upTo(20).filter((n) => n !== 7));
  const { body } = await service.request('GET', `/v1/pipelines/${id}/rejections`);
  expect(body.data).toMatchObject([{ reason: 'destination-refused', samples: 1 }]);
  expect(JSON.parse(body.data[0].message)).toMatchObject({
    samples: [{ device: 'boiler', values: { n: 7 } }],
  });
  receiver.judge = () => undefined;
  const replayed = await service.request('POST', `/v1/pipelines/${id}/rejections/replay`, {
    body: { all: true },
  });
  expect(replayed.body).toMatchObject({ replayed: 1, rejected: 0 });
  await vi.waitFor(() => expect(numbersOf('boiler').at(-1)).toBe(7), PATIENT);
  await vi.waitFor(
    async () =>
      expect(await ledgerOf(id)).toMatchObject({ received: 20, delivered: 20, pending: 0, rejected: 0 }),
    PATIENT,
  );
});

test('a destination that rejects all of many samples is blocked, and the samples stay pending', async () => {
  const destination = await createDestination();
  const { id } = await createPipeline(destination.name);
  receiver.judge = () => 422;
  // In one message, so that one delivery has all of them, however slow the machine is.
  await send(id, { samples: upTo(30).flatMap((n) => reading('boiler', n).samples) });
  await vi.waitFor(async () => {
    expect(await read(id)).toMatchObject({ state: 'failed' });
    expect(await readDestination(destination.id)).toMatchObject({ state: 'blocked' });
  }, PATIENT);
  expect(await ledgerOf(id)).toMatchObject({ received: 30, delivered: 0, pending: 30, rejected: 0 });
  receiver.judge = () => undefined;
  await service.request('POST', `/v1/destinations/${destination.id}/test`);
  await vi.waitFor(() => expect(numbersOf('boiler')).toEqual(upTo(30)), PATIENT);
});

test('a destination that rejects the credentials fails its pipelines until it is fixed', async () => {
  const destination = await createDestination();
  const { id } = await createPipeline(destination.name);
  receiver.judge = () => 401;
  for (const n of upTo(3)) await send(id, reading('boiler', n));
  await vi.waitFor(async () => {
    expect(await read(id)).toMatchObject({ state: 'failed' });
    expect(await readDestination(destination.id)).toMatchObject({ state: 'blocked' });
  }, PATIENT);
  expect((await send(id, reading('boiler', 3))).status, 'it goes on taking').toBe(202);
  receiver.judge = () => undefined;
  const change = { options: { headers: { authorization: 'Bearer right' } } };
  await service.request('PATCH', `/v1/destinations/${destination.id}`, { body: change });
  await vi.waitFor(() => expect(numbersOf('boiler')).toEqual(upTo(4)), PATIENT);
  await vi.waitFor(async () => expect((await read(id)).state).not.toBe('failed'), PATIENT);
});

test('pending samples survive a restart and are sent again with the same ID', async () => {
  const { name } = await createDestination();
  const { id } = await createPipeline(name);
  receiver.how = 'drips';
  // One message, so that one delivery has all of it.
  await send(id, { samples: upTo(10).flatMap((n) => reading('boiler', n).samples) });
  await vi.waitFor(() => expect(receiver.calls).toBeGreaterThan(0), PATIENT);
  await service.restart(() => {
    receiver.how = 'fine';
  });
  await vi.waitFor(
    async () => expect(await ledgerOf(id)).toMatchObject({ delivered: 10, pending: 0 }),
    PATIENT,
  );
  expect(numbersOf('boiler')).toEqual(upTo(10));
  expect(receiver.ids.size).toBe(1);
});

test('a pipeline with pending samples is only deleted with discard', async () => {
  const { name } = await createDestination();
  const { id } = await createPipeline(name);
  receiver.how = 'refuses';
  await send(id, reading('boiler', 0));
  expect((await service.request('DELETE', `/v1/pipelines/${id}`)).status).toBe(409);
  expect((await service.request('DELETE', `/v1/pipelines/${id}?discard=true`)).status).toBe(204);
  expect(await service.service.parts.db.selectFrom('spool_batch').selectAll().execute()).toEqual([]);
});

test('pending samples go to the new destination of the pipeline, including the built-in store', async () => {
  const { name } = await createDestination();
  const { id } = await createPipeline(name);
  receiver.how = 'refuses';
  for (const n of upTo(5)) await send(id, reading('boiler', n));
  await service.request('PATCH', `/v1/pipelines/${id}`, { body: { destination: 'telemetry' } });
  await vi.waitFor(
    async () => expect(await ledgerOf(id)).toMatchObject({ delivered: 5, pending: 0 }),
    PATIENT,
  );
  const { body } = await service.request('GET', '/v1/telemetry/latest?device=boiler');
  expect(body.data).toMatchObject([{ metric: 'n', value: 4 }]);
  expect((await read(id)).spool).toBeNull();
});

test('a paused pipeline rejects messages, and pending samples are still delivered', async () => {
  const { name } = await createDestination();
  const { id } = await createPipeline(name);
  receiver.how = 'refuses';
  for (const n of upTo(5)) await send(id, reading('boiler', n));
  await service.request('PATCH', `/v1/pipelines/${id}`, { body: { enabled: false } });
  receiver.how = 'fine';
  await vi.waitFor(() => expect(numbersOf('boiler')).toEqual(upTo(5)), PATIENT);
});
