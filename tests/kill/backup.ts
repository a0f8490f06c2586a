import { parseArgs } from 'node:util';
import { findPostgres } from '../service/start-postgres.ts';
import { engines } from './parts/backup-engines.ts';
import { endRun, abortRun, killOptions, print, readKillOptions } from './parts/kill-options.ts';
import { runBackups } from './parts/run-backups.ts';

/**
 * Takes backups of a service under load at random moments, restores each into an empty directory, and starts a service on it. It
 * must have every sample, device, pipeline and API key that was answered before the backup, and nothing that was never sent.
 * `--engine postgres`: metadata and telemetry are in PostgreSQL, whose own programs back up and restore them.
 */
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { ...killOptions(5), engine: { type: 'string', default: 'embedded' } },
});
const { times, seed } = readKillOptions(values);
const engine =
  engines.find((name) => name === values.engine) ?? abortRun(`--engine must be ${engines.join(' or ')}.`);
if (engine === 'postgres' && findPostgres() === undefined) abortRun('Install PostgreSQL first.');
print(`${times} backups, seed ${seed}, engine ${engine}`);
const { faults, keptAt } = await runBackups({ times, seed, engine }, print);
if (keptAt !== undefined) print(`The files are in ${keptAt}`);
endRun(faults, 'Each restored backup was complete.');
