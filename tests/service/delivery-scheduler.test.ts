import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findDestinationByName, updateDestination } from '#service/pipelines/definition/destination-store.ts';
import {
  createDeliveryScheduler,
  type DeliveryScheduler,
} from '#service/pipelines/spool/delivery-scheduler.ts';
import { DeliveryFailure } from '#service/pipelines/destinations/destination.ts';
import { createDeliveryDestinations } from '#service/pipelines/spool/delivery-destinations.ts';
import { insertSpoolBatches, spoolBatches } from '#service/pipelines/spool/spool-store.ts';
import { addToLedger, getPipeline, updatePipeline } from '#service/pipelines/definition/pipeline-store.ts';
import { startFaultyReceiver, type FaultyReceiver } from './faulty-receiver.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const ignored = () => undefined;
const PATIENT = { timeout: 20_000, interval: 20 };

let service: TestService;
let receiver: FaultyReceiver;
let scheduler: DeliveryScheduler;
let pipelineId: string;
/** Each knows its calls by its path. */
const createDestination = async (name: string) => {
  const body = { name, type: 'webhook', url: `${receiver.url}/${name}` };
  expect((await service.request('POST', '/v1/destinations', { body })).status).toBe(201);
};
beforeEach(async () => {
  receiver = await startFaultyReceiver();
  service = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
  scheduler = createDeliveryScheduler(service.service.parts, { onDelivered: ignored, onRejected: ignored });
  await createDestination('first');
  await createDestination('second');
  const body = { name: 'Delivered', type: 'http', interval: 1, destination: 'first' };
  pipelineId = (await service.request('POST', '/v1/pipelines', { body })).body.id;
});
afterEach(async () => {
  await scheduler.close();
  await service.close();
  await receiver.close();
});

/** Puts a value into the spool, as the intake does. */
const spool = async (n: number) => {
  const { db } = service.service.parts;
  const samples = [{ device: 'boiler', ts: 1_000 * n, values: { n } }];
  const { rows, bytes: spoolBytes } = spoolBatches(pipelineId, samples, Date.now());
  const counts = { received: 1, delivered: 0, pending: 1, rejected: 0, skipped: 0, overwritten: 0 };
  await addToLedger(db, { pipelineId, ...counts, spoolBytes, lastMessageAt: Date.now() });
  await insertSpoolBatches(db, rows);
  return { samples: 1, bytes: spoolBytes };
};

test('samples that are reported twice are not delivered before a batch is full', async () => {
  const { parts } = service.service;
  let [checks, plannings] = [0, 0];
  await scheduler.close();
  scheduler = createDeliveryScheduler(
    {
      ...parts,
      disk: {
        ...parts.disk,
        readOnlyError: () => {
          checks += 1;
          return parts.disk.readOnlyError();
        },
      },
      db: parts.db.withPlugin({
        transformQuery: ({ node }) => {
          if (node.kind === 'SelectQueryNode' && JSON.stringify(node.from).includes('spool_batch'))
            plannings += 1;
          return node;
        },
        transformResult: async ({ result }) => result,
      }),
    },
    { onDelivered: ignored, onRejected: ignored },
  );
  const first = await findDestinationByName(parts.db, 'first');
  await service.request('PATCH', `/v1/destinations/${first?.id}`, { body: { options: { batchSize: 2 } } });
  await updatePipeline(parts.db, pipelineId, { interval: 3_600, revision: 2 });
  const grown = await spool(1);
  await scheduler.apply(pipelineId, await getPipeline(parts.db, pipelineId));
  plannings = 0;
  // The first sample was on disk when the scheduler read it.
  scheduler.spooled(pipelineId, grown);
  await vi.waitFor(() => expect(plannings).toBe(1), PATIENT);
  const seen = checks;
  await vi.waitFor(() => expect(checks).toBeGreaterThan(seen + 2), PATIENT);
  expect([plannings, receiver.samples.length]).toEqual([1, 0]);
  scheduler.spooled(pipelineId, await spool(2));
  await vi.waitFor(() => expect(receiver.samples).toHaveLength(2), PATIENT);
});

test('spooled samples go to the new destination if the pipeline changes it', async () => {
  const { db } = service.service.parts;
  await updatePipeline(db, pipelineId, { destination: 'second', destination_key: 'second', revision: 2 });
  await scheduler.apply(pipelineId, await getPipeline(db, pipelineId));
  scheduler.spooled(pipelineId, await spool(1));
  await vi.waitFor(() => expect(receiver.samples).toHaveLength(1), PATIENT);
  expect([...receiver.paths]).toEqual(['/samples/second']);
});

test('the outcome of a delivery does not apply to a destination that was changed meanwhile', async () => {
  const { parts } = service.service;
  const destinations = createDeliveryDestinations(parts);
  const destination = await destinations.find('first');
  const stateNow = async () => (await findDestinationByName(parts.db, 'first'))?.state;
  await destinations.recordOutcome(destination!, new DeliveryFailure('refused', 'It wants a password.'));
  expect(await stateNow()).toBe('blocked');
  await updateDestination(parts.db, destination!.row.id, { state: 'healthy', revision: 2 });
  await destinations.recordOutcome(
    destination!,
    new DeliveryFailure('refused', 'It wants another password.'),
  );
  expect(await stateNow()).toBe('healthy');
  await destinations.close();
});

test('the wait before a retry grows with each failure, up to its limit', async () => {
  const { parts } = service.service;
  const timeouts = { ...parts.timeouts, firstRetryMs: 10, longestRetryMs: 40 };
  const destinations = createDeliveryDestinations({ ...parts, timeouts, clock: { elapsed: () => 0 } });
  const destination = await destinations.find('second');
  const waits: number[] = [];
  while (waits.length < 8) {
    await destinations.recordOutcome(destination!, new Error('It fell over.'));
    waits.push(destination?.fault?.retryAtMs ?? 0);
  }
  // Up to half of a wait is left out at random.
  expect(waits[0]).toBeLessThanOrEqual(10);
  expect(Math.max(...waits)).toBeLessThanOrEqual(40);
  expect(Math.min(...waits.slice(2))).toBeGreaterThanOrEqual(20);
  await destinations.recordOutcome(destination!, undefined);
  await destinations.close();
});
