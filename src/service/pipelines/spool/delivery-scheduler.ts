import { TELEMETRY } from '#contract/pipelines.ts';
import { type Spool } from '#contract/pipeline-state.ts';
import type { PipelineRow } from '../definition/pipeline-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DiskGuard } from '../../platform/storage/disk-guard.ts';
import { LeaseLost } from '../../platform/storage/lease.ts';
import type { Timeouts } from '../../platform/timeouts.ts';
import { deliverNext, type DeliverNextDependencies } from './deliver-next.ts';
import {
  createDeliveryQueue,
  follow,
  addToQueue,
  planDelivery,
  type DeliveryFault,
  type DeliveryQueue,
} from './delivery-queue.ts';
import { createSpoolThroughput, type SpoolThroughput } from './spool-throughput.ts';
import {
  createDeliveryDestinations,
  type DeliveryDestination,
  type DeliveryDestinationsDependencies,
} from './delivery-destinations.ts';
import { toIsoTime } from '../../platform/iso-time.ts';

/** The waits after an internal error, and if the destination does not exist. */
const AGAIN_AFTER_MS = 1_000;
const MISSING_AFTER_MS = 60_000;
/**
 * Limits of concurrent deliveries: per destination, per failing destination, in total, and to all failing destinations.
 */
const AT_ONCE = { destination: 4, failingDestination: 1, all: 16, allFailing: 8 };

export type DeliveryScheduler = {
  /** Called after a pipeline was started, changed or (undefined) deleted. */
  apply(id: string, row: PipelineRow | undefined): Promise<void>;
  /** Called after samples of a pipeline were written to its spool. */
  spooled(pipelineId: string, grown: { samples: number; bytes: number }): void;
  /** Finds samples that another process has spooled, in case its announcement was lost. */
  adopt(pipelineId: string): void;
  /** Called if the spool of a pipeline is full. */
  markFull(pipelineId: string): void;
  /** Called after a destination was changed, fixed or deleted. Retries pending deliveries immediately. */
  destinationChanged(destinationId: string): void;
  /** Called after a network was allowed. Retries deliveries to addresses that were not allowed immediately. */
  networkAllowed(): void;
  /** The fault that prevents deliveries of a pipeline; undefined: none. */
  faultOf(pipelineId: string): DeliveryFault | undefined;
  /** The spool of a pipeline; null for the built-in store. */
  spoolOf(row: Pick<PipelineRow, 'id' | 'destination_key' | 'spool_bytes'>): Spool | null;
  /** Aborts running deliveries. Waiting samples stay on disk. */
  close(): Promise<void>;
};

export type DeliverySchedulerDependencies = DeliveryDestinationsDependencies &
  DeliverNextDependencies & {
    clock: Pick<Clock, 'now' | 'elapsed'>;
    disk: Pick<DiskGuard, 'withReserve' | 'readOnlyError'>;
    timeouts: Pick<Timeouts, 'spoolCheckMs'>;
  };

/**
 * Delivers spooled samples to destinations, in the order of receipt for each pipeline, while this process holds the
 * lease.
 */
export const createDeliveryScheduler = (
  deps: DeliverySchedulerDependencies,
  {
    onDelivered,
    onRejected,
  }: {
    /** Called after the ledger of a pipeline changed. */
    onDelivered: (pipelineId: string) => void;
    onRejected: (pipelineId: string, samples: number) => void;
  },
): DeliveryScheduler => {
  const { db, disk, log, now, clock, spoolLimitBytes: limitBytes } = deps;
  const { elapsed } = clock;
  const destinations = createDeliveryDestinations(deps);
  const queues = new Map<string, DeliveryQueue>();
  /** By pipeline ID. Kept longer than queues, which are deleted when they are empty. */
  const throughputs = new Map<string, SpoolThroughput>();
  const underWay = new Map<DeliveryQueue, Promise<void>>();
  const stopping = new AbortController();
  let failingAtOnce = 0;

  const throughputOf = (id: string): SpoolThroughput => {
    const throughput = throughputs.get(id) ?? createSpoolThroughput(elapsed);
    throughputs.set(id, throughput);
    return throughput;
  };

  const queueOf = (id: string): DeliveryQueue => {
    const queue = queues.get(id) ?? createDeliveryQueue(id);
    queues.set(id, queue);
    return queue;
  };

  const destinationOf = ({ row }: DeliveryQueue): DeliveryDestination | undefined =>
    row === undefined ? undefined : destinations.findLoaded(row.destination_key);

  const plan = (queue: DeliveryQueue): Promise<void> => planDelivery(db, queue, { limitBytes, clock });

  const deliver = async (queue: DeliveryQueue, destination: DeliveryDestination): Promise<void> => {
    const { pipelineId } = queue;
    // A delivery frees disk space, so it may use the reserve.
    const attributes = { 'penstock.pipeline': pipelineId, 'penstock.destination': destination.row.id };
    const isDone = await disk.withReserve(() =>
      deps.tracing.span(
        'deliver samples',
        attributes,
        () =>
          deliverNext(
            deps,
            destinations,
            { queue, destination, stopping: stopping.signal },
            ({ bytes, rejected }) => {
              throughputOf(pipelineId).count('out', bytes);
              if (rejected > 0) onRejected(pipelineId, rejected);
              onDelivered(pipelineId);
            },
          ),
        { isRoot: true },
      ),
    );
    if (isDone) await plan(queue);
  };

  const loadDestination = async (
    queue: DeliveryQueue,
    { destination: name, destination_key: key }: PipelineRow,
  ) => {
    const destination = await destinations.find(key);
    const detail = `There is no destination ${name}. Choose another destination.`;
    queue.fault = destination === undefined ? { detail, isFatal: true } : undefined;
    if (destination === undefined) queue.restsUntilMs = elapsed() + MISSING_AFTER_MS;
  };

  const hasRoomFor = ({ fault, busy }: DeliveryDestination): boolean => {
    if (underWay.size >= AT_ONCE.all) return false;
    if (fault === undefined) return busy < AT_ONCE.destination;
    return (
      fault.retryAtMs <= elapsed() && busy < AT_ONCE.failingDestination && failingAtOnce < AT_ONCE.allFailing
    );
  };

  const start = (queue: DeliveryQueue, work: () => Promise<void>): void => {
    const done = work()
      .catch((error: unknown) => {
        queue.restsUntilMs = elapsed() + AGAIN_AFTER_MS;
        if (error instanceof LeaseLost) return;
        log.error({ err: error, pipeline: queue.pipelineId }, 'could not process the spool of a pipeline');
      })
      .finally(() => {
        underWay.delete(queue);
        if (queues.get(queue.pipelineId) === queue) {
          // Waiting queues get their turn before this one gets the next.
          queues.delete(queue.pipelineId);
          if (queue.pendingEstimate > 0 || queue.isTouched) queues.set(queue.pipelineId, queue);
        }
        checkQueues();
      });
    underWay.set(queue, done);
  };

  const deliverTo = (queue: DeliveryQueue, destination: DeliveryDestination): void => {
    const isFailing = destination.fault !== undefined;
    if (isFailing) failingAtOnce += 1;
    destinations.acquire(destination);
    start(queue, () =>
      deliver(queue, destination).finally(() => {
        if (isFailing) failingAtOnce -= 1;
        destinations.release(destination);
      }),
    );
  };

  const checkQueues = (): void => {
    // Without a record of what was delivered, everything would be delivered again.
    if (stopping.signal.aborted || disk.readOnlyError() !== undefined || !deps.lease.isHeld()) return;
    for (const queue of queues.values()) {
      if (underWay.has(queue) || queue.restsUntilMs > elapsed()) continue;
      const { row } = queue;
      const destination = destinationOf(queue);
      if (row === undefined) start(queue, () => plan(queue));
      // The batch size of the destination determines when a delivery is due.
      else if (destination === undefined) start(queue, () => loadDestination(queue, row));
      else if (!hasRoomFor(destination)) continue;
      else if (queue.dueAtMs <= elapsed() || queue.pendingOnDisk >= destination.batchSize)
        deliverTo(queue, destination);
      else if (queue.pendingEstimate >= destination.batchSize) start(queue, () => plan(queue));
    }
  };
  const timer = setInterval(checkQueues, deps.timeouts.spoolCheckMs);

  return {
    apply: async (id, row) => {
      if (row === undefined) {
        queues.delete(id);
        throughputs.delete(id);
        return;
      }
      if (!queues.has(id) && row.spool_bytes === 0) return;
      const queue = queueOf(id);
      follow(queue, row);
      queue.fault = undefined;
      queue.restsUntilMs = 0;
      await plan(queue);
      // The queue may have been deleted while it was empty. There must never be two queues for a pipeline.
      if (queue.pendingEstimate > 0 && !queues.has(id)) queues.set(id, queue);
    },
    spooled: (id, grown) => {
      addToQueue(queueOf(id), grown, clock);
      throughputOf(id).count('in', grown.bytes);
    },
    adopt: (id) => {
      if (!queues.has(id)) queueOf(id).isTouched = true;
    },
    markFull: (id) => {
      const queue = queues.get(id);
      if (queue !== undefined) queue.isFull = true;
    },
    destinationChanged: (id) => destinations.drop(id),
    networkAllowed: () => {
      destinations.retryForbidden();
      checkQueues();
    },
    faultOf: (id) => {
      const queue = queues.get(id);
      if (queue === undefined) return undefined;
      const fault = queue.fault ?? destinationOf(queue)?.fault;
      if (!queue.isFull)
        return fault && { code: 'destination', detail: fault.detail, isFatal: fault.isFatal };
      const why = fault === undefined ? '' : ` ${fault.detail}`;
      return {
        code: 'spool-full',
        detail: `The spool is full, so messages are rejected until there is room.${why}`,
        isFatal: true,
      };
    },
    spoolOf: ({ id, destination_key, spool_bytes: bytes }) => {
      const queue = queues.get(id);
      if (destination_key === TELEMETRY && bytes === 0) return null;
      const oldestAt =
        queue?.oldestAtMs === undefined || bytes === 0 ? null : toIsoTime(Math.min(queue.oldestAtMs, now()));
      const isFailing = (queue?.fault ?? destinations.findLoaded(destination_key)?.fault) !== undefined;
      return { bytes, limitBytes, oldestAt, ...throughputOf(id).forecast({ bytes, limitBytes, isFailing }) };
    },
    close: async () => {
      clearInterval(timer);
      stopping.abort();
      await Promise.all(underWay.values());
      await destinations.close();
    },
  };
};
