import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Timeouts } from '../../platform/timeouts.ts';
import { moveInLedger } from '../definition/pipeline-store.ts';
import { insertRejections, trimRejections } from '../rejections/rejection-store.ts';
import { inWrite, type Db } from '../../platform/storage/database.ts';
import { countValues, type SpooledSample } from '../destinations/destination.ts';
import { refusedRows } from '../rejections/rejected-message.ts';
import { newProgress, sendDelivery } from './send-delivery.ts';
import type { BegunDelivery, SpoolLane } from './delivery-queue.ts';
import { deleteSpoolBatches, takeNextDelivery, type SpooledDelivery } from './spool-store.ts';
import type { Target, Targets } from './spool-targets.ts';

export type DeliverLaneDependencies = {
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
const begunOf = ({ begun }: SpoolLane, id: string, target: Target): BegunDelivery =>
  begun?.id === id && (begun.target === target || begun.isSent)
    ? begun
    : { id, target, progress: newProgress(), isSent: false };

/** Takes what was delivered out of the spool and counts it, in one transaction. Undefined: it went with its pipeline. */
const count = async (
  { db, now, spoolLimitBytes }: Pick<DeliverLaneDependencies, 'db' | 'now' | 'spoolLimitBytes'>,
  targets: Targets,
  pipelineId: string,
  { batches }: SpooledDelivery,
  { target, progress }: BegunDelivery,
): Promise<Delivered | undefined> => {
  const atMs = now();
  const rejected = countValues(progress.refused.map(({ sample }) => sample));
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
    await insertRejections(tx, refusedRows(pipelineId, progress.refused, atMs));
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
export const deliverLane = async (
  deps: DeliverLaneDependencies,
  targets: Targets,
  { lane, target, stopping }: { lane: SpoolLane; target: Target; stopping: AbortSignal },
  onDelivered: (delivered: Delivered) => void,
): Promise<boolean> => {
  const { db, log, timeouts } = deps;
  const { pipelineId } = lane;
  const next = await inWrite(db, (tx) =>
    takeNextDelivery(tx, pipelineId, { values: target.batchSize, newDeliveryId: randomUUID() }),
  );
  if (next === undefined) return true;
  const begun = begunOf(lane, next.id, target);
  lane.begun = begun;
  if (!begun.isSent) {
    // What was put there by this service: it was checked before.
    const samples = next.batches.flatMap(({ body }) => JSON.parse(body) as SpooledSample[]);
    try {
      await sendDelivery(
        (delivery) => {
          const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeouts.deliverMs)]);
          return targets.send(target, delivery, signal);
        },
        { id: next.id, pipeline: { id: pipelineId, name: lane.row?.name ?? '' }, samples },
        { progress: begun.progress, batchSize: target.batchSize },
      );
    } catch (error) {
      if (stopping.aborted) return false;
      log.warn({ err: error, pipeline: pipelineId, destination: target.row.id }, 'a delivery failed');
      await targets.settle(target, error);
      return false;
    }
    begun.isSent = true;
    await targets.settle(target, undefined);
  }
  const delivered = await count(deps, targets, pipelineId, next, begun);
  lane.begun = undefined;
  if (delivered !== undefined) onDelivered(delivered);
  return true;
};
