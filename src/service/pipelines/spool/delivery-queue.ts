import { findPipeline, type PipelineRow } from '../definition/pipeline-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { DeliveryProgress } from './send-delivery.ts';
import { findSource } from '../sources/source-catalogue.ts';
import { findFirstBatch } from './spool-store.ts';
import type { DeliveryDestination } from './delivery-destinations.ts';

/** A fault that prevents deliveries. A fatal fault lasts until someone fixes the cause. */
export type DeliveryFault = {
  readonly code: 'destination' | 'spool-full';
  readonly detail: string;
  readonly isFatal: boolean;
};

/** The waiting deliveries of one pipeline, sent one after another. */
export type DeliveryQueue = {
  readonly pipelineId: string;
  /** The pipeline as last read; undefined: not read yet. */
  row: PipelineRow | undefined;
  /** Pending samples as last read from disk. */
  pendingOnDisk: number;
  /**
   * `pendingOnDisk` plus samples reported since. Samples written just before the read are counted twice until the next
   * read.
   */
  pendingEstimate: number;
  bytes: number;
  oldestAtMs: number | undefined;
  /** By the monotonic clock, like `restsUntilMs`. */
  dueAtMs: number;
  /** After an internal error: no attempt before this time. */
  restsUntilMs: number;
  /** Samples were added since the disk was last read. */
  isTouched: boolean;
  isFull: boolean;
  /** A fault of this pipeline only. */
  fault: Omit<DeliveryFault, 'code'> | undefined;
  /** The progress of the current delivery. Its samples stay on disk until they are counted. */
  started: StartedDelivery | undefined;
};

export type StartedDelivery = {
  readonly id: string;
  readonly destination: DeliveryDestination;
  readonly progress: DeliveryProgress;
  isSent: boolean;
};

/** A full spool is reported as full until it is below this share of its limit. */
const ROOM_AGAIN = 0.9;

export const createDeliveryQueue = (pipelineId: string): DeliveryQueue => ({
  pipelineId,
  row: undefined,
  pendingOnDisk: 0,
  pendingEstimate: 0,
  bytes: 0,
  oldestAtMs: undefined,
  dueAtMs: Number.POSITIVE_INFINITY,
  restsUntilMs: Number.NEGATIVE_INFINITY,
  isTouched: false,
  isFull: false,
  fault: undefined,
  started: undefined,
});

/** How long to collect samples for a batch: an interval for pushed sources, 0 for polled sources. */
const batchWaitMs = ({ type, interval }: PipelineRow): number =>
  findSource(type)?.kind === 'polled' ? 0 : interval * 1_000;

/** Records samples that were written to the spool. */
export const addToQueue = (
  queue: DeliveryQueue,
  grown: { samples: number; bytes: number },
  { now, elapsed }: Pick<Clock, 'now' | 'elapsed'>,
): void => {
  queue.isTouched = true;
  queue.pendingEstimate += grown.samples;
  queue.bytes += grown.bytes;
  queue.oldestAtMs ??= now();
  const waitMs = queue.row === undefined ? 0 : batchWaitMs(queue.row);
  queue.dueAtMs = Math.min(queue.dueAtMs, elapsed() + waitMs);
};

/** Updates the pipeline of a queue, unless a newer revision is known. */
export const follow = (queue: DeliveryQueue, row: PipelineRow): void => {
  if (queue.row === undefined || row.revision >= queue.row.revision) queue.row = row;
};

/** Reads from disk what waits, for which destination, and when it is due. */
export const planDelivery = async (
  db: Db,
  queue: DeliveryQueue,
  { limitBytes, clock }: { limitBytes: number; clock: Pick<Clock, 'now' | 'elapsed'> },
): Promise<void> => {
  queue.isTouched = false;
  const first = await findFirstBatch(db, queue.pipelineId);
  const row = await findPipeline(db, queue.pipelineId);
  if (row !== undefined) follow(queue, row);
  const waits = first !== undefined && row !== undefined;
  queue.pendingOnDisk = waits ? row.pending : 0;
  queue.pendingEstimate = queue.pendingOnDisk;
  queue.bytes = waits ? row.spool_bytes : 0;
  queue.oldestAtMs = waits ? first.created_at : undefined;
  queue.isFull &&= queue.bytes > limitBytes * ROOM_AGAIN;
  if (waits) {
    // The wall clock may have been set back since. No batch waits longer than its interval.
    const waitedMs = Math.max(0, clock.now() - first.created_at);
    const waitMs = first.delivery_id === null ? batchWaitMs(row) - waitedMs : 0;
    queue.dueAtMs = clock.elapsed() + waitMs;
  } else if (!queue.isTouched) queue.dueAtMs = Number.POSITIVE_INFINITY;
};
