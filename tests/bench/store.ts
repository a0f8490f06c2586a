import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../service/free-port.ts';
import { findProgram } from '../service/installed.ts';
import { startPostgres } from '../service/start-postgres.ts';
import { cpuSeconds, peakMebibytes } from './mqtt-load/process-figures.ts';
import {
  launch,
  lineBody,
  PENSTOCK_BODIES,
  startProcess,
  signIn,
  callsOf,
  type PenstockBody,
} from './store-load/penstock.ts';
import {
  bucketMs,
  createWrites,
  deviceOf,
  endMs,
  SERIES,
  startMs,
  WRITES,
  type Write,
} from './store-load/sample-walk.ts';
import { agent, send, timed } from './store-load/send.ts';

/**
 * The telemetry store over HTTP, compared with InfluxDB and VictoriaMetrics in the same run: 1,000 devices with 5 metrics
 * each, whose values change by at most 0.1 per write. Each write has 5,000 samples with one timestamp. SAMPLES sets the
 * number of samples (default: 3,000,000). With POSTGRES=1, also Penstock with its telemetry in a PostgreSQL that waits for the disk.
 */
const SENDERS = 4;
const QUERIES = 20;
/** Resolves when the server of a process answers. @throws if the process ended before */
const untilAnswered = async (url: string, child: ChildProcess): Promise<void> => {
  for (;;)
    try {
      await send(url, 'GET', {});
      return;
    } catch (error) {
      if (child.exitCode !== null) throw error;
      await delay(50);
    }
};

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

const startPenstock = async (
  name: string,
  body: PenstockBody,
  env: Record<string, string> = {},
): Promise<Subject> => {
  const { pid, dir, origin, signinToken, stop } = await startProcess(env);
  const calls = callsOf(origin, await signIn(origin, signinToken), body);
  return { name: `Penstock, ${name}`, pid, dir, bodyOf: body.bodyOf, ...calls, stop };
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
  await untilAnswered(`${url}/ping`, child);
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
  await untilAnswered(`${url}/health`, child);
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
