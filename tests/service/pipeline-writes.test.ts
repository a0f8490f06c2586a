import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ReadInto } from '#service/pipelines/formats/message-writer.ts';
import { readMessage } from '#service/pipelines/formats/read-message.ts';
import { createDeviceMessageCache } from '#service/pipelines/ingest/device-message-cache.ts';
import { createRejectingDevices } from '#service/pipelines/ingest/rejecting-devices.ts';
import { createIntake } from '#service/pipelines/ingest/intake.ts';
import type { Message } from '#service/pipelines/formats/message.ts';
import type { Outcome } from '#service/pipelines/ingest/message-work.ts';
import { storeMessages } from '#service/pipelines/ingest/store-messages.ts';
import type { Channel, Submission } from '#service/pipelines/ingest/submission.ts';
import { trimRejections } from '#service/pipelines/rejections/rejection-store.ts';
import { defaultTimeRule } from '#service/telemetry/write/sample-time.ts';
import { StoreBusy } from '#service/platform/storage/store-errors.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let channel: Channel;
beforeAll(async () => {
  service = await startTestService();
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name: 'Writes', type: 'http', interval: 10, destination: 'telemetry' },
  });
  channel = {
    id: body.id,
    name: body.name,
    isSpooled: false,
    onUnknownDevice: 'register',
    expectedInterval: undefined,
    times: defaultTimeRule,
  };
});
afterAll(() => service.close());

const registerDevice = async (externalId: string): Promise<string> =>
  (await service.request('POST', '/v1/devices', { body: { name: externalId, externalId } })).body.id;
const submissionOf = (bytes: Uint8Array, devices: string[] | null): Submission => {
  const message: Message = { bytes, topic: null, device: undefined };
  const read: ReadInto = (writer) => readMessage(message, { nowMs: Date.now() }, writer);
  return { channel, message, origin: { actor: null, devices }, receivedAtMs: Date.now(), read };
};
const submission = (message: unknown, devices: string[] | null): Submission =>
  submissionOf(Buffer.from(JSON.stringify(message)), devices);
const intake = (onCounted: (entry: { received: number }) => void = () => undefined) =>
  createIntake({
    deviceMessages: createDeviceMessageCache(),
    rejectingDevices: createRejectingDevices(Date.now),
    ...service.service.parts,
    onCounted,
    onFull: () => undefined,
    onFailed: () => undefined,
  });

test('keys limited to devices share a write without access to each other’s devices', async () => {
  const [mine, yours] = [await registerDevice('mine'), await registerDevice('yours')];
  const accept = vi.spyOn(service.service.parts.ingest, 'accept');
  const outcomes = await storeMessages(service.service.parts, [
    submission(
      {
        samples: [
          { device: 'yours', values: { a: 1, b: 2 } },
          { device: mine, values: { a: 3 } },
        ],
      },
      [mine],
    ),
    submission(
      {
        samples: [
          { device: mine, values: { a: 4 } },
          { device: 'yours', values: { a: 5 } },
        ],
      },
      [yours],
    ),
  ]);
  expect(accept).toHaveBeenCalledTimes(1);
  accept.mockRestore();
  expect(outcomes).toMatchObject([
    { received: 3, rejections: [{ reason: 'unknown-device', samples: 2 }] },
    { received: 2, rejections: [{ reason: 'unknown-device', samples: 1 }] },
  ]);
  const { body } = await service.request('GET', '/v1/telemetry/latest?device=mine&device=yours');
  expect(body.data.map(({ externalId, value }: Record<string, unknown>) => [externalId, value])).toEqual([
    ['mine', 3],
    ['yours', 5],
  ]);
});

test('of several messages in one write, the first one states the unit of a metric', async () => {
  const units = ['Cel', 'K'];
  await storeMessages(
    service.service.parts,
    units.map((u) => submission([{ bn: 'oven:', n: 'inside', u, v: 1 }], null)),
  );
  const { body } = await service.request('GET', '/v1/telemetry/latest?device=oven');
  expect(body.data).toMatchObject([{ metric: 'inside', unit: '°C' }]);
});

test('a large message of a limited key stores only samples of its own devices', async () => {
  const [own, foreign] = [await registerDevice('own-large'), await registerDevice('foreign-large')];
  const samples = Array.from({ length: 2_000 }, (_, n) => ({
    device: n % 4 === 0 ? 'foreign-large' : own,
    ts: 1_700_000_000_000 + n,
    values: { a: n },
  }));
  const limited = submission({ samples }, [own]);
  const { bytes, device, topic } = limited.message;
  const input = { bytes, device, topic, times: defaultTimeRule, nowMs: 0 };
  const outcomes: Outcome[] = [];
  for await (const slice of service.service.parts.readLargeMessage(input)!)
    outcomes.push(
      ...(await storeMessages(service.service.parts, [
        { ...limited, read: (writer) => writer.addSlice(slice) },
        // In the same write, another sender may write to the foreign device.
        submission({ device: foreign, values: { b: 1 } }, [foreign]),
      ])),
    );
  expect(outcomes).toMatchObject([
    { received: 2_000, rejections: [{ reason: 'unknown-device', samples: 500 }] },
    { received: 1, rejections: [] },
  ]);
  const { body } = await service.request('GET', '/v1/telemetry/latest?device=foreign-large');
  expect(body.data.map(({ metric }: { metric: string }) => metric)).toEqual(['b']);
});

test('messages that arrive together share a write', async () => {
  const accept = vi.spyOn(service.service.parts.ingest, 'accept');
  const { submit } = intake();
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, index) => {
      return submit(submission({ device: 'shared', values: { a: index } }, null));
    }),
  );
  expect(outcomes.every(({ received, rejected }) => received === 1 && rejected === 0)).toBe(true);
  expect(accept).toHaveBeenCalledTimes(1);
  accept.mockRestore();
});

test('messages of several writes are counted once and answered in the order in which they came', async () => {
  const counted: number[] = [];
  const { submit, drained } = intake(({ received }) => counted.push(received));
  const answered: number[] = [];
  await Promise.all(
    Array.from({ length: 3_500 }, async (_, index) => {
      await submit(submission({ device: 'many', ts: 1_700_000_000_000 + index, values: { a: index } }, null));
      answered.push(index);
    }),
  );
  await drained();
  expect(counted.length).toBeGreaterThan(2);
  expect(counted.reduce((sum, received) => sum + received, 0)).toBe(3_500);
  expect(answered).toEqual(answered.toSorted((a, b) => a - b));
});

test('a write of many samples is split to the limit of the store', async () => {
  const accept = vi.spyOn(service.service.parts.ingest, 'accept');
  const samples = Array.from({ length: 150 }, (_, index) => ({
    device: 'wide',
    ts: 1_700_000_000_000 + index,
    values: Object.fromEntries(Array.from({ length: 100 }, (_, metric) => [`m${metric}`, index])),
  }));
  const [outcome] = await storeMessages(service.service.parts, [submission({ samples }, null)]);
  expect(outcome).toMatchObject({ received: 15_000, rejections: [] });
  expect(accept.mock.calls.map(([reading]) => reading.index.length)).toEqual([5_000, 5_000, 5_000]);
  accept.mockRestore();
});

test('a store that is briefly busy is retried', async () => {
  const accept = vi
    .spyOn(service.service.parts.ingest, 'accept')
    .mockRejectedValueOnce(new StoreBusy('Busy.'));
  const waiting = submission({ device: 'waits', values: { a: 1 } }, null);
  expect(await intake().submit(waiting)).toMatchObject({ received: 1, rejected: 0 });
  accept.mockRestore();
});

test('messages above the memory limit are rejected as overloaded', async () => {
  const { submit, drained } = intake();
  const large = submissionOf(Buffer.alloc(33 * 1_048_576, ' '), null);
  const first = submit(large);
  await expect(submit(large)).rejects.toMatchObject({ code: 'overloaded' });
  expect(await first).toMatchObject({ rejected: 1 });
  await drained();
});

test('the oldest rejections above the limit are deleted but stay counted', async () => {
  const { submit } = intake();
  for (const text of ['one', 'two', 'three', 'four']) await submit(submissionOf(Buffer.from(text), null));
  const ledger = async () => (await service.request('GET', `/v1/pipelines/${channel.id}`)).body.ledger;
  const before = await ledger();
  await trimRejections(service.service.parts.db, channel.id, { rows: 3, bytes: 9, wholeBytes: 1_000 });
  const { body } = await service.request('GET', `/v1/pipelines/${channel.id}/rejections`);
  expect(body.data.map(({ message }: { message: string }) => message)).toEqual(['four', 'three']);
  expect(await ledger()).toEqual(before);
});

const createPipeline = async (name: string): Promise<Channel> => {
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name, type: 'http', interval: 10, destination: 'telemetry' },
  });
  return { ...channel, id: body.id, name: body.name };
};

test('messages before and after a change of the destination share a write and reach their destinations', async () => {
  const own = await createPipeline('Changed meanwhile');
  const before = submission(
    { samples: [{ device: 'turned', ts: 1_700_000_001_000, values: { n: 1, m: 1 } }] },
    null,
  );
  const after = submission(
    { samples: [{ device: 'turned', ts: 1_700_000_002_000, values: { n: 2 } }] },
    null,
  );
  const { submit } = intake();
  await Promise.all([
    submit({ ...before, channel: own }),
    submit({ ...after, channel: { ...own, isSpooled: true } }),
  ]);
  const { body } = await service.request('GET', `/v1/pipelines/${own.id}`);
  expect(body.ledger).toMatchObject({ received: 3, delivered: 2, pending: 1, rejected: 0 });
  const { body: latest } = await service.request('GET', '/v1/telemetry/latest?device=turned&metric=n');
  expect(latest.data).toMatchObject([{ ts: 1_700_000_001_000, value: 1 }]);
});

test('messages of a deleted pipeline are not spooled', async () => {
  const own = await createPipeline('Gone');
  await service.request('DELETE', `/v1/pipelines/${own.id}`);
  const late = submission({ samples: [{ device: 'late', values: { n: 1 } }] }, null);
  await expect(intake().submit({ ...late, channel: { ...own, isSpooled: true } })).rejects.toMatchObject({
    code: 'not-found',
  });
});
