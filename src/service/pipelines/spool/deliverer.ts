import { TELEMETRY, type Spool } from '#contract/pipelines.ts';
import type { PipelineRow } from '../definition/pipeline-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DiskGuard } from '../../platform/storage/disk-guard.ts';
import type { Timeouts } from '../../platform/timeouts.ts';
import { deliverLane, type DeliverLaneDependencies } from './deliver-next.ts';
import {
  createLane,
  follow,
  growLane,
  planLane,
  type DeliveryFault,
  type SpoolLane,
} from './delivery-queue.ts';
import { createSpoolPace, type SpoolPace } from './spool-throughput.ts';
import { createTargets, type Target, type TargetsDependencies } from './spool-targets.ts';

/** After something failed here, not at the destination; and where there is no destination of that name. */
const AGAIN_AFTER_MS = 1_000;
const MISSING_AFTER_MS = 60_000;
/** Deliveries under way at once: of one destination, of one that fails, of all, and of all that fail. */
const AT_ONCE = { target: 4, failingTarget: 1, all: 16, allFailing: 8 };

export type Deliverer = {
  /** A pipeline was started, changed, or (undefined) deleted. */
  apply(id: string, row: PipelineRow | undefined): Promise<void>;
  /** Values of a pipeline were put into its spool, on disk. */
  spooled(pipelineId: string, grown: { values: number; bytes: number }): void;
  /** Values of a pipeline found no room in its spool. */
  foundFull(pipelineId: string): void;
  /** A destination was changed, mended or deleted: what waits for it is tried at once. */
  destinationChanged(destinationId: string): void;
  /** What keeps the values of a pipeline from going out; undefined: nothing. */
  faultOf(pipelineId: string): DeliveryFault | undefined;
  /** What waits of a pipeline; null: the built-in store needs no spool. */
  spoolOf(row: Pick<PipelineRow, 'id' | 'destination_key' | 'spool_bytes'>): Spool | null;
  /** Ends what is under way; what waits stays on disk. */
  close(): Promise<void>;
};

export type DelivererDependencies = TargetsDependencies &
  DeliverLaneDependencies & {
    clock: Pick<Clock, 'now' | 'elapsed'>;
    disk: Pick<DiskGuard, 'withReserve'>;
    timeouts: Pick<Timeouts, 'spoolCheckMs'>;
  };

/** Sends what waits in the spool to its destinations, pipeline by pipeline in the order in which it came. */
export const createDeliverer = (
  deps: DelivererDependencies,
  {
    onDelivered,
    onRejected,
  }: {
    /** The ledger of a pipeline has changed. */
    onDelivered: (pipelineId: string) => void;
    onRejected: (pipelineId: string, values: number) => void;
  },
): Deliverer => {
  const { db, disk, log, now, clock, spoolLimitBytes: limitBytes } = deps;
  const { elapsed } = clock;
  const targets = createTargets(deps);
  const lanes = new Map<string, SpoolLane>();
  /** By the id of the pipeline; longer than its lane, which goes when nothing waits. */
  const paces = new Map<string, SpoolPace>();
  const underWay = new Map<SpoolLane, Promise<void>>();
  const stopping = new AbortController();
  let failingAtOnce = 0;

  const paceOf = (id: string): SpoolPace => {
    const pace = paces.get(id) ?? createSpoolPace(elapsed);
    paces.set(id, pace);
    return pace;
  };

  const laneOf = (id: string): SpoolLane => {
    const lane = lanes.get(id) ?? createLane(id);
    lanes.set(id, lane);
    return lane;
  };

  const targetOf = ({ row }: SpoolLane): Target | undefined =>
    row === undefined ? undefined : targets.known(row.destination_key);

  const plan = (lane: SpoolLane): Promise<void> => planLane(db, lane, { limitBytes, clock });

  const deliver = async (lane: SpoolLane, target: Target): Promise<void> => {
    const { pipelineId } = lane;
    // A delivery frees disk space, so it may use the reserve.
    const isDone = await disk.withReserve(() =>
      deliverLane(deps, targets, { lane, target, stopping: stopping.signal }, ({ bytes, rejected }) => {
        paceOf(pipelineId).count('out', bytes);
        if (rejected > 0) onRejected(pipelineId, rejected);
        onDelivered(pipelineId);
      }),
    );
    if (isDone) await plan(lane);
  };

  const findTarget = async (lane: SpoolLane, { destination, destination_key: key }: PipelineRow) => {
    const target = await targets.find(key);
    const detail = `There is no destination ${destination}. Choose another one.`;
    lane.fault = target === undefined ? { detail, isFatal: true } : undefined;
    if (target === undefined) lane.restsUntilMs = elapsed() + MISSING_AFTER_MS;
  };

  const hasRoomFor = ({ fault, busy }: Target): boolean => {
    if (underWay.size >= AT_ONCE.all) return false;
    if (fault === undefined) return busy < AT_ONCE.target;
    return fault.retryAtMs <= elapsed() && busy < AT_ONCE.failingTarget && failingAtOnce < AT_ONCE.allFailing;
  };

  const start = (lane: SpoolLane, work: () => Promise<void>): void => {
    const done = work()
      .catch((error: unknown) => {
        lane.restsUntilMs = elapsed() + AGAIN_AFTER_MS;
        log.error(
          { err: error, pipeline: lane.pipelineId },
          'the spool of a pipeline could not be worked on',
        );
      })
      .finally(() => {
        underWay.delete(lane);
        if (lanes.get(lane.pipelineId) === lane) {
          // Those that wait have their turn before it has its next one.
          lanes.delete(lane.pipelineId);
          if (lane.values > 0 || lane.isTouched) lanes.set(lane.pipelineId, lane);
        }
        look();
      });
    underWay.set(lane, done);
  };

  const deliverTo = (lane: SpoolLane, target: Target): void => {
    const isFailing = target.fault !== undefined;
    if (isFailing) failingAtOnce += 1;
    targets.hold(target);
    start(lane, () =>
      deliver(lane, target).finally(() => {
        if (isFailing) failingAtOnce -= 1;
        targets.release(target);
      }),
    );
  };

  const look = (): void => {
    if (stopping.signal.aborted) return;
    for (const lane of lanes.values()) {
      if (underWay.has(lane) || lane.restsUntilMs > elapsed()) continue;
      const { row } = lane;
      const target = targetOf(lane);
      const isDue = lane.dueAtMs <= elapsed();
      if (row === undefined) start(lane, () => plan(lane));
      // How much it takes at once says when something is due.
      else if (target === undefined) start(lane, () => findTarget(lane, row));
      else if ((isDue || lane.values >= target.batchSize) && hasRoomFor(target)) deliverTo(lane, target);
    }
  };
  const timer = setInterval(look, deps.timeouts.spoolCheckMs);

  return {
    apply: async (id, row) => {
      if (row === undefined) {
        lanes.delete(id);
        paces.delete(id);
        return;
      }
      if (!lanes.has(id) && row.spool_bytes === 0) return;
      const lane = laneOf(id);
      follow(lane, row);
      lane.fault = undefined;
      lane.restsUntilMs = 0;
      await plan(lane);
      // It may have been taken away meanwhile, as one where nothing waits; never beside another one in its place.
      if (lane.values > 0 && !lanes.has(id)) lanes.set(id, lane);
    },
    spooled: (id, grown) => {
      growLane(laneOf(id), grown, clock);
      paceOf(id).count('in', grown.bytes);
    },
    foundFull: (id) => {
      const lane = lanes.get(id);
      if (lane !== undefined) lane.isFull = true;
    },
    destinationChanged: (id) => targets.forget(id),
    faultOf: (id) => {
      const lane = lanes.get(id);
      if (lane === undefined) return undefined;
      const fault = lane.fault ?? targetOf(lane)?.fault;
      if (!lane.isFull) return fault;
      const why = fault === undefined ? '' : ` ${fault.detail}`;
      return { detail: `The spool is full: nothing more is taken until there is room.${why}`, isFatal: true };
    },
    spoolOf: ({ id, destination_key, spool_bytes: bytes }) => {
      const lane = lanes.get(id);
      if (destination_key === TELEMETRY && bytes === 0) return null;
      const oldestAt =
        lane?.oldestAtMs === undefined || bytes === 0
          ? null
          : new Date(Math.min(lane.oldestAtMs, now())).toISOString();
      const isFailing = (lane?.fault ?? targets.known(destination_key)?.fault) !== undefined;
      return { bytes, limitBytes, oldestAt, ...paceOf(id).outlook({ bytes, limitBytes, isFailing }) };
    },
    close: async () => {
      clearInterval(timer);
      stopping.abort();
      await Promise.all(underWay.values());
      await targets.close();
    },
  };
};
