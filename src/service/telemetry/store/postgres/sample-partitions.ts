import {
  inPostgresTransaction,
  type PostgresClient,
  type PostgresPool,
} from '../../../platform/storage/dialects/postgres-pool.ts';
import { STOP_WRITES } from './write-locks.ts';

/** Times before and after share a partition each: a wrong clock must not create thousands. */
const FIRST_YEAR = 2000;
const LAST_YEAR = 2100;
const LOCK_NOT_AVAILABLE = '55P03';

type Partition = { readonly name: string; readonly fromMs: number; readonly toMs: number };

const EARLIEST: Partition = {
  name: 'telemetry_sample_earlier',
  fromMs: Number.MIN_SAFE_INTEGER,
  toMs: Date.UTC(FIRST_YEAR),
};
const LATEST: Partition = {
  name: 'telemetry_sample_later',
  fromMs: Date.UTC(LAST_YEAR),
  toMs: Number.MAX_SAFE_INTEGER,
};

/** The partition of a time: its month in UTC. */
const partitionOf = (ts: number): Partition => {
  if (ts < EARLIEST.toMs) return EARLIEST;
  if (ts >= LATEST.fromMs) return LATEST;
  const time = new Date(ts);
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  return {
    name: `telemetry_sample_${year}_${String(month + 1).padStart(2, '0')}`,
    fromMs: Date.UTC(year, month),
    toMs: Date.UTC(year, month + 1),
  };
};

/** Counts samples by partition. */
export class PartitionCounts {
  readonly #counts = new Map<string, { readonly partition: Partition; samples: number }>();
  #last: { readonly partition: Partition; samples: number } | undefined;

  add(ts: number, samples: number): void {
    // Most samples are in the month of the one before.
    if (this.#last === undefined || ts < this.#last.partition.fromMs || ts >= this.#last.partition.toMs) {
      const partition = partitionOf(ts);
      this.#last = this.#counts.get(partition.name) ?? { partition, samples: 0 };
      this.#counts.set(partition.name, this.#last);
    }
    this.#last.samples += samples;
  }

  partitions(): Partition[] {
    return [...this.#counts.values()].map(({ partition }) => partition);
  }

  async save(client: PostgresClient): Promise<void> {
    const changed = [...this.#counts.values()].filter(({ samples }) => samples !== 0);
    if (changed.length === 0) return;
    await client.query(
      `update telemetry_partition as stored set samples = stored.samples + changed.samples
       from unnest($1::text[], $2::bigint[]) as changed (name, samples) where stored.name = changed.name`,
      [changed.map(({ partition }) => partition.name), changed.map(({ samples }) => samples)],
    );
  }
}

/** The partitions of the samples. Another process may create and drop them too. */
export class SamplePartitions {
  readonly #pool: PostgresPool;
  readonly #dropWithinMs: number;
  /** Undefined until they are read. */
  #known: Set<string> | undefined;

  /** @param dropWithinMs how long dropping a partition waits for reads, while other reads wait for it */
  constructor(pool: PostgresPool, dropWithinMs: number) {
    this.#pool = pool;
    this.#dropWithinMs = dropWithinMs;
  }

  /** Call after a lost connection: the partitions may have changed. */
  clear(): void {
    this.#known = undefined;
  }

  /** Creates the partitions that are missing. Attaching a table, unlike creating a partition, waits for no read. */
  async create(partitions: readonly Partition[]): Promise<void> {
    this.#known ??= await this.#readNames();
    for (const { name, fromMs, toMs } of partitions) {
      if (this.#known.has(name)) continue;
      await this.#change(async (client) => {
        const stored = await client.query('select from telemetry_partition where name = $1', [name]);
        if (stored.rowCount !== 0) return;
        await client.query(
          `create table ${name} (like telemetry_sample including all);
           alter table telemetry_sample attach partition ${name} for values from (${fromMs}) to (${toMs});
           insert into telemetry_partition (name, from_ts, to_ts, samples) values ('${name}', ${fromMs}, ${toMs}, 0)`,
        );
      });
      this.#known.add(name);
    }
  }

  /** Drops the partitions whose samples are all before `toMs`. One that is being read stays until the next call. */
  async dropBefore(toMs: number): Promise<void> {
    const { rows } = await this.#pool.query<{ name: string }>(
      'select name from telemetry_partition where to_ts <= $1 order by from_ts',
      [Math.floor(toMs)],
    );
    for (const { name } of rows) {
      try {
        await this.#change((client) =>
          client.query(
            `set local lock_timeout = ${this.#dropWithinMs};
             delete from telemetry_partition where name = '${name}';
             drop table if exists ${name}`,
          ),
        );
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE) return;
        throw error;
      }
      this.#known?.delete(name);
    }
  }

  async #readNames(): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ name: string }>('select name from telemetry_partition');
    return new Set(rows.map(({ name }) => name));
  }

  async #change(change: (client: PostgresClient) => Promise<unknown>): Promise<void> {
    try {
      await inPostgresTransaction(this.#pool, change, STOP_WRITES);
    } catch (error) {
      // If the connection was lost during the commit, the server may have changed them.
      this.clear();
      throw error;
    }
  }
}
