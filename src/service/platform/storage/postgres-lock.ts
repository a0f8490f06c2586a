import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Logger } from 'pino';
import { UnusableDatabase } from './database.ts';
import { requireSameSchema, type ExpectedSchema } from './same-schema.ts';
import { DatabaseUnavailable, explainUnavailable } from './dialects/database-unavailable.ts';
import type { PostgresAddress } from './dialects/postgres-address.ts';
import { openPostgresClient } from './dialects/postgres-pool.ts';

/** In ms. */
export type DatabaseTimeouts = {
  /** At the start, for a PostgreSQL server that does not accept connections yet. */
  databaseWaitMs: number;
  /** For another process to release the lock of the database. */
  databaseLockMs: number;
  /** How often the connection that holds the lock is checked, and how long the server may take to answer. */
  databaseCheckMs: number;
  /** Between two attempts to connect or to acquire the lock. */
  databaseRetryMs: number;
  /** For the server to confirm that the connection ends that holds the lock. */
  databaseEndMs: number;
};

/** Another process holds the lock of the database. */
export class DatabaseInUse extends UnusableDatabase {
  override readonly name = 'DatabaseInUse';
}

export type DatabaseLock = {
  /** No other process held the lock when this one acquired it. */
  readonly isAlone: boolean;
  /** Lets other processes hold the lock too. */
  share(): Promise<void>;
  /** @throws DatabaseUnavailable while the lock is not held */
  requireHeld(): void;
  close(): Promise<void>;
};

type LockOptions = {
  address: PostgresAddress;
  /** The variable of the address, for messages. */
  variable: string;
  /** What the database is for, for the log. */
  content: 'metadata' | 'telemetry';
  /** The ID of the lock in the database: any number that nothing else uses. */
  lockId: number;
  /** Whether processes that hold the lock may share it. */
  mayShare: boolean;
  /** A channel to listen to on the connection of the lock, and what to call with each payload. */
  listen?: { channel: string; onPayload: (payload: string) => void } | undefined;
  /** The schema that this process expects; undefined: the caller migrates data into the database. */
  schema?: ExpectedSchema | undefined;
  timeouts: Omit<DatabaseTimeouts, 'databaseWaitMs'>;
  log: Logger;
  /** Called when the connection that holds the lock broke. The server has released the lock, or will. */
  onLost: () => void;
  /** Called when the lock is held again, before any other call reaches the server. */
  onResumed: () => void;
  /** Called when another process took the lock or migrated the database meanwhile. Must end the process. */
  onUnusable: (error: UnusableDatabase) => void;
};

/** Between two attempts while the server rejects the connection, for example because of a changed password. */
const MAX_RETRY_MS = 5_000;

/** A session of the server. Its process ID alone may later be that of another session, or of one on another server. */
type Session = { pid: number; startedAt: string };

/** @throws Error if the server takes longer */
const answerWithin = async <T>(ms: number, answer: Promise<T>): Promise<T> => {
  const silence = AbortSignal.timeout(ms);
  const silent = new Promise<never>((_, reject) =>
    silence.addEventListener('abort', () => reject(new Error('no answer'))),
  );
  return Promise.race([answer, silent]);
};

const OWN_SESSION = `
  select pid, backend_start::text as "startedAt" from pg_stat_activity where pid = pg_backend_pid()`;

const END_SESSION = `
  select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and backend_start = $2::timestamptz`;

/** A standby grants locks too, but the primary does not know them. */
const requirePrimary = async (client: Client, { place }: PostgresAddress): Promise<void> => {
  const { rows } = await client.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"');
  if (rows[0]?.isStandby !== false) throw new DatabaseUnavailable(place, 'the server is a standby');
};

/**
 * Holds an advisory lock for this process, on a connection of its own. If `mayShare`, it is exclusive until `share` if
 * no other process holds it, so that one process migrates the database; otherwise it is exclusive, and two processes
 * never use the database. If the connection breaks, the process acquires the lock again, unless another one was
 * faster.
 * @throws DatabaseInUse, DatabaseUnavailable, and other errors of the connection
 */
export const holdDatabase = async ({
  address,
  variable,
  content,
  lockId,
  mayShare,
  listen,
  schema,
  timeouts,
  log,
  onLost,
  onResumed,
  onUnusable,
}: LockOptions): Promise<DatabaseLock> => {
  let client: Client | undefined;
  let session: Session | undefined;
  const closing = new AbortController();
  const pause = (ms: number): Promise<void> =>
    delay(ms, undefined, { signal: closing.signal }).catch(() => undefined);

  let isAlone = false;
  const tryAs = async (candidate: Client, tryFunction: string): Promise<boolean> => {
    const { rows } = await candidate.query<{ isLocked: boolean }>(`select ${tryFunction}($1) as "isLocked"`, [
      lockId,
    ]);
    return rows[0]?.isLocked === true;
  };
  const tryLock = async (candidate: Client): Promise<boolean> => {
    // After a lost connection, other processes may have shared the lock meanwhile.
    isAlone = (!mayShare || session === undefined) && (await tryAs(candidate, 'pg_try_advisory_lock'));
    return isAlone || (mayShare && (await tryAs(candidate, 'pg_try_advisory_lock_shared')));
  };

  /** Connects, and waits for a process that is ending. */
  const acquire = async (): Promise<Client> => {
    const candidate = await openPostgresClient(address);
    const untilMs = performance.now() + timeouts.databaseLockMs;
    try {
      await requirePrimary(candidate, address);
      // Where only the network failed, the server still holds the lock for the lost session.
      if (session !== undefined && schema !== undefined)
        await candidate.query(END_SESSION, [session.pid, session.startedAt]);
      while (!(await tryLock(candidate))) {
        if (performance.now() > untilMs || closing.signal.aborted)
          throw new DatabaseInUse(
            `Another Penstock process uses the database of ${variable} at ${address.place}. Stop that process, or set ${variable} to another database.`,
          );
        await pause(timeouts.databaseRetryMs);
      }
      // Before the first lock, the caller opens the database and checks it.
      if (session !== undefined && schema !== undefined) await requireSameSchema(candidate, schema);
      const { rows } = await candidate.query<Session>(OWN_SESSION);
      session = rows[0];
      if (listen !== undefined) {
        candidate.on('notification', ({ payload = '' }) => listen.onPayload(payload));
        await candidate.query(`listen ${listen.channel}`);
      }
      return candidate;
    } catch (error) {
      // Without a farewell, which the server may never confirm.
      candidate.connection.stream.destroy();
      throw explainUnavailable(error, address.place);
    }
  };

  const reacquire = async (): Promise<void> => {
    let logged = '';
    let retryMs = timeouts.databaseRetryMs;
    while (!closing.signal.aborted)
      try {
        watch(await acquire());
        onResumed();
        log.info({ content, database: address.place }, 'PostgreSQL answers again');
        return;
      } catch (error) {
        if (error instanceof UnusableDatabase && !closing.signal.aborted) return onUnusable(error);
        if (!(error instanceof DatabaseUnavailable)) {
          if (String(error) !== logged)
            log.error({ err: error, content, database: address.place }, 'could not connect to PostgreSQL');
          logged = String(error);
          retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
        }
        await pause(retryMs);
      }
  };

  let reacquiring = Promise.resolve();
  const onConnectionLost = (held: Client, reason: string): void => {
    if (client !== held || closing.signal.aborted) return;
    client = undefined;
    log.error(
      { content, database: address.place, reason },
      'lost the connection to PostgreSQL, connecting again',
    );
    onLost();
    held.connection.stream.destroy();
    reacquiring = reacquire();
  };

  const watch = (held: Client): void => {
    client = held;
    held
      .on('error', (error) => onConnectionLost(held, error.message))
      .on('end', () => onConnectionLost(held, 'closed by the server'));
  };

  /** Detects a server that stopped answering without closing the connection. */
  const check = async (): Promise<void> => {
    const held = client;
    if (held === undefined) return;
    await answerWithin(timeouts.databaseCheckMs, held.query('select 1')).catch((error: Error) =>
      onConnectionLost(held, error.message),
    );
  };

  const release = async (): Promise<void> => {
    const held = client;
    client = undefined;
    if (held === undefined) return;
    await answerWithin(timeouts.databaseEndMs, held.end()).catch(() => undefined);
    // The connection may have broken unnoticed.
    held.connection.stream.destroy();
  };

  watch(await acquire());
  const timer = setInterval(() => void check(), timeouts.databaseCheckMs);
  timer.unref();

  return {
    isAlone,
    share: async () => {
      if (!isAlone) return;
      await client?.query(`select pg_advisory_lock_shared(${lockId}), pg_advisory_unlock(${lockId})`);
    },
    requireHeld: () => {
      if (client === undefined) throw new DatabaseUnavailable(address.place, 'the connection was lost');
    },
    close: async () => {
      closing.abort();
      clearInterval(timer);
      await release();
      await reacquiring;
      await release();
    },
  };
};
