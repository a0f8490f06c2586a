import { readKillOptions } from './parts/kill-options.ts';
import { runStoreKills } from './parts/run-store-kills.ts';

/**
 * Repeatedly kills a process that writes to a telemetry store: when it answers, at any other moment, or while it starts.
 * After each kill the store must hold every answered sample exactly once, with its value, and no removed sample.
 */
const { times, seed } = readKillOptions(50);
const print = (line: string) => process.stdout.write(`${line}\n`);
print(`${times} kills, seed ${seed}`);
const { faults, keptAt } = await runStoreKills({ times, seed }, print);
if (keptAt !== undefined) print(`The files are in ${keptAt}`);
print(faults.length === 0 ? 'Nothing was lost.' : 'Errors were found.');
process.exit(faults.length === 0 ? 0 : 1);
