import { findPipeline, type PipelineRow } from '../definition/pipeline-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { DeliveryProgress } from './send-delivery.ts';
import { findSource } from '../sources/source-catalogue.ts';
import { findFirstBatch } from './spool-store.ts';
import type { Target } from './spool-targets.ts';

/** What keeps values from going out; a fatal one until somebody mends it. */
export type DeliveryFault = { readonly detail: string; readonly isFatal: boolean };

/** What waits of one pipeline: its deliveries go out one after another. */
export type SpoolLane = {
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
  begun: BegunDelivery | undefined;
};

export type BegunDelivery = {
  readonly id: string;
  readonly target: Target;
  readonly progress: DeliveryProgress;
  isSent: boolean;
};

/** A spool that was full is said to be so until it has come below this part of its limit. */
const ROOM_AGAIN = 0.9;

export const createLane = (pipelineId: string): SpoolLane => ({
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
  begun: undefined,
});

/** What is pushed may wait an interval for more to come; what is polled comes at intervals already. */
const patienceMs = ({ type, interval }: PipelineRow): number =>
  findSource(type)?.kind === 'polled' ? 0 : interval * 1_000;

/** Values were put into the spool, on disk. */
export const growLane = (
  lane: SpoolLane,
  grown: { values: number; bytes: number },
  { now, elapsed }: Pick<Clock, 'now' | 'elapsed'>,
): void => {
  lane.isTouched = true;
  lane.values += grown.values;
  lane.bytes += grown.bytes;
  lane.oldestAtMs ??= now();
  const waitMs = lane.row === undefined ? 0 : patienceMs(lane.row);
  lane.dueAtMs = Math.min(lane.dueAtMs, elapsed() + waitMs);
};

/** Takes over what a pipeline says, where nothing newer is known. */
export const follow = (lane: SpoolLane, row: PipelineRow): void => {
  if (lane.row === undefined || row.revision >= lane.row.revision) lane.row = row;
};

/** Looks on the disk what waits, where it goes and when it is due. */
export const planLane = async (
  db: Db,
  lane: SpoolLane,
  { limitBytes, clock }: { limitBytes: number; clock: Pick<Clock, 'now' | 'elapsed'> },
): Promise<void> => {
  lane.isTouched = false;
  const first = await findFirstBatch(db, lane.pipelineId);
  const row = await findPipeline(db, lane.pipelineId);
  if (row !== undefined) follow(lane, row);
  const waits = first !== undefined && row !== undefined;
  lane.values = waits ? row.pending : 0;
  lane.bytes = waits ? row.spool_bytes : 0;
  lane.oldestAtMs = waits ? first.created_at : undefined;
  lane.isFull &&= lane.bytes > limitBytes * ROOM_AGAIN;
  if (waits) {
    // The wall clock may have been set back since. No batch waits longer than its interval.
    const waitedMs = Math.max(0, clock.now() - first.created_at);
    const waitMs = first.delivery_id === null ? patienceMs(row) - waitedMs : 0;
    lane.dueAtMs = clock.elapsed() + waitMs;
  } else if (!lane.isTouched) lane.dueAtMs = Number.POSITIVE_INFINITY;
};
