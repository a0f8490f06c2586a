import { parseArgs } from 'node:util';
import { missingPrograms } from './parts/missing-programs.ts';
import { lossesTable, runKills } from './parts/run-kills.ts';

/**
 * Kills the service, the broker it takes from and the destinations it sends to by SIGKILL, again and again and
 * sometimes two at once, while a client in a process of its own goes on sending and keeps a ledger of what was
 * acknowledged. In the end every value that was acknowledged must be in its destination, once, with its own number, and
 * at every look received = delivered + pending + rejected + skipped.
 *
 * The broker that is killed is nats-server, whose JetStream has a message in its file before it says so. mosquitto is
 * not killed here: it acknowledges before a message is on its disk, so that what is missing afterwards would say
 * nothing of this service.
 */
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { times: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
});
const [times, seed] = [Number(values.times), Number(values.seed)];
if (!Number.isSafeInteger(times) || times < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('--times takes a whole number from 1 on, --seed a whole number.\n');
  process.exit(1);
}
const missing = missingPrograms();
if (missing.length > 0) {
  process.stderr.write(`It takes ${missing.join(', ')}, which cannot be found.\n`);
  process.exit(1);
}
const say = (line: string) => process.stdout.write(`${line}\n`);
say(`${times} kills, seed ${seed}`);
const { outcomes, isFlawless, keptAt } = await runKills({ times, seed, say });
say(`\n${lossesTable(outcomes)}\n`);
if (keptAt !== undefined) say(`What is there to look at was kept in ${keptAt}`);
say(isFlawless ? 'Nothing was lost.' : 'Errors were found.');
process.exit(isFlawless ? 0 : 1);
