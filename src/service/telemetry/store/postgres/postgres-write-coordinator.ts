import {
  inPostgresTransaction,
  type PostgresClient,
  type PostgresPool,
} from '../../../platform/storage/dialects/postgres-pool.ts';
import type { WriteCoordinator } from '../write-coordinator.ts';
import { SHARE_WRITES, STOP_WRITES, LOCK_SERIES_CREATION } from './write-locks.ts';

/** The longest time for a write to the other server. A process that hangs for longer loses the lock. */
const HOLD_WITHIN_MS = 130_000;

const FACT = 'telemetry-generation';

const READ_GENERATION = `select coalesce(max(value), '0')::bigint as value from fact where name = '${FACT}'`;
const COUNT_GENERATION = `insert into fact as stored (name, value) values ('${FACT}', '1')
  on conflict (name) do update set value = stored.value::bigint + 1`;

/**
 * Coordinates writes to another server with locks in the PostgreSQL database of the metadata. Each call takes up to two
 * connections.
 */
export const createWriteCoordinator = (pool: PostgresPool): WriteCoordinator => {
  const locked = <T>(lock: string, work: (client: PostgresClient) => Promise<T>): Promise<T> =>
    inPostgresTransaction(
      pool,
      work,
      `set local idle_in_transaction_session_timeout = ${HOLD_WITHIN_MS}; ${lock}`,
    );
  return {
    share: (write) =>
      locked(SHARE_WRITES, async (client) => {
        const { rows } = await client.query<{ value: number }>(READ_GENERATION);
        return write(rows[0]?.value ?? 0);
      }),
    stopWrites: (step) =>
      locked(STOP_WRITES, async () => {
        // Committed before the step: this process may be killed in it.
        await pool.query(COUNT_GENERATION);
        return step();
      }),
    lockSeriesCreation: (step) => locked(LOCK_SERIES_CREATION, () => step()),
  };
};
