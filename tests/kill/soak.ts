import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endRun, abortRun, print } from './parts/kill-options.ts';
import { startKillableService } from './parts/killable-service.ts';
import { runSoak } from './parts/run-soak.ts';

/**
 * Publishes to the embedded broker for a long time, with open streams: new, duplicate, overwriting and colliding
 * samples, unreadable messages, and messages that an expression skips. Prints the memory of the service every minute.
 * In the end every message must be acknowledged, the ledger must match what was sent to the sample, and the query API
 * must return each sample with its last value.
 */
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    minutes: { type: 'string', default: '20' },
    rate: { type: 'string', default: '2000' },
    streams: { type: 'string', default: '20' },
  },
});
const [minutes, rate, streams] = [Number(values.minutes), Number(values.rate), Number(values.streams)];
if (!(minutes > 0) || !(rate > 0) || !Number.isSafeInteger(streams) || streams < 0)
  abortRun('--minutes and --rate must be greater than 0, --streams must be an integer.');
const dir = mkdtempSync(join(tmpdir(), 'penstock-soak-'));
const service = await startKillableService(dir);
print(`${minutes} minutes at ${rate} messages/s with ${streams} streams`);
const faults = await runSoak(service, { minutes, rate, streams, print });
await service.endBy((pid) => process.kill(pid, 'SIGTERM'));
rmSync(dir, { recursive: true, force: true });
endRun(faults, 'Nothing was lost, and the ledger is exact.');
