import { print } from './parts/kill-options.ts';
import { runStalls } from './parts/run-stalls.ts';

/**
 * Sends hostile bodies to every endpoint that takes one, and hostile messages over MQTT, beside a normal load of MQTT
 * messages, writes and lists. The event loop must not compute for 100 ms at a time, the service must stay below 512
 * MiB, and the latency of the normal load must not exceed three times its latency without the hostile load.
 */
const isWithinLimits = await runStalls(print);
print(isWithinLimits ? 'Within the limits.' : 'LIMITS EXCEEDED.');
process.exit(isWithinLimits ? 0 : 1);
