import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Tracing } from '../../platform/tracing.ts';
import type { Timeouts } from '../../platform/timeouts.ts';
import { moveInLedger } from '../definition/pipeline-store.ts';
import { insertRejections, trimRejections } from '../rejections/rejection-store.ts';
import { inWrite, type Db } from '../../platform/storage/database.ts';
import { LeaseLost, type Lease } from '../../platform/storage/lease.ts';
import { countSamples, type SpooledSamples } from '../destinations/destination.ts';
import { rejectedSampleRows } from '../rejections/rejected-message.ts';
import { newProgress, sendDelivery } from './send-delivery.ts';
import type { StartedDelivery, DeliveryQueue } from './delivery-queue.ts';
import { deleteSpoolBatches, takeNextDelivery, type SpooledDelivery } from './spool-store.ts';
import type { DeliveryDestination, DeliveryDestinations } from './delivery-destinations.ts';

export type DeliverNextDependencies = {
  db: Db;
  log: Logger;
  tracing: Pick<Tracing, 'span'>;
  lease: Lease;
  now: () => number;
  timeouts: Pick<Timeouts, 'deliverMs'>;
  /** The size limit of the spool of each pipeline, in bytes. */
  spoolLimitBytes: number;
};

/** The result of a delivery, as counted in the ledger. */
export type Delivered = { readonly bytes: number; readonly rejected: number };

/** The progress of a delivery. It only applies to the same destination. */
const startedDelivery = (
  { started }: DeliveryQueue,
  id: string,
  destination: DeliveryDestination,
): StartedDelivery =>
  started?.id === id && (started.destination === destination || started.isSent)
    ? started
    : { id, destination, progress: newProgress(), isSent: false };

/**
 * Deletes delivered batches from the spool and counts them, in one transaction. Undefined: the pipeline was deleted.
 */
const count = async (
  {
    db,
    lease,
    now,
    spoolLimitBytes,
  }: Pick<DeliverNextDependencies, 'db' | 'lease' | 'now' | 'spoolLimitBytes'>,
  destinations: DeliveryDestinations,
  pipelineId: string,
  { batches }: SpooledDelivery,
  { destination, progress }: StartedDelivery,
): Promise<Delivered | undefined> => {
  const atMs = now();
  const rejected = countSamples(progress.rejected.map(({ group }) => group));
  const gone = await inWrite(db, async (tx) => {
    await lease.requireHeld(tx);
    const { samples, bytes } = await deleteSpoolBatches(tx, batches);
    if (samples === 0) return undefined;
    const by = {
      received: 0,
      delivered: samples - rejected,
      pending: -samples,
      rejected,
      skipped: 0,
      overwritten: 0,
      spoolBytes: -bytes,
    };
    await moveInLedger(tx, pipelineId, by);
    await insertRejections(tx, rejectedSampleRows(pipelineId, progress.rejected, atMs));
    await destinations.delivered(tx, destination, atMs);
    return { bytes, rejected };
  });
  if (gone !== undefined && rejected > 0)
    await trimRejections(db, pipelineId, { wholeBytes: spoolLimitBytes });
  return gone;
};

/**
 * Sends the next delivery of a pipeline and counts it. Returns false if the destination did not accept it, or the
 * service stops. The samples stay on disk until they are counted.
 */
export const deliverNext = async (
  deps: DeliverNextDependencies,
  destinations: DeliveryDestinations,
  {
    queue,
    destination,
    stopping,
  }: { queue: DeliveryQueue; destination: DeliveryDestination; stopping: AbortSignal },
  onDelivered: (delivered: Delivered) => void,
): Promise<boolean> => {
  const { db, lease, log, timeouts } = deps;
  const { pipelineId } = queue;
  const next = await inWrite(db, async (tx) => {
    await lease.requireHeld(tx);
    return takeNextDelivery(tx, pipelineId, {
      maxSamples: destination.batchSize,
      newDeliveryId: randomUUID(),
    });
  });
  if (next === undefined) return true;
  const started = startedDelivery(queue, next.id, destination);
  queue.started = started;
  if (!started.isSent) {
    // Written and validated by this service.
    const lost = lease.signal();
    const samples = next.batches.flatMap(({ body }) => JSON.parse(body) as SpooledSamples[]);
    try {
      await sendDelivery(
        async (delivery) => {
          // This process may have been suspended since it read the samples.
          if (lost.aborted || !lease.isHeld()) throw new LeaseLost('Another process delivers.');
          const signal = AbortSignal.any([stopping, lost, AbortSignal.timeout(timeouts.deliverMs)]);
          await destinations.send(destination, delivery, signal);
        },
        { id: next.id, pipeline: { id: pipelineId, name: queue.row?.name ?? '' }, samples },
        { progress: started.progress, batchSize: destination.batchSize },
      );
    } catch (error) {
      // Another process sends the delivery again, with the same ID.
      if (stopping.aborted || lost.aborted || !lease.isHeld()) return false;
      log.warn({ err: error, pipeline: pipelineId, destination: destination.row.id }, 'a delivery failed');
      await destinations.recordOutcome(destination, error);
      return false;
    }
    started.isSent = true;
    await destinations.recordOutcome(destination, undefined);
  }
  const delivered = await count(deps, destinations, pipelineId, next, started);
  queue.started = undefined;
  if (delivered !== undefined) onDelivered(delivered);
  return true;
};
