import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { inWrite, type Db } from './database.ts';
import { DatabaseUnavailable } from './dialects/database-unavailable.ts';

type LeaseTable = {
  name: string;
  /** The host and process ID of the holder, for people who read the table. */
  holder: string;
  /** Increases with each holder. */
  token: number;
  /** Epoch ms, by the clock of the database server. */
  expires_at: number;
};

declare module './database.ts' {
  interface Schema {
    lease: LeaseTable;
  }
}

/** In ms. */
export type LeaseTimeouts = {
  /** For the holder to renew the lease, by the clock of the database server. */
  leaseMs: number;
  /** How often the holder renews the lease, and how often other processes try to take it. */
  leaseRenewMs: number;
};

/** Another process has taken the lease, and does the work now. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The right of one process to do work that must not be done twice at the same time. */
export type Lease = {
  /**
   * Whether this process holds the lease, so that no other process can. False after the process or its machine was
   * suspended for longer than the lease lasts, even before any timer has fired. Check right before each poll and each
   * delivery.
   */
  isHeld(): boolean;
  /** Aborts when this process loses the lease. */
  signal(): AbortSignal;
  /**
   * Fences a write: it fails unless this process holds the lease until the commit. Only in `inWrite`. @throws LeaseLost
   */
  requireHeld(tx: Db): Promise<void>;
  /** Calls the listener after this process got or lost the lease. Returns a function that ends the calls. */
  onChange(listener: (isHeld: boolean) => void): () => void;
  /** Gives the lease to another process at once. */
  close(): Promise<void>;
};

const NEVER = new AbortController();

/** The lease of a process that has the database for itself. */
export const soleLease: Lease = {
  isHeld: () => true,
  signal: () => NEVER.signal,
  requireHeld: async () => undefined,
  onChange: () => () => undefined,
  close: async () => undefined,
};

/** The work of the schedulers: polls, subscriptions, deliveries, webhooks, states and deletions because of age. */
const NAME = 'schedulers';

const SERVER_TIME_MS = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Takes the lease if it is free or has expired, and renews it. The other processes try as often as the holder renews,
 * so one of them has the lease `leaseMs + leaseRenewMs` after the holder has died. PostgreSQL only.
 * @param isAlone no other process is running, so the lease of one that died is taken at once
 */
export const startLease = async ({
  db,
  log,
  timeouts: { leaseMs, leaseRenewMs },
  isAlone,
}: {
  db: Db;
  log: Logger;
  timeouts: LeaseTimeouts;
  isAlone: boolean;
}): Promise<Lease> => {
  const holder = `${hostname()}:${process.pid}`;
  const listeners = new Set<(isHeld: boolean) => void>();
  let token: number | undefined;
  /**
   * The end of the lease for this process, earlier than on the server. By two clocks, because the monotonic clock stops
   * while the machine is suspended.
   */
  let heldUntil = { monotonicMs: 0, wallMs: 0 };
  let loss = new AbortController();
  let isKnownHeld = false;
  let expiry: NodeJS.Timeout | undefined;

  const isHeld = (): boolean =>
    token !== undefined && performance.now() < heldUntil.monotonicMs && Date.now() < heldUntil.wallMs;

  const take = (force: boolean): Promise<number | undefined> =>
    // No fenced write is under way in the same lock.
    inWrite(db, async (tx) => {
      const row = await tx
        .insertInto('lease')
        .values({ name: NAME, holder, token: 1, expires_at: sql`${SERVER_TIME_MS} + ${leaseMs}` })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet((is) => ({
              holder,
              token: is('lease.token', '+', 1),
              expires_at: is.ref('excluded.expires_at'),
            }))
            .where((is) => is.or([is('lease.expires_at', '<=', SERVER_TIME_MS), is.val(force)])),
        )
        .returning('token')
        .executeTakeFirst();
      return row?.token;
    });

  const renew = async (held: number): Promise<number | undefined> => {
    const row = await db
      .updateTable('lease')
      .set({ expires_at: sql`${SERVER_TIME_MS} + ${leaseMs}` })
      .where('name', '=', NAME)
      .where('token', '=', held)
      .returning('token')
      .executeTakeFirst();
    return row?.token;
  };

  const notify = (): void => {
    if (isHeld() === isKnownHeld) return;
    isKnownHeld = !isKnownHeld;
    if (isKnownHeld) loss = new AbortController();
    else loss.abort(new LeaseLost('Another process may run the schedulers.'));
    log.info(
      { holder, token },
      isKnownHeld ? 'this process runs the schedulers' : 'another process runs the schedulers',
    );
    for (const listener of listeners) listener(isKnownHeld);
  };

  const update = async (force = false): Promise<void> => {
    const asked = { monotonicMs: performance.now(), wallMs: Date.now() };
    // A holder whose lease expired may still be the last one.
    if (token !== undefined) token = await renew(token);
    if (token === undefined) {
      notify();
      token = await take(force);
    }
    if (token !== undefined) {
      heldUntil = { monotonicMs: asked.monotonicMs + leaseMs, wallMs: asked.wallMs + leaseMs };
      clearTimeout(expiry);
      expiry = setTimeout(onExpired, heldUntil.monotonicMs - performance.now() + 5);
      expiry.unref();
    }
    notify();
  };
  const onExpired = (): void => {
    notify();
    startUpdate();
  };

  let updating: Promise<void> = Promise.resolve();
  let isUpdating = false;
  let isClosed = false;
  const startUpdate = (): void => {
    if (isUpdating || isClosed) return;
    isUpdating = true;
    updating = update()
      .catch((error: unknown) => {
        // The outage is logged by the connection.
        if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, 'could not renew the lease');
      })
      .finally(() => {
        isUpdating = false;
      });
  };
  await update(isAlone);
  const timer = setInterval(startUpdate, leaseRenewMs);
  timer.unref();

  return {
    isHeld,
    signal: () => loss.signal,
    requireHeld: async (tx) => {
      const row = await tx.selectFrom('lease').select('token').where('name', '=', NAME).executeTakeFirst();
      if (token !== undefined && row?.token === token) return;
      token = undefined;
      notify();
      startUpdate();
      throw new LeaseLost('Another process runs the schedulers.');
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await updating;
      clearTimeout(expiry);
      if (token === undefined) return;
      await db
        .updateTable('lease')
        .set({ expires_at: 0 })
        .where('name', '=', NAME)
        .where('token', '=', token)
        .execute()
        .catch((error: unknown) => {
          if (!(error instanceof DatabaseUnavailable)) throw error;
        });
    },
  };
};
