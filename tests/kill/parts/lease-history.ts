import { connectTo } from '#tests/service/postgres-client.ts';

const RECORD = `
  create table lease_history (token bigint, holder text, taken_at double precision);
  insert into lease_history select token, holder, 0 from lease;
  create function record_lease() returns trigger language plpgsql as $$ begin
    insert into lease_history values (new.token, new.holder, extract(epoch from clock_timestamp()) * 1000);
    return new;
  end $$;
  create trigger record_lease after update on lease for each row when (old.token <> new.token)
    execute function record_lease()`;

/** A holder of the lease. */
export type Tenure = { pid: number; token: number; fromMs: number; toMs: number };

type Row = { token: string; holder: string; taken_at: number };

const pidOf = (holder: string): number => Number(holder.slice(holder.lastIndexOf(':') + 1));

/** The holders of the lease, which a trigger of PostgreSQL records in the transaction in which each takes it. */
export const recordLeases = async (url: string) => {
  const read = async <T extends object>(sql: string): Promise<T[]> => {
    const client = await connectTo(url);
    try {
      return (await client.query(sql)).rows as T[];
    } finally {
      await client.end();
    }
  };
  await read(RECORD);
  return {
    /** The process that holds the lease now; undefined: none does. */
    holder: async (): Promise<number | undefined> => {
      const [row] = await read<Row>(
        'select holder from lease where expires_at > extract(epoch from clock_timestamp()) * 1000',
      );
      return row && pidOf(row.holder);
    },
    tenures: async (): Promise<Tenure[]> => {
      const rows = await read<Row>('select token, holder, taken_at from lease_history order by token');
      return rows.map(({ token, holder, taken_at: fromMs }, i) => ({
        pid: pidOf(holder),
        token: Number(token),
        fromMs,
        toMs: rows[i + 1]?.taken_at ?? Infinity,
      }));
    },
  };
};
