import { findPipeline, type PipelineRow } from '../definition/pipeline-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { DeliveryProgress } from './send-delivery.ts';
import { findSource } from '../sources/source-catalogue.ts';
import { findFirstBatch } from './spool-store.ts';
import type { Target } from './spool-targets.ts';

/** What keeps values from going out; a fatal one until somebody fixes it. */
export type DeliveryFault = { readonly detail: string; readonly isFatal: boolean };

/** What waits of one pipeline: its deliveries go out one after another. */
export type DeliveryQueue = {
  readonly pipelineId: string;
  /** The pipeline as it was last read; undefined: not yet. */
  row: PipelineRow | undefined;
  /** As far as is known without looking: what waits on disk. */
  values: number;
  bytes: number;
  oldestAtMs: number | undefined;
  /** By the monotonic clock, like `restsUntilMs`. */
  dueAtMs: number;
  /** Something failed here: it is not tried again before. */
  restsUntilMs: number;
  /** Something came since it was last looked at on the disk. */
  isTouched: boolean;
  isFull: boolean;
  /** A fault of this pipeline alone. */
  fault: DeliveryFault | undefined;
  /** How far the delivery is that was begun last; its values stay on disk until it is counted. */
  started: StartedDelivery | undefined;
};

export type StartedDelivery = {
  readonly id: string;
  readonly target: Target;
  readonly progress: DeliveryProgress;
  isSent: boolean;
};

/** A spool that was full is said to be so until it has come below this part of its limit. */
const ROOM_AGAIN = 0.9;

export const createDeliveryQueue = (pipelineId: string): DeliveryQueue => ({
  pipelineId,
  row: undefined,
  values: 0,
  bytes: 0,
  oldestAtMs: undefined,
  dueAtMs: Number.POSITIVE_INFINITY,
  restsUntilMs: Number.NEGATIVE_INFINITY,
  isTouched: false,
  isFull: false,
  fault: undefined,
  started: undefined,
});

/** What is pushed may wait an interval for more to come; what is polled comes at intervals already. */
const batchWaitMs = ({ type, interval }: PipelineRow): number =>
  findSource(type)?.kind === 'polled' ? 0 : interval * 1_000;

/** Values were put into the spool, on disk. */
export const addToQueue = (
  queue: DeliveryQueue,
  grown: { values: number; bytes: number },
  { now, elapsed }: Pick<Clock, 'now' | 'elapsed'>,
): void => {
  queue.isTouched = true;
  queue.values += grown.values;
  queue.bytes += grown.bytes;
  queue.oldestAtMs ??= now();
  const waitMs = queue.row === undefined ? 0 : batchWaitMs(queue.row);
  queue.dueAtMs = Math.min(queue.dueAtMs, elapsed() + waitMs);
};

/** Takes over what a pipeline says, where nothing newer is known. */
export const follow = (queue: DeliveryQueue, row: PipelineRow): void => {
  if (queue.row === undefined || row.revision >= queue.row.revision) queue.row = row;
};

/** Looks on the disk what waits, where it goes and when it is due. */
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
  queue.values = waits ? row.pending : 0;
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
