import { randomUUID } from 'node:crypto';
import { TELEMETRY, type Spool } from '#contract/pipelines.ts';
import type { Deps } from '../deps.ts';
import { moveInLedger, type PipelineRow } from '../pipelines/pipeline-store.ts';
import { insertRejections, trimRejections } from '../pipelines/rejection-store.ts';
import { inWrite } from '../storage/database.ts';
import type { SpooledSample } from './destination.ts';
import { refusedRows } from './rejected-message.ts';
import { newProgress, sendDelivery, type DeliveryProgress } from './send-delivery.ts';
import { findSource } from './sources/source-catalogue.ts';
import { createSpoolPace, type SpoolPace } from './spool-pace.ts';
import { deleteSpoolBatches, findWaiting, takeNextDelivery, type SpoolBatch } from './spool-store.ts';
import { createTargets, type Target } from './spool-targets.ts';

/** How often it is looked what is due. */
const LOOK_EVERY_MS = 100;
/** After something failed here, not at the destination; and where there is no destination of that name. */
const AGAIN_AFTER_MS = 1_000;
const MISSING_AFTER_MS = 60_000;
/** Deliveries under way at once: of one destination, of one that fails, of all, and of all that fail. */
const AT_ONCE = { target: 4, failingTarget: 1, all: 16, allFailing: 8 };
/** A spool that was full takes values again below this part of its limit. */
const ROOM_AGAIN = 0.9;

type Fault = { readonly detail: string; readonly isFatal: boolean };

export type Deliverer = {
  /** A pipeline was started, changed, or (undefined) deleted. */
  apply(id: string, row: PipelineRow | undefined): Promise<void>;
  /** Values of a pipeline were put into its spool, on disk. */
  spooled(row: PipelineRow, grown: { values: number; bytes: number }): void;
  /** Values of a pipeline found no room in its spool. */
  foundFull(pipelineId: string): void;
  /** A destination was changed, mended or deleted: what waits for it is tried at once. */
  destinationChanged(destinationId: string): void;
  /** What keeps the values of a pipeline from going out; undefined: nothing. */
  faultOf(pipelineId: string): Fault | undefined;
  /** What waits of a pipeline; null: the built-in store needs no spool. */
  spoolOf(row: Pick<PipelineRow, 'id' | 'destination_key' | 'spool_bytes'>): Spool | null;
  /** Ends what is under way; what waits stays on disk. */
  close(): Promise<void>;
};

/** What waits of one pipeline: its deliveries go out one after another. */
type Lane = {
  row: PipelineRow;
  /** As far as is known without looking: what waits on disk. */
  values: number;
  bytes: number;
  oldestAtMs: number | undefined;
  dueAtMs: number;
  /** Something failed here: it is not tried again before. */
  restsUntilMs: number;
  /** Something came since it was last looked at on the disk. */
  isTouched: boolean;
  isFull: boolean;
  /** A fault of this pipeline alone. */
  fault: Fault | undefined;
  under: Under | undefined;
};

/** A delivery that was begun; kept until it is counted. */
type Under = {
  target: Target;
  batches: SpoolBatch[];
  samples: SpooledSample[];
  progress: DeliveryProgress;
  isSent: boolean;
};

/** Sends what waits in the spool to its destinations, pipeline by pipeline in the order in which it came. */
export const createDeliverer = (
  deps: Omit<Deps, 'pipelines'>,
  {
    onDelivered,
    onRejected,
  }: {
    /** The ledger of a pipeline has changed. */
    onDelivered: (pipelineId: string) => void;
    onRejected: (pipelineId: string, values: number) => void;
  },
): Deliverer => {
  const { db, log, now, config, patience } = deps;
  const limitBytes = config.spoolLimitBytes;
  const targets = createTargets(deps);
  const lanes = new Map<string, Lane>();
  /** By the id of the pipeline; longer than its lane, which goes when nothing waits. */
  const paces = new Map<string, SpoolPace>();
  const underWay = new Map<Lane, Promise<void>>();
  const stopping = new AbortController();
  let failingAtOnce = 0;

  const paceOf = (id: string): SpoolPace => {
    const pace = paces.get(id) ?? createSpoolPace(now);
    paces.set(id, pace);
    return pace;
  };

  const laneOf = (row: PipelineRow): Lane => {
    const known = lanes.get(row.id);
    if (known !== undefined) return known;
    const lane: Lane = {
      row,
      values: 0,
      bytes: 0,
      oldestAtMs: undefined,
      dueAtMs: Number.POSITIVE_INFINITY,
      restsUntilMs: 0,
      isTouched: false,
      isFull: false,
      fault: undefined,
      under: undefined,
    };
    lanes.set(row.id, lane);
    return lane;
  };

  /** What is pushed may wait an interval for more to come; what is polled comes at intervals already. */
  const patienceMs = ({ type, interval }: PipelineRow): number =>
    findSource(type)?.kind === 'polled' ? 0 : interval * 1_000;

  /** Looks at the disk what waits and when it is due. */
  const plan = async (lane: Lane): Promise<void> => {
    lane.isTouched = false;
    const waiting = await findWaiting(db, lane.row.id);
    lane.values = waiting?.values ?? 0;
    lane.bytes = waiting?.bytes ?? 0;
    lane.oldestAtMs = waiting?.oldestAtMs;
    lane.isFull &&= lane.bytes > limitBytes * ROOM_AGAIN;
    if (waiting !== undefined)
      lane.dueAtMs = waiting.wasTried ? 0 : waiting.oldestAtMs + patienceMs(lane.row);
    else if (!lane.isTouched) lane.dueAtMs = Number.POSITIVE_INFINITY;
  };

  const begin = async (lane: Lane, target: Target): Promise<Under | undefined> => {
    const batches = await inWrite(db, (tx) =>
      takeNextDelivery(tx, lane.row.id, { values: target.batchSize, newDeliveryId: randomUUID() }),
    );
    if (batches.length === 0) return undefined;
    // What was put there by this service: it was checked before.
    const samples = batches.flatMap(({ body }) => JSON.parse(body) as SpooledSample[]);
    return { target, batches, samples, progress: newProgress(), isSent: false };
  };

  const send = async (lane: Lane, target: Target, under: Under): Promise<void> => {
    const { id, name } = lane.row;
    const deliveryId = under.batches[0]?.delivery_id ?? randomUUID();
    await sendDelivery(
      (delivery) => {
        const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(patience.deliverMs)]);
        return targets.send(target, delivery, signal);
      },
      { id: deliveryId, pipeline: { id, name }, samples: under.samples },
      { progress: under.progress, batchSize: target.batchSize },
    );
    under.isSent = true;
  };

  /** Takes what was delivered out of the spool and counts it, in one transaction. */
  const count = async (lane: Lane, target: Target, { batches, progress }: Under): Promise<void> => {
    const atMs = now();
    const rejected = progress.refused.reduce((sum, { sample }) => sum + Object.keys(sample.values).length, 0);
    const gone = await inWrite(db, async (tx) => {
      const { values, bytes } = await deleteSpoolBatches(tx, batches);
      // The pipeline was deleted meanwhile, with all that waited.
      if (values === 0) return { values, bytes };
      const delivered = values - rejected;
      const by = { received: 0, delivered, pending: -values, rejected, spoolBytes: -bytes };
      await moveInLedger(tx, lane.row.id, by);
      await insertRejections(tx, refusedRows(lane.row.id, progress.refused, atMs));
      await targets.delivered(tx, target, atMs);
      return { values, bytes };
    });
    paceOf(lane.row.id).count('out', gone.bytes);
    if (rejected > 0) {
      onRejected(lane.row.id, rejected);
      await trimRejections(db, lane.row.id, { wholeBytes: limitBytes });
    }
    onDelivered(lane.row.id);
  };

  const deliver = async (lane: Lane, target: Target): Promise<void> => {
    lane.under ??= await begin(lane, target);
    const { under } = lane;
    if (under !== undefined) {
      // What one destination has taken, another has not.
      if (under.target !== target && !under.isSent) Object.assign(under, { target, progress: newProgress() });
      if (!under.isSent) {
        try {
          await send(lane, target, under);
        } catch (error) {
          if (stopping.signal.aborted) return;
          log.warn({ err: error, pipeline: lane.row.id, destination: target.row.id }, 'a delivery failed');
          await targets.settle(target, error);
          // It is on disk: where nothing of it is done yet it need not be in memory too while it waits.
          if (under.progress.done.size === 0) lane.under = undefined;
          return;
        }
        await targets.settle(target, undefined);
      }
      await count(lane, target, under);
      lane.under = undefined;
    }
    await plan(lane);
  };

  const findTarget = async (lane: Lane): Promise<void> => {
    const target = await targets.find(lane.row.destination_key);
    const detail = `There is no destination ${lane.row.destination}. Choose another one.`;
    lane.fault = target === undefined ? { detail, isFatal: true } : undefined;
    if (target === undefined) lane.restsUntilMs = now() + MISSING_AFTER_MS;
  };

  const hasRoomFor = ({ fault, busy }: Target): boolean => {
    if (underWay.size >= AT_ONCE.all) return false;
    if (fault === undefined) return busy < AT_ONCE.target;
    return fault.retryAtMs <= now() && busy < AT_ONCE.failingTarget && failingAtOnce < AT_ONCE.allFailing;
  };

  const start = (lane: Lane, work: () => Promise<void>): void => {
    const done = work()
      .catch((error: unknown) => {
        lane.restsUntilMs = now() + AGAIN_AFTER_MS;
        log.error({ err: error, pipeline: lane.row.id }, 'the spool of a pipeline could not be worked on');
      })
      .finally(() => {
        underWay.delete(lane);
        // Those that wait have their turn before it has its next one.
        if (lanes.delete(lane.row.id) && (lane.values > 0 || lane.isTouched)) lanes.set(lane.row.id, lane);
        look();
      });
    underWay.set(lane, done);
  };

  const deliverTo = (lane: Lane, target: Target): void => {
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
      if (underWay.has(lane) || lane.restsUntilMs > now()) continue;
      const target = targets.known(lane.row.destination_key);
      const isDue = lane.dueAtMs <= now();
      if (target === undefined) {
        // How much it takes at once says when something is due.
        start(lane, () => findTarget(lane));
      } else if ((isDue || lane.values >= target.batchSize) && hasRoomFor(target)) deliverTo(lane, target);
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS);

  return {
    apply: async (id, row) => {
      if (row === undefined) {
        lanes.delete(id);
        paces.delete(id);
        return;
      }
      if (!lanes.has(id) && row.spool_bytes === 0) return;
      const lane = laneOf(row);
      lane.row = row;
      lane.fault = undefined;
      lane.restsUntilMs = 0;
      await plan(lane);
      // It may have been taken away meanwhile, as one where nothing waits.
      if (lane.values > 0) lanes.set(id, lane);
    },
    spooled: (row, { values, bytes }) => {
      const lane = laneOf(row);
      lane.isTouched = true;
      lane.values += values;
      lane.bytes += bytes;
      lane.oldestAtMs ??= now();
      lane.dueAtMs = Math.min(lane.dueAtMs, now() + patienceMs(row));
      paceOf(row.id).count('in', bytes);
    },
    foundFull: (id) => {
      const lane = lanes.get(id);
      if (lane !== undefined) lane.isFull = true;
    },
    destinationChanged: (id) => targets.forget(id),
    faultOf: (id) => {
      const lane = lanes.get(id);
      if (lane === undefined) return undefined;
      const fault = lane.fault ?? targets.known(lane.row.destination_key)?.fault;
      if (!lane.isFull) return fault;
      const why = fault === undefined ? '' : ` ${fault.detail}`;
      return { detail: `The spool is full: nothing more is taken until there is room.${why}`, isFatal: true };
    },
    spoolOf: ({ id, destination_key, spool_bytes: bytes }) => {
      const lane = lanes.get(id);
      if (destination_key === TELEMETRY && bytes === 0) return null;
      const oldestAt =
        lane?.oldestAtMs === undefined || bytes === 0 ? null : new Date(lane.oldestAtMs).toISOString();
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
