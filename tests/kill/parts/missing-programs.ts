import { isInstalled } from '../../service/installed.ts';
import { findPostgres } from '../../service/start-postgres.ts';

/** What a run needs besides Node, and is not installed. */
export const missingPrograms = (): string[] => [
  ...['nats-server', 'influxd'].filter((program) => !isInstalled(program)),
  ...(findPostgres() === undefined ? ['PostgreSQL'] : []),
];
