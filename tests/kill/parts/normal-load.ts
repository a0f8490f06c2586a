import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import mqtt from 'mqtt';

/** A normal load in a separate thread, so that the time to create hostile bodies does not count as latency. */
export type LoadTarget = {
  readonly url: string;
  readonly token: string;
  readonly mqttPort: number;
  readonly key: string;
};
/** In ms. */
export type Latencies = Record<'MQTT message' | 'HTTP write' | 'list of devices', number[]>;

const PAUSE_MS = 20;

const { url, token, mqttPort, key } = workerData as LoadTarget;
const latencies: Latencies = { 'MQTT message': [], 'HTTP write': [], 'list of devices': [] };
const stopping = new AbortController();

const repeat = async (name: keyof Latencies, request: () => Promise<unknown>): Promise<void> => {
  while (!stopping.signal.aborted) {
    const startedAt = performance.now();
    await request().catch(() => undefined);
    latencies[name].push(performance.now() - startedAt);
    await delay(PAUSE_MS);
  }
};
const sample = () => ({ ts: Date.now(), values: { temperature: 21, pressure: 3 } });
const send = async (path: string, init: RequestInit = {}): Promise<string> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (await fetch(`${url}${path}`, { ...init, headers })).text();
};

const client = mqtt.connect(`mqtt://127.0.0.1:${mqttPort}`, {
  username: 'calm',
  password: key,
  reconnectPeriod: 200,
});
client.on('error', () => undefined);
await new Promise((resolve) => client.once('connect', resolve));

const loops = [
  repeat('MQTT message', () =>
    client.publishAsync('v1/devices/calm/telemetry', JSON.stringify(sample()), { qos: 1 }),
  ),
  repeat('HTTP write', () =>
    send('/v1/telemetry', {
      method: 'POST',
      body: JSON.stringify({ samples: [{ device: 'calm-http', ...sample() }] }),
    }),
  ),
  repeat('list of devices', () => send('/v1/devices?limit=50')),
];

// Any message ends the load.
const end = async (): Promise<void> => {
  stopping.abort();
  await Promise.all(loops);
  await client.endAsync(true);
  parentPort?.postMessage(latencies);
};
parentPort?.once('message', () => void end());
