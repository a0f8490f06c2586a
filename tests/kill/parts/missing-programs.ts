import { isInstalled } from '../../service/installed.ts';
import { findPostgres } from '../../service/start-postgres.ts';

/** The programs that a run needs and that are not installed. */
export const missingPrograms = (): string[] => [
  ...['nats-server', 'influxd'].filter((program) => !isInstalled(program)),
  ...(findPostgres() === undefined ? ['PostgreSQL'] : []),
];
