import { startClickHouse } from './start-clickhouse.ts';

/** Runs for the project `clickhouse`: a server on loopback for all its files. */
export const setup = async (): Promise<() => Promise<void>> => {
  const server = await startClickHouse();
  process.env['TEST_CLICKHOUSE_URL'] = server.urlOf('default');
  return () => server.close();
};
