import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { statfsSync } from 'node:fs';
import { totalmem, uptime } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect as connectToNats, type NatsConnection } from '@nats-io/transport-node';
import mqtt from 'mqtt';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Value } from '#contract/telemetry.ts';
import { freePort } from './free-port.ts';
import { startInfluxd } from './influxd.ts';
import { findProgram, isInstalled } from './installed.ts';
import { PASSWORD, startMosquitto, waitForPort } from './mosquitto.ts';
import { startNatsServer } from './nats-server.ts';
import { createRotation } from './sized.ts';
import { findPostgres, startPostgres } from './start-postgres.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { FRAGILE_VALUES } from './fragile-values.ts';

const PYTHON = '/usr/bin/python3';
const PATIENT = { timeout: 20_000, interval: 100 };
const FROM = 1_700_000_000_000;

type Values = Record<string, Value>;
type Reading = { ts: number; values: Values };
/** What a destination holds of a device: each metric's values in the order of their times. */
type Held = Record<string, { ts: number; value: Value }[]>;

// JSON.stringify writes -0 as 0.
const { negativeZero: _, ...values } = FRAGILE_VALUES;
/** The last one corrects the one before it. */
const readings: Reading[] = [
  { ts: FROM, values: { n: 0, ...values } },
  { ts: FROM + 1, values: { n: 1.5 } },
  { ts: FROM + 2, values: { n: -2, late: true } },
  { ts: FROM + 3, values: { n: 3, text: 'before' } },
  { ts: FROM + 3, values: { n: 33, text: 'after' } },
];
const heldOf = (all: readonly Reading[]): Held => {
  const held: Held = {};
  for (const { ts, values: each } of all)
    for (const [metric, value] of Object.entries(each)) {
      const series = (held[metric] ??= []);
      const there = series.find((point) => point.ts === ts);
      if (there === undefined) series.push({ ts, value });
      else there.value = value;
    }
  return held;
};

let test: TestService;
let mqttPort: number;
const started: (() => unknown)[] = [];
/** To be closed at the end, the last one first. */
const closing = (close: () => unknown) => void started.unshift(close);
const begun = Date.now();

let influx: Awaited<ReturnType<typeof startInfluxd>>;
let postgres: Client;
type Destination = {
  isThere: boolean;
  open(): Promise<{ url: string; options: Record<string, unknown> } | undefined>;
  held(device: string): Promise<Held>;
};
const destinations: Record<string, Destination> = {
  telemetry: {
    isThere: true,
    open: async () => undefined,
    held: async (device) => {
      const { body } = await test.request('POST', '/v1/telemetry/query', {
        body: { devices: [device], from: String(FROM), to: 'now', points: 5_000 },
      });
      type Series = { metric: string; ts: number[]; value: Value[] };
      return Object.fromEntries(
        ((body.series ?? []) as Series[]).map(({ metric, ts, value }) => [
          metric,
          ts.map((at, i) => ({ ts: at, value: value[i]! })),
        ]),
      );
    },
  },
  influxdb: {
    isThere: isInstalled('influxd'),
    open: async () => {
      influx = await startInfluxd();
      closing(influx.close);
      await influx.query('create database plant');
      await influx.query(`create user penstock with password '${PASSWORD}'`);
      await influx.query('grant all on plant to penstock');
      return { url: influx.url, options: { database: 'plant', username: 'penstock', password: PASSWORD } };
    },
    held: async (device) => {
      const rows = await influx.query(`select * from penstock where device = '${device}'`, 'plant');
      return heldOf(
        rows.map(({ time, device: __, ...fields }) => ({
          ts: time as number,
          values: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Values,
        })),
      );
    },
  },
  postgres: {
    isThere: findPostgres() !== undefined,
    open: async () => {
      const server = await startPostgres({ password: PASSWORD });
      closing(server.close);
      postgres = new Client({ connectionString: server.url });
      await postgres.connect();
      closing(() => postgres.end());
      return {
        url: `postgres://127.0.0.1:${server.port}/postgres`,
        options: { username: 'postgres', password: PASSWORD },
      };
    },
    held: async (device) => {
      type Row = {
        ts: Date;
        metric: string;
        value: number | null;
        text: string | null;
        flag: boolean | null;
      };
      const { rows } = await postgres.query<Row>(
        'select * from penstock_samples where device = $1 order by ts',
        [device],
      );
      return heldOf(
        rows.map(({ ts, metric, value, text, flag }) => {
          expect([value, text, flag].filter((each) => each !== null)).toHaveLength(1);
          return { ts: ts.getTime(), values: { [metric]: (value ?? text ?? flag)! } };
        }),
      );
    },
  },
};

const read = async (id: string) => (await test.request('GET', `/v1/pipelines/${id}`)).body;
/** Publishes the first message until it arrives, which shows that the source listens, then the others. */
const publishAll = async (id: string, publish: (reading: Reading) => Promise<unknown>) => {
  const [first, ...others] = readings;
  await vi.waitFor(async () => {
    await publish(first!);
    expect((await read(id)).ledger.received).toBeGreaterThan(0);
  }, PATIENT);
  for (const reading of others) await publish(reading);
};
const expectKnown = (held: () => Promise<Held>) =>
  vi.waitFor(async () => expect(await held()).toEqual(heldOf(readings)), PATIENT);

/** Times of arrival: in the run, rising. */
const expectTimes = (series: Held[string] = []) => {
  const times = series.map(({ ts }) => ts);
  expect(times[0]).toBeGreaterThanOrEqual(begun);
  expect(times.at(-1)).toBeLessThanOrEqual(Date.now());
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
};
const latest = (held: Held, metric: string): number => Number(held[metric]?.at(-1)?.value);

let broker: mqtt.MqttClient;
let elsewhere: Awaited<ReturnType<typeof startMosquitto>>;
let publisher: mqtt.MqttClient;
let web: Server;
let exporterUrl: string;
let modbusPort: number;
let natsPort: number;
let nats: NatsConnection;
const polls = new Map<string, number>();

const startProgram = async (program: string, args: string[], port: number): Promise<void> => {
  const child: ChildProcess = spawn(program, args, { stdio: 'ignore' });
  closing(() => child.kill('SIGKILL'));
  await waitForPort(port);
};

/** The metrics that a node exporter has just now, under the names that they get here. */
const askExporter = async (): Promise<Map<string, number>> => {
  const text = await (await fetch(exporterUrl)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const parts = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, of]) => `${key}.${of}`);
      const metric = [name, ...parts.toSorted()].join('.').replaceAll(/[^\w./:-]/g, '_');
      return [metric, Number(value)];
    }),
  );
};

type Source = {
  type: string;
  isThere: boolean;
  open?(): Promise<void>;
  config(device: string): Record<string, unknown>;
  /** Sees to it that values come, and that they are there. */
  check(pipeline: { id: string; device: string }, held: () => Promise<Held>): Promise<void>;
};
const sources: Record<string, Source> = {
  host: {
    type: 'host',
    isThere: true,
    config: (device) => ({ device }),
    check: async (_pipeline, held) => {
      // Rates need two readings.
      const found = await vi.waitFor(async () => {
        const all = await held();
        expect(all['system.uptime']?.length).toBeGreaterThanOrEqual(3);
        expect(Object.keys(all)).toEqual(expect.arrayContaining(['disk.read']));
        return all;
      }, PATIENT);
      for (const series of Object.values(found)) {
        expectTimes(series);
        for (const { value } of series) expect(value).toBeGreaterThanOrEqual(0);
      }
      for (const metric of ['cpu.usage', 'memory.usage', 'disk.usage', 'disk.data.usage'])
        expect(latest(found, metric)).toBeLessThanOrEqual(100);
      expect(latest(found, 'memory.used')).toBeLessThan(totalmem());
      const { blocks, bfree, bavail } = statfsSync('/');
      const usage = (100 * (blocks - bfree)) / (blocks - bfree + bavail);
      expect(Math.abs(latest(found, 'disk.usage') - usage)).toBeLessThan(2);
      const uptimes = found['system.uptime']!.map(({ value }) => Number(value));
      expect(uptimes).toEqual(uptimes.toSorted((a, b) => a - b));
      expect(uptimes.at(-1)).toBeLessThanOrEqual(uptime());
      expect(uptimes[0]).toBeGreaterThan(uptime() - 60);
    },
  },
  http: {
    type: 'http',
    isThere: true,
    config: () => ({}),
    check: async ({ id, device }, held) => {
      for (const { ts, values: of } of readings) {
        const body = { samples: [{ device, ts: new Date(ts).toISOString(), values: of }] };
        const { status } = await test.request('POST', `/v1/pipelines/${id}/messages`, { body });
        expect(status).toBe(202);
      }
      await expectKnown(held);
    },
  },
  'mqtt, by the broker built in': {
    type: 'mqtt',
    isThere: true,
    open: async () => {
      const { secret } = await test.mintKey(['telemetry:write']);
      broker = await mqtt.connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
        username: 'gateway',
        password: secret,
      });
      closing(() => broker.endAsync(true));
    },
    config: (device) => ({ topic: `matrix/${device}/+/up` }),
    check: async ({ device }, held) => {
      for (const reading of readings)
        await broker.publishAsync(`matrix/${device}/${device}/up`, JSON.stringify(reading), { qos: 1 });
      await expectKnown(held);
    },
  },
  'mqtt, by a broker elsewhere': {
    type: 'mqtt',
    isThere: isInstalled('mosquitto'),
    open: async () => {
      elsewhere = await startMosquitto();
      closing(elsewhere.close);
      publisher = await mqtt.connectAsync(`mqtt://127.0.0.1:${elsewhere.port}`, {
        username: 'penstock',
        password: PASSWORD,
      });
      closing(() => publisher.endAsync(true));
    },
    config: (device) => ({
      url: `mqtt://127.0.0.1:${elsewhere.port}`,
      username: 'penstock',
      password: PASSWORD,
      topic: `matrix/${device}/+/up`,
    }),
    check: async ({ id, device }, held) => {
      const topic = `matrix/${device}/${device}/up`;
      await publishAll(id, (reading) => publisher.publishAsync(topic, JSON.stringify(reading), { qos: 1 }));
      await expectKnown(held);
    },
  },
  'http-poll of JSON': {
    type: 'http-poll',
    isThere: true,
    open: async () => {
      web = createServer(({ url = '' }, response) => {
        const poll = polls.get(url) ?? 0;
        polls.set(url, poll + 1);
        // A correction comes in an answer of its own: values that contradict each other in one are rejected.
        const answers = [readings.slice(0, 3), readings.slice(3, 4), readings.slice(4)];
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(answers[Math.min(poll, 2)]));
      });
      await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
      closing(() => (web.closeAllConnections(), web.close()));
    },
    config: (device) => ({
      url: `http://127.0.0.1:${(web.address() as AddressInfo).port}/${device}`,
      device,
    }),
    check: async (_pipeline, held) => expectKnown(held),
  },
  'http-poll of a node exporter': {
    type: 'http-poll',
    isThere: isInstalled('prometheus-node-exporter'),
    open: async () => {
      const port = await freePort();
      const collectors = ['cpu', 'loadavg', 'meminfo', 'time'].map((name) => `--collector.${name}`);
      await startProgram(
        findProgram('prometheus-node-exporter')!,
        [`--web.listen-address=127.0.0.1:${port}`, '--collector.disable-defaults', ...collectors],
        port,
      );
      exporterUrl = `http://127.0.0.1:${port}/metrics`;
    },
    config: (device) => ({ url: exporterUrl, device }),
    check: async (_pipeline, held) => {
      const before = await askExporter();
      const found = await vi.waitFor(async () => {
        const all = await held();
        expect(all['node_time_seconds']?.length).toBeGreaterThanOrEqual(3);
        return all;
      }, PATIENT);
      const after = await askExporter();
      const names = [...before.keys()].filter((name) => name.startsWith('node_'));
      expect(names.length).toBeGreaterThan(50);
      expect(Object.keys(found)).toEqual(expect.arrayContaining(names));
      for (const series of Object.values(found)) expectTimes(series);
      expect(latest(found, 'node_memory_MemTotal_bytes')).toBe(after.get('node_memory_MemTotal_bytes'));
      for (const metric of names.filter((name) => /^node_(cpu_.*_total|time_seconds)/.test(name))) {
        const series = found[metric]!.map(({ value }) => Number(value));
        expect(series).toEqual(series.toSorted((a, b) => a - b));
        expect(series.at(-1)).toBeLessThanOrEqual(after.get(metric)!);
      }
      const times = found['node_time_seconds']!;
      for (const { ts, value } of times) expect(Math.abs(ts - 1_000 * Number(value))).toBeLessThan(5_000);
    },
  },
  modbus: {
    type: 'modbus',
    isThere: spawnSync(PYTHON, ['-c', 'import pymodbus.server']).status === 0,
    open: async () => {
      modbusPort = await freePort();
      await startProgram(
        PYTHON,
        [join(import.meta.dirname, 'modbus-server.py'), String(modbusPort)],
        modbusPort,
      );
    },
    config: (device) => ({
      host: '127.0.0.1',
      port: modbusPort,
      device,
      registers: [
        { metric: 'scaled', address: 0, scale: 0.1, offset: -1 },
        { metric: 'i16', address: 1, type: 'int16' },
        { metric: 'u32', address: 2, type: 'uint32' },
        { metric: 'f32', address: 6, type: 'float32' },
        { metric: 'f64', address: 8, type: 'float64' },
        { metric: 'i64', address: 16, type: 'int64' },
        { metric: 'input', address: 17, kind: 'input' },
        { metric: 'on', address: 0, kind: 'coil' },
        { metric: 'off', address: 1, kind: 'coil' },
      ],
    }),
    check: async (_pipeline, held) => {
      const found = await vi.waitFor(async () => {
        const all = await held();
        expect(all['off']?.length).toBeGreaterThanOrEqual(2);
        return all;
      }, PATIENT);
      const kinds = Object.entries(found).map(([metric, series]) => {
        expectTimes(series);
        return [metric, [...new Set(series.map(({ value }) => value))]];
      });
      expect(Object.fromEntries(kinds)).toEqual({
        scaled: [20.5],
        i16: [-50],
        u32: [100_000],
        f32: [20.1],
        f64: [20.1],
        i64: [-2],
        input: [17],
        on: [true],
        off: [false],
      });
    },
  },
  nats: {
    type: 'nats',
    isThere: isInstalled('nats-server'),
    open: async () => {
      const server = await startNatsServer(`authorization { user: penstock, password: ${PASSWORD} }`);
      closing(server.close);
      natsPort = server.port;
      nats = await connectToNats({
        servers: `127.0.0.1:${natsPort}`,
        user: 'penstock',
        pass: PASSWORD,
        tls: null,
      });
      closing(() => nats.close());
      await (await jetstreamManager(nats)).streams.add({ name: 'PLANT', subjects: ['plant.>'] });
    },
    config: (device) => ({
      url: `nats://127.0.0.1:${natsPort}`,
      subject: `plant.${device}.*`,
      username: 'penstock',
      password: PASSWORD,
    }),
    check: async ({ id, device }, held) => {
      const subject = `plant.${device}.${device}`;
      await publishAll(id, (reading) => jetstream(nats).publish(subject, JSON.stringify(reading)));
      await expectKnown(held);
    },
  },
};

beforeAll(async () => {
  mqttPort = await freePort();
  test = await startTestService({
    env: { ALLOWED_NETWORKS: '127.0.0.0/8', MQTT_PORT: String(mqttPort) },
  });
  await Promise.all([
    ...Object.values(sources)
      .filter(({ isThere }) => isThere)
      .map((source) => source.open?.()),
    ...Object.entries(destinations)
      .filter(([, { isThere }]) => isThere)
      .map(async ([name, destination]) => {
        const connection = await destination.open();
        if (connection === undefined) return;
        await test.request('POST', '/v1/destinations', {
          body: { name, type: name, ...connection },
        });
      }),
  ]);
});
afterAll(async () => {
  await test.close();
  for (const close of started) await close();
});

/** In `npm test`, each source feeds one destination, in turn. */
const nextDestinations = createRotation(Object.keys(destinations).length);

describe.each(Object.entries(sources))('%s', (name, source) => {
  for (const [to, destination] of nextDestinations(Object.entries(destinations)))
    it.concurrent(
      `feeds ${to}`,
      { skip: !source.isThere || !destination.isThere, timeout: 60_000 },
      async () => {
        const device = `${name.replaceAll(/\W+/g, '-')}-to-${to}`;
        const { status, body } = await test.request('POST', '/v1/pipelines', {
          body: {
            name: `${name} to ${to}`,
            type: source.type,
            interval: 1,
            destination: to,
            config: source.config(device),
          },
        });
        expect([status, body.state]).toEqual([201, 'running']);
        await source.check({ id: body.id, device }, () => destination.held(device));
        // Otherwise the source keeps polling.
        await test.request('PATCH', `/v1/pipelines/${body.id}`, { body: { enabled: false } });
        await vi.waitFor(async () => expect((await read(body.id)).ledger.pending).toBe(0), PATIENT);
        const { ledger } = await read(body.id);
        expect([ledger.rejected, ledger.delivered]).toEqual([0, ledger.received]);
        await vi.waitFor(async () => {
          const { body: devices } = await test.request('GET', `/v1/devices?q=${device}`);
          expect(devices.data).toMatchObject([{ externalId: device, state: 'online' }]);
        }, PATIENT);
      },
    );
});
