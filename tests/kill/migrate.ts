import { parseArgs } from 'node:util';
import { runMigrationKills } from './parts/run-migration-kills.ts';

/**
 * Repeatedly kills `penstock migrate` at random moments. The same command must continue each time, and in the end both sides must
 * be equal. `--clickhouse`: the telemetry goes to ClickHouse, which is killed as well. `--postgres`: so does telemetry that was in
 * PostgreSQL.
 */
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    times: { type: 'string', default: '10' },
    samples: { type: 'string', default: '2000000' },
    seed: { type: 'string', default: '1' },
    clickhouse: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
});
const [times, samples, seed] = [Number(values.times), Number(values.samples), Number(values.seed)];
if (![times, samples, seed].every(Number.isSafeInteger) || times < 1 || samples < 1) {
  process.stderr.write('--times and --samples must be integers of at least 1, --seed an integer.\n');
  process.exit(1);
}
const print = (line: string) => process.stdout.write(`${line}\n`);
print(`${times} kills, ${samples.toLocaleString('en')} samples, seed ${seed}`);
const faults = await runMigrationKills(
  {
    times,
    samples,
    seed,
    toClickHouse: values.clickhouse || values.postgres,
    isFromPostgres: values.postgres,
  },
  print,
);
for (const fault of faults) print(fault);
print(faults.length === 0 ? 'Nothing was lost.' : 'Errors were found.');
process.exit(faults.length === 0 ? 0 : 1);
