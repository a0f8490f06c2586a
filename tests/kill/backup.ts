import { readKillOptions } from './parts/kill-options.ts';
import { runBackups } from './parts/run-backups.ts';

/**
 * Takes backups at random moments while pipelines receive messages over HTTP and MQTT, restores each into another folder, and
 * starts a service there. It must have every sample that was acknowledged before the backup began, none twice, none that was
 * never sent, and ledgers that match its samples.
 */
const { times, seed } = readKillOptions(5);
const print = (line: string) => process.stdout.write(`${line}\n`);
print(`${times} backups, seed ${seed}`);
const faults = await runBackups({ times, seed, print });
for (const fault of faults) print(fault);
print(faults.length === 0 ? 'Each restored service had what it should have.' : 'Errors were found.');
process.exit(faults.length === 0 ? 0 : 1);
