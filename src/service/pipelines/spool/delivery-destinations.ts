import type { Logger } from 'pino';
import * as z from 'zod';
import type { DestinationState } from '#contract/destinations.ts';
import { destinationOptions } from '#contract/destination-types.ts';
import { destinationStateChanged } from '../definition/destination-events.ts';
import {
  findDestination,
  findDestinationByName,
  stateOf,
  updateDestinationState,
  type DestinationRow,
} from '../definition/destination-store.ts';
import { describeError } from '../../platform/describe-error.ts';
import { backoffMs, type Backoff } from '../../platform/backoff.ts';
import { allowedBy } from '../../platform/outbound/outbound-failure.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Timeouts } from '../../platform/timeouts.ts';
import { openDestination, type OpenDestinationDependencies } from './open-destination.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { Lease } from '../../platform/storage/lease.ts';
import type { Transact } from '../../events/event-store.ts';
import { DeliveryFailure, type Delivery, type OpenDestination } from '../destinations/destination.ts';

/** Why a destination does not accept samples. A fatal fault must be fixed and is retried less often. */
export type DestinationFault = {
  readonly detail: string;
  readonly isFatal: boolean;
  /** Its address is not allowed. */
  readonly isForbidden: boolean;
  readonly attempts: number;
  /** By the monotonic clock, in ms. */
  readonly retryAtMs: number;
};

/** A destination that pipelines deliver to. */
export type DeliveryDestination = {
  row: DestinationRow;
  /** The largest number of samples in one delivery. */
  batchSize: number;
  /** Undefined until the first delivery. */
  open: OpenDestination | undefined;
  /** Number of running deliveries. */
  busy: number;
  fault: DestinationFault | undefined;
  /** The destination was changed or deleted. The next delivery looks it up again. */
  isStale: boolean;
};

const FATAL_RETRY_MS = 300_000;
/** The time of the last delivery is written at most this often. */
const DELIVERED_EVERY_MS = 5_000;

/** The fault after a failed delivery. `previous`: the fault before it. */
const faultAfter = (
  error: unknown,
  previous: DestinationFault | undefined,
  elapsedMs: number,
  backoff: Backoff,
): DestinationFault => {
  const detail = describeError(error);
  const attempts = (previous?.attempts ?? 0) + 1;
  const retryMs = backoffMs(attempts, backoff);
  if (!(error instanceof DeliveryFailure))
    return { detail, isFatal: false, isForbidden: false, attempts, retryAtMs: elapsedMs + retryMs };
  const isFatal = error.kind === 'refused';
  const isForbidden = allowedBy(error) !== undefined;
  const pauseMs = Math.max(error.retryAfterMs ?? 0, isFatal ? FATAL_RETRY_MS : retryMs);
  return { detail, isFatal, isForbidden, attempts, retryAtMs: elapsedMs + pauseMs };
};

/** The state of a destination with this fault. */
const stateWith = (fault: DestinationFault | undefined): DestinationState => {
  if (fault === undefined) return 'healthy';
  return fault.isFatal ? 'blocked' : 'retrying';
};

export type DeliveryDestinations = {
  /** Finds a destination by folded name; undefined: it does not exist. */
  find(destinationKey: string): Promise<DeliveryDestination | undefined>;
  /** The same, only if it is already loaded. */
  findLoaded(destinationKey: string): DeliveryDestination | undefined;
  /** Keeps the destination open for a delivery, until `release`. */
  acquire(destination: DeliveryDestination): void;
  release(destination: DeliveryDestination): void;
  /** Sends a delivery and opens the destination if needed. @throws DeliveryFailure */
  send(destination: DeliveryDestination, delivery: Delivery, signal: AbortSignal): Promise<void>;
  /** Writes the outcome of a delivery: the error, or undefined for success. */
  recordOutcome(destination: DeliveryDestination, error: unknown): Promise<void>;
  /** Writes the time of the last delivery now and then, in the transaction that counts it. */
  delivered(tx: Db, destination: DeliveryDestination, atMs: number): Promise<void>;
  /** Drops a destination, so that it is looked up again. */
  drop(destinationId: string): void;
  /** Makes destinations whose address was not allowed due for another attempt. */
  retryForbidden(): void;
  /** Closes all destinations. No delivery is running. */
  close(): Promise<void>;
};

const batchOptions = z.object({ batchSize: destinationOptions.file.shape.batchSize });

export type DeliveryDestinationsDependencies = OpenDestinationDependencies & {
  db: Db;
  transact: Transact;
  log: Logger;
  lease: Pick<Lease, 'requireHeld'>;
  clock: Pick<Clock, 'elapsed'>;
  timeouts: Pick<Timeouts, 'firstRetryMs' | 'longestRetryMs' | 'sameErrorMs'>;
};

/** The destinations with deliveries, each opened once. */
export const createDeliveryDestinations = (deps: DeliveryDestinationsDependencies): DeliveryDestinations => {
  const { db, transact, log, lease, now, clock, timeouts } = deps;
  const destinations = new Map<string, DeliveryDestination>();
  const closing = new Set<Promise<void>>();
  /** Number of changes of destinations. */
  let changes = 0;

  const closeDestination = ({ open, row }: DeliveryDestination): void => {
    if (open === undefined) return;
    const closed = open
      .close()
      .catch((error: unknown) =>
        log.warn({ err: error, destination: row.id }, 'could not close a destination'),
      )
      .finally(() => closing.delete(closed));
    closing.add(closed);
  };

  const find = async (key: string): Promise<DeliveryDestination | undefined> => {
    const known = destinations.get(key);
    if (known !== undefined) return known;
    const changesBefore = changes;
    const row = await findDestinationByName(db, key);
    // The destination may have changed during the query.
    if (changes !== changesBefore) return find(key);
    if (row === undefined) return undefined;
    const { batchSize } = batchOptions.parse(JSON.parse(row.options));
    // Another caller may have loaded it meanwhile.
    const destination = destinations.get(key) ?? {
      row,
      batchSize,
      open: undefined,
      busy: 0,
      fault: undefined,
      isStale: false,
    };
    destinations.set(key, destination);
    return destination;
  };

  return {
    find,
    findLoaded: (key) => destinations.get(key),
    acquire: (destination) => {
      destination.busy += 1;
    },
    release: (destination) => {
      destination.busy -= 1;
      if (destination.isStale && destination.busy === 0) closeDestination(destination);
    },
    send: async (destination, delivery, signal) => {
      const open = (destination.open ??= openDestination(deps, destination.row));
      await open.deliver(delivery, signal);
    },
    recordOutcome: async (destination, error) => {
      const at = now();
      const before = destination.fault;
      const fault =
        error === undefined
          ? undefined
          : faultAfter(error, before, clock.elapsed(), {
              firstMs: timeouts.firstRetryMs,
              longestMs: timeouts.longestRetryMs,
            });
      destination.fault = fault;
      const [from, to] = [stateOf(destination.row), stateWith(fault)];
      const isRecorded =
        from === to &&
        before?.detail === fault?.detail &&
        (fault === undefined || Math.abs(at - (destination.row.last_error_at ?? 0)) < timeouts.sameErrorMs);
      // The destination was changed meanwhile, so the outcome no longer applies.
      if (isRecorded || destination.isStale) return;
      const lastError = fault === undefined ? {} : { last_error: fault.detail, last_error_at: at };
      try {
        await transact(async (tx, recordEvents) => {
          await lease.requireHeld(tx);
          const current = await findDestination(tx, destination.row.id);
          // The same if the change is committed but not announced yet.
          if (current?.revision !== destination.row.revision) return;
          await updateDestinationState(tx, destination.row.id, { state: to, ...lastError });
          const reason = fault?.detail ?? null;
          if (from !== to)
            await recordEvents(
              destinationStateChanged(destination.row, { from, to, reason, actor: null, at }),
            );
        });
        destination.row = { ...destination.row, state: to, ...lastError };
      } catch (cause) {
        // The next outcome writes it.
        log.error(
          { err: cause, destination: destination.row.id },
          'could not write the state of a destination',
        );
      }
    },
    delivered: async (tx, destination, atMs) => {
      const before = destination.row.last_delivered_at ?? 0;
      if (Math.abs(atMs - before) < DELIVERED_EVERY_MS || destination.isStale) return;
      await updateDestinationState(tx, destination.row.id, { last_delivered_at: atMs });
      destination.row = { ...destination.row, last_delivered_at: atMs };
    },
    drop: (id) => {
      changes += 1;
      for (const [key, destination] of destinations) {
        if (destination.row.id !== id) continue;
        destinations.delete(key);
        // Running deliveries finish with the old connection.
        destination.isStale = true;
        if (destination.busy === 0) closeDestination(destination);
      }
    },
    retryForbidden: () => {
      for (const destination of destinations.values())
        if (destination.fault?.isForbidden === true)
          destination.fault = { ...destination.fault, retryAtMs: clock.elapsed() };
    },
    close: async () => {
      for (const destination of destinations.values()) closeDestination(destination);
      destinations.clear();
      await Promise.all(closing);
    },
  };
};
