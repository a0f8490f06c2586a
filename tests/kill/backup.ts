import { parseArgs } from 'node:util';
import { findPostgres } from '../service/start-postgres.ts';
import { engines } from './parts/backup-engines.ts';
import { runBackups } from './parts/run-backups.ts';

/**
 * Takes backups of a service under load at random moments, restores each into an empty directory, and starts a service on it. It
 * must have every sample, device, pipeline and API key that was answered before the backup, and nothing that was never sent.
 * `--engine postgres`: metadata and telemetry are in PostgreSQL, whose own programs back up and restore them.
 */
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    times: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    engine: { type: 'string', default: 'embedded' },
  },
});
const [times, seed] = [Number(values.times), Number(values.seed)];
const engine = engines.find((name) => name === values.engine);
const wrong =
  !Number.isSafeInteger(times) || times < 1 || !Number.isSafeInteger(seed)
    ? '--times must be an integer of at least 1, --seed an integer.'
    : engine === undefined
      ? `--engine must be ${engines.join(' or ')}.`
      : engine === 'postgres' && findPostgres() === undefined
        ? 'Install PostgreSQL first.'
        : undefined;
if (engine === undefined || wrong !== undefined) {
  process.stderr.write(`${wrong}\n`);
  process.exit(1);
}
const print = (line: string) => process.stdout.write(`${line}\n`);
print(`${times} backups, seed ${seed}, engine ${engine}`);
const { faults, keptAt } = await runBackups({ times, seed, engine }, print);
for (const fault of faults) print(fault);
if (keptAt !== undefined) print(`The files are in ${keptAt}`);
print(faults.length === 0 ? 'Each restored backup was complete.' : 'Errors were found.');
process.exit(faults.length === 0 ? 0 : 1);
