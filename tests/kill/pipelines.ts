import { parseArgs } from 'node:util';
import { abortRun, killOptions, print, readKillOptions } from './parts/kill-options.ts';
import { missingPrograms } from './parts/missing-programs.ts';
import { lossesTable, runKills } from './parts/run-kills.ts';

/**
 * Kills the service, its source broker and its destinations with SIGKILL, repeatedly and sometimes two at once, while a
 * client in another process sends values and records what was acknowledged. In the end every acknowledged value must be
 * in its destination exactly once, and at every check received = delivered + pending + rejected + skipped.
 *
 * The source broker is nats-server, whose JetStream writes a message to its file before it acknowledges it. mosquitto
 * acknowledges before a message is on disk, so its losses would prove nothing about the service.
 */
const { values } = parseArgs({ args: process.argv.slice(3), options: killOptions(50) });
const { times, seed } = readKillOptions(values);
const missing = missingPrograms();
if (missing.length > 0) abortRun(`Install ${missing.join(', ')} first.`);
print(`${times} kills, seed ${seed}`);
const { outcomes, hasPassed, keptAt } = await runKills({ times, seed, print });
print(`\n${lossesTable(outcomes)}\n`);
if (keptAt !== undefined) print(`The files are in ${keptAt}`);
print(hasPassed ? 'Nothing was lost.' : 'Errors were found.');
process.exit(hasPassed ? 0 : 1);
