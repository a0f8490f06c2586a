import { parseArgs } from 'node:util';
import { endRun, abortRun, killOptions, print, readKillOptions } from './parts/kill-options.ts';
import { runMigrationKills } from './parts/run-migration-kills.ts';

/**
 * Repeatedly kills `penstock migrate` at random moments. The same command must continue each time, and in the end both sides must
 * be equal. `--clickhouse`: the telemetry goes to ClickHouse, which is killed as well. `--postgres`: so does telemetry that was in
 * PostgreSQL.
 */
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    ...killOptions(10),
    samples: { type: 'string', default: '2000000' },
    clickhouse: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
});
const { times, seed } = readKillOptions(values);
const samples = Number(values.samples);
if (!Number.isSafeInteger(samples) || samples < 1) abortRun('--samples must be an integer of at least 1.');
print(`${times} kills, ${samples.toLocaleString('en')} samples, seed ${seed}`);
endRun(
  await runMigrationKills(
    {
      times,
      samples,
      seed,
      toClickHouse: values.clickhouse || values.postgres,
      isFromPostgres: values.postgres,
    },
    print,
  ),
);
