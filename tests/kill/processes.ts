import { readKillOptions } from './parts/kill-options.ts';
import { runProcessKills } from './parts/run-process-kills.ts';

/**
 * Kills three processes that share one PostgreSQL, one after another, while senders write to all of them. In the end every
 * answered sample must be stored or delivered, and another process must have taken over within 15 s each time.
 */
const { times, seed } = readKillOptions(20);
const print = (line: string) => process.stdout.write(`${line}\n`);
print(`${times} kills, seed ${seed}`);
const { faults, stored, spooled, longestPauseMs } = await runProcessKills({ times, seed }, print);
print(`${stored} samples stored, ${spooled} delivered, no polls for ${longestPauseMs} ms at most`);
for (const fault of faults.slice(0, 20)) print(fault);
print(faults.length === 0 ? 'Nothing was lost.' : 'Errors were found.');
process.exit(faults.length === 0 ? 0 : 1);
