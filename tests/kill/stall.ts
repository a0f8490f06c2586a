import { runStalls } from './parts/run-stalls.ts';

/**
 * Sends hostile bodies to every endpoint that takes one, and hostile messages over MQTT, beside a normal load of MQTT
 * messages, writes and lists. The event loop must not compute for 100 ms at a stretch, the service must stay below 512
 * MiB, and the normal load must stay within three times its latency without the hostile one.
 */
const say = (line: string) => process.stdout.write(`${line}\n`);
const isWithinLimits = await runStalls(say);
say(isWithinLimits ? 'Within the limits.' : 'LIMITS EXCEEDED.');
process.exit(isWithinLimits ? 0 : 1);
