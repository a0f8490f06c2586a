import { parseArgs } from 'node:util';
import { endRun, killOptions, print, readKillOptions } from './parts/kill-options.ts';
import { runStoreKills } from './parts/run-store-kills.ts';

/**
 * Repeatedly kills a process that writes to a telemetry store: when it answers, at any other moment, or while it starts.
 * After each kill the store must hold every answered sample exactly once, with its value, and no removed sample.
 */
const { values } = parseArgs({ args: process.argv.slice(3), options: killOptions(50) });
const { times, seed } = readKillOptions(values);
print(`${times} kills, seed ${seed}`);
const { faults, keptAt } = await runStoreKills({ times, seed }, print);
if (keptAt !== undefined) print(`The files are in ${keptAt}`);
endRun(faults);
