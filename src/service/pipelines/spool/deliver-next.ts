import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Timeouts } from '../../platform/timeouts.ts';
import { moveInLedger } from '../definition/pipeline-store.ts';
import { insertRejections, trimRejections } from '../rejections/rejection-store.ts';
import { inWrite, type Db } from '../../platform/storage/database.ts';
import { countValues, type SpooledSample } from '../destinations/destination.ts';
import { rejectedSampleRows } from '../rejections/rejected-message.ts';
import { newProgress, sendDelivery } from './send-delivery.ts';
import type { StartedDelivery, DeliveryQueue } from './delivery-queue.ts';
import { deleteSpoolBatches, takeNextDelivery, type SpooledDelivery } from './spool-store.ts';
import type { Target, Targets } from './spool-targets.ts';

export type DeliverNextDependencies = {
  db: Db;
  log: Logger;
  now: () => number;
  timeouts: Pick<Timeouts, 'deliverMs'>;
  /** Bytes that may wait for the destination of a pipeline. */
  spoolLimitBytes: number;
};

/** What was delivered of a pipeline, as its ledger has it. */
export type Delivered = { readonly bytes: number; readonly rejected: number };

/** The delivery as far as it is done already; what one destination has taken, another has not. */
const startedDelivery = ({ started }: DeliveryQueue, id: string, target: Target): StartedDelivery =>
  started?.id === id && (started.target === target || started.isSent)
    ? started
    : { id, target, progress: newProgress(), isSent: false };

/** Takes what was delivered out of the spool and counts it, in one transaction. Undefined: it went with its pipeline. */
const count = async (
  { db, now, spoolLimitBytes }: Pick<DeliverNextDependencies, 'db' | 'now' | 'spoolLimitBytes'>,
  targets: Targets,
  pipelineId: string,
  { batches }: SpooledDelivery,
  { target, progress }: StartedDelivery,
): Promise<Delivered | undefined> => {
  const atMs = now();
  const rejected = countValues(progress.rejected.map(({ sample }) => sample));
  const gone = await inWrite(db, async (tx) => {
    const { values, bytes } = await deleteSpoolBatches(tx, batches);
    if (values === 0) return undefined;
    const by = {
      received: 0,
      delivered: values - rejected,
      pending: -values,
      rejected,
      skipped: 0,
      overwritten: 0,
      spoolBytes: -bytes,
    };
    await moveInLedger(tx, pipelineId, by);
    await insertRejections(tx, rejectedSampleRows(pipelineId, progress.rejected, atMs));
    await targets.delivered(tx, target, atMs);
    return { bytes, rejected };
  });
  if (gone !== undefined && rejected > 0)
    await trimRejections(db, pipelineId, { wholeBytes: spoolLimitBytes });
  return gone;
};

/**
 * Sends what goes out next of a pipeline, and counts it. False: the destination did not take it, or the service stops.
 * Nothing of it stays in memory when this ends: it is on disk until it is counted.
 */
export const deliverNext = async (
  deps: DeliverNextDependencies,
  targets: Targets,
  { queue, target, stopping }: { queue: DeliveryQueue; target: Target; stopping: AbortSignal },
  onDelivered: (delivered: Delivered) => void,
): Promise<boolean> => {
  const { db, log, timeouts } = deps;
  const { pipelineId } = queue;
  const next = await inWrite(db, (tx) =>
    takeNextDelivery(tx, pipelineId, { values: target.batchSize, newDeliveryId: randomUUID() }),
  );
  if (next === undefined) return true;
  const started = startedDelivery(queue, next.id, target);
  queue.started = started;
  if (!started.isSent) {
    // What was put there by this service: it was checked before.
    const samples = next.batches.flatMap(({ body }) => JSON.parse(body) as SpooledSample[]);
    try {
      await sendDelivery(
        (delivery) => {
          const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeouts.deliverMs)]);
          return targets.send(target, delivery, signal);
        },
        { id: next.id, pipeline: { id: pipelineId, name: queue.row?.name ?? '' }, samples },
        { progress: started.progress, batchSize: target.batchSize },
      );
    } catch (error) {
      if (stopping.aborted) return false;
      log.warn({ err: error, pipeline: pipelineId, destination: target.row.id }, 'a delivery failed');
      await targets.recordOutcome(target, error);
      return false;
    }
    started.isSent = true;
    await targets.recordOutcome(target, undefined);
  }
  const delivered = await count(deps, targets, pipelineId, next, started);
  queue.started = undefined;
  if (delivered !== undefined) onDelivered(delivered);
  return true;
};
