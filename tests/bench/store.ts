import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MAIN } from '../service/built-service.ts';
import { freePort } from '../service/free-port.ts';
import { findProgram } from '../service/installed.ts';
import { programEnv } from '../service/program-env.ts';
import { startPostgres } from '../service/start-postgres.ts';
import { startEnv, startFlags } from '../service/start-flags.ts';
import { cpuSeconds, peakMebibytes } from './mqtt-load/process-figures.ts';

/**
 * The telemetry store over HTTP, compared with InfluxDB and VictoriaMetrics in the same run: 1,000 devices with 5 metrics
 * each, whose values change by at most 0.1 per write. Each write has 5,000 samples with one timestamp. SAMPLES sets the
 * number of samples (default: 3,000,000). With POSTGRES=1, also Penstock with its telemetry in a PostgreSQL that waits for the disk.
 */
const DEVICES = 1_000;
const METRICS = ['m0', 'm1', 'm2', 'm3', 'm4'];
const SERIES = DEVICES * METRICS.length;
const WRITES = Math.ceil(Number(process.env['SAMPLES'] ?? 3_000_000) / SERIES);
const SENDERS = 4;
const STEP_MS = 43_200;
const QUERIES = 20;
const POINTS = 500;

const endMs = Math.floor(Date.now() / STEP_MS) * STEP_MS;
const startMs = endMs - WRITES * STEP_MS;
const bucketMs = Math.ceil((endMs - startMs) / POINTS);

const agent = new Agent({ keepAlive: true, maxSockets: SENDERS * 2 });

const send = (
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(url, { agent, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if ((answer.statusCode ?? 500) < 300) resolve(text);
        else reject(new Error(`${method} ${url} answered ${answer.statusCode}: ${text.slice(0, 300)}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });

/** One write: its timestamp, and a value in tenths for each series. */
type Write = { readonly ts: number; readonly tenths: Int32Array };
type Subject = {
  readonly name: string;
  readonly pid: number;
  readonly dir: string;
  bodyOf(write: Write): string;
  write(body: string): Promise<unknown>;
  /** The buckets of one metric of some devices over the whole range. */
  query(devices: readonly number[], metric: string): Promise<unknown>;
  latest(): Promise<unknown>;
  stop(): Promise<void>;
};

const deviceOf = (n: number): string => `device-${n}`;
const valueOf = ({ tenths }: Write, device: number, metric: number): number =>
  tenths[device * METRICS.length + metric]! / 10;
const lineBody = (write: Write, unit: 'ms' | 'ns'): string =>
  Array.from({ length: DEVICES }, (_, device) => {
    const fields = METRICS.map((name, metric) => `${name}=${valueOf(write, device, metric)}`).join(',');
    return `sensors,device=${deviceOf(device)} ${fields} ${write.ts}${unit === 'ns' ? '000000' : ''}\n`;
  }).join('');

const launch = (program: string, args: string[], env: NodeJS.ProcessEnv = process.env) => {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return { child, pid: child.pid ?? 0, exited };
};
const isUp = async (url: string): Promise<void> => {
  for (;;) {
    if (
      await send(url, 'GET', {}).then(
        () => true,
        () => false,
      )
    )
      return;
    await delay(50);
  }
};

type PenstockBody = { readonly path: string; readonly type: string; bodyOf(write: Write): string };

/** The formats of a write to Penstock. */
const PENSTOCK_BODIES: Record<string, PenstockBody> = {
  'JSON rows': {
    path: '/v1/telemetry',
    type: 'application/json',
    bodyOf: (write) =>
      JSON.stringify({
        samples: Array.from({ length: DEVICES }, (_, device) => ({
          device: deviceOf(device),
          ts: write.ts,
          values: Object.fromEntries(METRICS.map((name, metric) => [name, valueOf(write, device, metric)])),
        })),
      }),
  },
  'JSON columns': {
    path: '/v1/telemetry',
    type: 'application/json',
    bodyOf: (write) =>
      JSON.stringify({
        series: Array.from({ length: SERIES }, (_, i) => ({
          device: deviceOf(Math.floor(i / METRICS.length)),
          metric: METRICS[i % METRICS.length],
          ts: [write.ts],
          values: [write.tenths[i]! / 10],
        })),
      }),
  },
  'line protocol': {
    path: '/write?precision=ms',
    type: 'text/plain',
    bodyOf: (write) => lineBody(write, 'ms'),
  },
};

const startPenstock = async (
  name: string,
  { path, type, bodyOf }: PenstockBody,
  env: Record<string, string> = {},
): Promise<Subject> => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-bench-'));
  const port = await freePort();
  const profile =
    process.env['CPU_PROFILE'] === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${process.env['CPU_PROFILE']}`];
  const { child, pid, exited } = launch(process.execPath, [...profile, ...startFlags, MAIN], {
    ...programEnv,
    ...startEnv,
    DATA_DIR: dir,
    PORT: String(port),
    MQTT_PORT: '0',
    SEED: 'none',
    LOG_LEVEL: 'error',
    ...env,
  });
  const link = await new Promise<string>((resolve) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const found = /#signin=(\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const url = `http://127.0.0.1:${port}/v1`;
  const json = { 'content-type': 'application/json' };
  const { token } = JSON.parse(
    await send(`${url}/sessions`, 'POST', json, JSON.stringify({ token: link })),
  ) as { token: string };
  const headers = { ...json, authorization: `Bearer ${token}` };
  const range = { from: startMs, to: endMs + 1 };
  return {
    name: `Penstock, ${name}`,
    pid,
    dir,
    bodyOf,
    write: (body) =>
      send(`http://127.0.0.1:${port}${path}`, 'POST', { ...headers, 'content-type': type }, body),
    query: (devices, metric) =>
      send(
        `${url}/telemetry/query`,
        'POST',
        headers,
        JSON.stringify({
          devices: devices.map(deviceOf),
          metrics: [metric],
          ...range,
          points: POINTS,
        }),
      ),
    latest: async () => {
      for (let first = 0; first < DEVICES; first += 100)
        await send(
          `${url}/telemetry/latest?${Array.from({ length: 100 }, (_, n) => `device=${deviceOf(first + n)}`).join('&')}`,
          'GET',
          headers,
        );
    },
    stop: async () => {
      child.kill();
      await exited;
    },
  };
};

/** The CPU time and memory are those of Penstock, without the server. */
const startPenstockWithPostgres = async (): Promise<Subject> => {
  const server = await startPostgres({ isDurable: true });
  const penstock = await startPenstock('JSON rows, PostgreSQL', PENSTOCK_BODIES['JSON rows']!, {
    TELEMETRY_URL: server.url,
  });
  process.once('exit', () => {
    for (const dir of [penstock.dir, server.dir]) rmSync(dir, { recursive: true, force: true });
  });
  return {
    ...penstock,
    // Without the write-ahead log, of which the server keeps up to 1 GB.
    dir: join(server.dir, 'data/base'),
    stop: async () => {
      await penstock.stop();
      await server.stop();
    },
  };
};

const startInflux = async (program: string): Promise<Subject> => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-bench-influx-'));
  const [port, backupPort] = [await freePort(), await freePort()];
  const config = join(dir, 'influxdb.conf');
  writeFileSync(
    config,
    [
      'reporting-disabled = true',
      `bind-address = "127.0.0.1:${backupPort}"`,
      `[meta]\ndir = "${join(dir, 'meta')}"`,
      `[data]\ndir = "${join(dir, 'data')}"\nwal-dir = "${join(dir, 'wal')}"\nquery-log-enabled = false`,
      `[http]\nbind-address = "127.0.0.1:${port}"\nlog-enabled = false`,
      '[monitor]\nstore-enabled = false\n',
    ].join('\n'),
  );
  const { child, pid, exited } = launch(program, ['-config', config]);
  const url = `http://127.0.0.1:${port}`;
  await isUp(`${url}/ping`);
  const query = (q: string) =>
    send(`${url}/query?db=bench&epoch=ms&q=${encodeURIComponent(q)}`, 'POST', { 'content-length': '0' });
  await query('create database bench');
  return {
    name: 'InfluxDB 1, line protocol',
    pid,
    dir,
    bodyOf: (write) => lineBody(write, 'ms'),
    write: (body) => send(`${url}/write?db=bench&precision=ms`, 'POST', {}, body),
    query: (devices, metric) =>
      query(
        `select mean(${metric}), min(${metric}), max(${metric}) from sensors where time >= ${startMs}ms and time <= ${endMs}ms and (${devices
          .map((device) => `device = '${deviceOf(device)}'`)
          .join(' or ')}) group by time(${bucketMs}ms), device fill(none)`,
      ),
    latest: () => query('select last(*) from sensors group by device'),
    stop: async () => {
      child.kill();
      await exited;
    },
  };
};

const startVictoria = async (program: string): Promise<Subject> => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-bench-victoria-'));
  const port = await freePort();
  const { child, pid, exited } = launch(program, [
    `-storageDataPath=${dir}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-retentionPeriod=100y',
    '-search.latencyOffset=0s',
    '-loggerLevel=ERROR',
  ]);
  const url = `http://127.0.0.1:${port}`;
  await isUp(`${url}/health`);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  return {
    name: 'VictoriaMetrics, line protocol',
    pid,
    dir,
    bodyOf: (write) => lineBody(write, 'ms'),
    write: (body) => send(`${url}/write?precision=ms`, 'POST', {}, body),
    query: (devices, metric) =>
      send(
        `${url}/api/v1/query_range`,
        'POST',
        form,
        new URLSearchParams({
          query: `aggr_over_time(("avg_over_time", "min_over_time", "max_over_time"), sensors_${metric}{device=~"${devices.map(deviceOf).join('|')}"}[${bucketMs}ms])`,
          start: String(startMs / 1_000),
          end: String(endMs / 1_000),
          step: `${bucketMs}ms`,
          nocache: '1',
        }).toString(),
      ),
    latest: () =>
      send(
        `${url}/api/v1/query`,
        'POST',
        form,
        new URLSearchParams({
          query: 'last_over_time({__name__=~"sensors_m.+"}[1h])',
          time: String(endMs / 1_000),
          nocache: '1',
        }).toString(),
      ),
    stop: async () => {
      child.kill();
      await exited;
    },
  };
};

const bytesIn = (dir: string): number =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    // The reserve for a full disk contains no samples.
    .filter((entry) => entry.isFile() && entry.name !== 'disk-reserve')
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const timed = async (work: () => Promise<unknown>, times: number): Promise<number> => {
  const durations: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const begun = performance.now();
    await work();
    durations.push(performance.now() - begun);
  }
  return median(durations);
};

/** The same random walk for each subject (a linear congruential generator). */
const createWrites = function* (): Generator<Write> {
  const tenths = new Int32Array(SERIES).fill(200);
  let state = 12_345;
  for (let n = 0; n < WRITES; n += 1) {
    for (let i = 0; i < SERIES; i += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      tenths[i]! += ((state >>> 16) % 3) - 1;
    }
    yield { ts: startMs + (n + 1) * STEP_MS, tenths: tenths.slice() };
  }
};

type Figures = Record<string, number>;

const measure = async (subject: Subject): Promise<Figures> => {
  // Created before: the senders share the processors with the program that they measure.
  const [first = '', ...bodies] = Array.from(createWrites(), (write) => subject.bodyOf(write));
  // The first write creates the series.
  await subject.write(first);
  const cpuBefore = cpuSeconds(subject.pid).all;
  const begun = performance.now();
  const waiting = bodies.values();
  const sender = async (): Promise<void> => {
    for (const body of waiting) await subject.write(body);
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  const elapsedMs = performance.now() - begun;
  const samples = (WRITES - 1) * SERIES;
  const cpu = cpuSeconds(subject.pid).all - cpuBefore;
  const peak = peakMebibytes(subject.pid);
  await delay(2_000);
  const one = await timed(() => subject.query([7], 'm1'), QUERIES);
  const twenty = await timed(
    () =>
      subject.query(
        Array.from({ length: 20 }, (_, n) => n * 11),
        'm2',
      ),
    QUERIES,
  );
  const latest = await timed(() => subject.latest(), 5);
  const bytesRunning = bytesIn(subject.dir);
  await subject.stop();
  return {
    'thousand samples/s': samples / elapsedMs,
    'µs of CPU per sample': (cpu * 1e6) / samples,
    'one series to 500 buckets, ms': one,
    '20 series to 500 buckets, ms': twenty,
    'latest of 1,000 devices, ms': latest,
    'bytes per sample, running': bytesRunning / (WRITES * SERIES),
    'bytes per sample, stopped': bytesIn(subject.dir) / (WRITES * SERIES),
    'peak memory, MiB': peak,
  };
};

/** BODIES selects formats of Penstock by the beginnings of their names, separated by commas. */
const chosen = (process.env['BODIES'] ?? '').split(',');
const starts: (() => Promise<Subject>)[] = Object.entries(PENSTOCK_BODIES)
  .filter(([name]) => chosen.some((beginning) => name.startsWith(beginning)))
  .map(
    ([name, body]) =>
      () =>
        startPenstock(name, body),
  );
if (process.env['POSTGRES'] === '1') starts.push(startPenstockWithPostgres);
for (const [names, start] of [
  [['influxd'], startInflux],
  [['victoria-metrics', 'victoriametrics'], startVictoria],
] as const) {
  const program = names.map((name) => findProgram(name)).find((found) => found !== undefined);
  if (program === undefined) process.stdout.write(`${names[0]} is not installed and is skipped.\n`);
  else starts.push(() => start(program));
}
process.stdout.write(
  `${(WRITES * SERIES).toLocaleString('en')} samples, ${SERIES.toLocaleString('en')} series, ${SENDERS} senders; ${availableParallelism()} × ${cpus()[0]?.model}\n\n`,
);
const results: [name: string, figures: Figures][] = [];
for (const start of starts) {
  const subject = await start();
  try {
    results.push([subject.name, await measure(subject)]);
  } finally {
    await subject.stop();
    rmSync(subject.dir, { recursive: true, force: true });
  }
}
agent.destroy();
const [[, ours] = ['', {}]] = results;
process.stdout.write(
  `| | ${results.map(([name]) => name).join(' | ')} | ratios |\n|---|${results.map(() => '---|').join('')}---|\n`,
);
for (const figure of Object.keys(ours)) {
  const ratios = results.slice(1).map(([, figures]) => (ours[figure]! / figures[figure]!).toFixed(2));
  process.stdout.write(
    `| ${figure} | ${results.map(([, figures]) => figures[figure]!.toFixed(2)).join(' | ')} | ${ratios.join(', ')} |\n`,
  );
}
