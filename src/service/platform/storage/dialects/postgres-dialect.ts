import { PostgresDialect, type Dialect } from 'kysely';
import { Pool, types } from 'pg';

const { INT8, NUMERIC } = types.builtins;

const readNumber = (text: string): number => {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new RangeError(`The database returned ${text}, which is beyond 2^53.`);
  return number;
};

const openPool = (url: string): Pool => {
  const pool = new Pool({
    connectionString: url,
    max: 8,
    types: {
      getTypeParser: (oid, format) =>
        oid === INT8 || oid === NUMERIC ? readNumber : types.getTypeParser(oid, format),
    },
  });
  // A broken connection fails its query. An idle one is replaced when needed.
  const ignored = () => undefined;
  pool.on('error', ignored).on('connect', (client) => client.on('error', ignored));
  return pool;
};

/** PostgreSQL at `postgres://…`. Returns 64-bit integers and sums as numbers, like SQLite. */
export const postgresDialect = (url: string): Dialect => new PostgresDialect({ pool: openPool(url) });
