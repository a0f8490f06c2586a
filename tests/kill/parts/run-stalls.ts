import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import mqtt from 'mqtt';
import { bodyLimitOf } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import {
  hostileBodies,
  hostilePathOf,
  hostileTelemetry,
  readsTelemetry,
  type HostileBody,
} from '#tests/service/hostile-bodies.ts';
import { startMonitoredService, type MonitoredService } from '#tests/service/monitored-service.ts';
import { percentile } from '../../bench/data/percentile.ts';
import type { Latencies, LoadTarget } from './normal-load.ts';
import type { StallReport } from './stall-monitor.ts';

const MIB = 1_048_576;
const QUIET_MS = 20_000;
const LIMIT = { stallMs: 100, rssBytes: 512 * MIB, slower: 3 };
const MQTT_BYTES = 200_000;

const p99 = (values: readonly number[]): number => percentile(values, 0.99);

/** Starts a normal load. Returns a function that stops it and returns the latencies. */
const startLoad = (target: LoadTarget) => {
  const worker = new Worker(join(import.meta.dirname, 'normal-load.ts'), { workerData: target });
  return async (): Promise<Latencies> => {
    worker.postMessage('stop');
    const [latencies] = (await once(worker, 'message')) as [Latencies];
    await worker.terminate();
    return latencies;
  };
};

const connect = async (service: MonitoredService, name: string, key: string): Promise<mqtt.MqttClient> => {
  const client = mqtt.connect(`mqtt://127.0.0.1:${service.mqttPort}`, {
    username: name,
    password: key,
    reconnectPeriod: 200,
  });
  client.on('error', () => undefined);
  await new Promise((resolve) => client.once('connect', resolve));
  return client;
};

/** Compressed before the load starts: an attacker has a machine of its own. */
const attacksOn = (pipelineId: string) =>
  endpoints
    .filter(({ body }) => body !== undefined)
    .flatMap((endpoint) => {
      const bodies: readonly HostileBody[] = readsTelemetry(endpoint)
        ? hostileTelemetry(bodyLimitOf(endpoint) - 100)
        : hostileBodies(endpoint);
      return bodies.map(({ name, text, type = 'application/json' }) => ({
        method: endpoint.method,
        path: hostilePathOf(endpoint, pipelineId),
        type,
        gzipped: gzipSync(text, { level: 1 }),
        cause: `${endpoint.method} ${endpoint.path}: ${name}`,
      }));
    });

/** Prints the measurements, and returns whether they are within the limits. */
export const runStalls = async (print: (line: string) => void): Promise<boolean> => {
  const service = await startMonitoredService();
  const post = async (path: string, body: unknown) =>
    (await (await service.send('POST', path, JSON.stringify(body))).json()) as { id: string; secret: string };
  try {
    const http = await post('/v1/pipelines', {
      name: 'Hostile',
      type: 'http',
      interval: 10,
      destination: 'telemetry',
    });
    await post('/v1/pipelines', { name: 'MQTT', type: 'mqtt', interval: 10, destination: 'telemetry' });
    const { secret } = await post('/v1/api-keys', { name: 'Devices', scopes: ['telemetry:write'] });
    const hostile = await connect(service, 'hostile', secret);

    const worst: StallReport = { longestMs: 0, longestWallMs: 0, rssBytes: 0 };
    let largestAt = '';
    let unanswered = 0;
    const checkStalls = async (cause: string) => {
      const seen = await service.stalls();
      if (seen.longestMs > LIMIT.stallMs) print(`${cause}: a stall of ${Math.round(seen.longestMs)} ms`);
      if (seen.rssBytes > worst.rssBytes) largestAt = cause;
      Object.assign(worst, {
        longestMs: Math.max(worst.longestMs, seen.longestMs),
        longestWallMs: Math.max(worst.longestWallMs, seen.longestWallMs),
        rssBytes: Math.max(worst.rssBytes, seen.rssBytes),
      });
    };

    const attacks = attacksOn(http.id);
    const target = { url: service.url, token: service.token, mqttPort: service.mqttPort, key: secret };
    const stopQuiet = startLoad(target);
    await delay(QUIET_MS);
    const quiet = await stopQuiet();
    await service.stalls();

    const stopLoad = startLoad(target);
    for (const { method, path, type, gzipped, cause } of attacks) {
      const status = await service
        .send(method, path, gzipped, { 'content-type': type, 'content-encoding': 'gzip' })
        .then(
          async (response) => (await response.text(), response.status),
          () => undefined,
        );
      if (status === undefined) {
        unanswered += 1;
        print(`${cause}: no answer`);
      }
      await checkStalls(`${cause} (${status ?? 'no answer'})`);
    }
    for (const { name, text } of hostileTelemetry(MQTT_BYTES)) {
      for (const topic of ['v1/devices/hostile/telemetry', 'v1/devices/me/telemetry', 'somewhere/else'])
        await Promise.all(
          Array.from({ length: 10 }, () =>
            hostile.publishAsync(topic, text, { qos: 1 }).catch(() => undefined),
          ),
        );
      await checkStalls(`MQTT (${name})`);
    }
    const disturbed = await stopLoad();
    await hostile.endAsync(true);

    print(
      `longest stall: ${worst.longestMs.toFixed(0)} ms of computing, ${worst.longestWallMs.toFixed(0)} ms by the clock`,
    );
    print(`largest resident set: ${(worst.rssBytes / MIB).toFixed(0)} MiB, at ${largestAt}`);
    const ratios = (Object.keys(quiet) as (keyof Latencies)[]).map((name) => {
      const [before, after] = [p99(quiet[name]), p99(disturbed[name])];
      print(`${name}: p99 ${before.toFixed(1)} ms without the hostile load, ${after.toFixed(1)} ms with it`);
      return after / before;
    });
    return (
      unanswered === 0 &&
      worst.longestMs < LIMIT.stallMs &&
      worst.rssBytes < LIMIT.rssBytes &&
      ratios.every((ratio) => ratio <= LIMIT.slower)
    );
  } finally {
    await service.close();
  }
};
