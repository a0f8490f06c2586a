import { startPostgres } from './start-postgres.ts';
import { createTemplate } from './test-database.ts';

/** Runs for the project `postgres`: a server on loopback for all its files, whose programs are in POSTGRES_BIN. */
export const setup = async (): Promise<() => Promise<void>> => {
  const server = await startPostgres();
  await createTemplate(server.url);
  process.env['TEST_POSTGRES_URL'] = server.url;
  return () => server.close();
};
