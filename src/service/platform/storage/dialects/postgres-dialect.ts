import { PostgresDialect, type Dialect } from 'kysely';
import { Pool, types } from 'pg';

const { INT8, NUMERIC } = types.builtins;

const readNumber = (text: string): number => {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new RangeError(`The database holds ${text}, which is beyond 2^53.`);
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
  // A connection that breaks fails the query that it is used by; one that idles is replaced when it is needed.
  const ignored = () => undefined;
  pool.on('error', ignored).on('connect', (client) => client.on('error', ignored));
  return pool;
};

/** PostgreSQL at `postgres://…`. Its 64-bit integers and sums come as numbers, as SQLite's do. */
export const postgresDialect = (url: string): Dialect => new PostgresDialect({ pool: openPool(url) });
