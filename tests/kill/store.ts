import { parseArgs } from 'node:util';
import { runStoreKills } from './parts/run-store-kills.ts';

/**
 * Kills a process that fills a telemetry store, again and again, at its answers, at any moment and while it starts. After
 * each kill the store must hold every sample that was answered, once, with its value; what was removed must be gone.
 */
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { times: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
});
const [times, seed] = [Number(values.times), Number(values.seed)];
if (!Number.isSafeInteger(times) || times < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('--times must be an integer of at least 1, --seed an integer.\n');
  process.exit(1);
}
const say = (line: string) => process.stdout.write(`${line}\n`);
say(`${times} kills, seed ${seed}`);
const { faults, keptAt } = await runStoreKills({ times, seed }, say);
if (keptAt !== undefined) say(`The files are in ${keptAt}`);
say(faults.length === 0 ? 'Nothing was lost.' : 'Errors were found.');
process.exit(faults.length === 0 ? 0 : 1);
