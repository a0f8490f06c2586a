import { availableParallelism, cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { startClickHouse } from '../service/start-clickhouse.ts';
import { startPostgres } from '../service/start-postgres.ts';
import { cpuSeconds } from './mqtt-load/process-figures.ts';
import { callsOf, PENSTOCK_BODIES, signIn, startProcess } from './store-load/penstock.ts';
import { createWrites, SERIES, WRITES } from './store-load/sample-walk.ts';
import { agent, timed } from './store-load/send.ts';

/**
 * Writes and queries with the telemetry on each engine, and with one, two and three processes that share PostgreSQL for the
 * metadata. The data is that of `npm run bench -- store`. SAMPLES sets the number of samples (default: 3,000,000), SENDERS that of
 * writes at the same time (default: 6). ENGINES and PROCESSES select lines, such as ENGINES=postgres PROCESSES=1,3.
 */
const SENDERS = Number(process.env['SENDERS'] ?? 6);
const QUERIES = 20;
const JSON_ROWS = PENSTOCK_BODIES['JSON rows']!;

type Server = { env: Record<string, string>; pids: () => number[]; close: () => Promise<void> };
const servers: Record<string, () => Promise<Server>> = {
  embedded: async () => ({ env: {}, pids: () => [], close: async () => undefined }),
  postgres: async () => {
    const postgres = await startPostgres({ isDurable: true });
    return { env: { DATABASE_URL: postgres.url }, pids: postgres.pids, close: postgres.close };
  },
  clickhouse: async () => {
    const [postgres, clickhouse] = [await startPostgres({ isDurable: true }), await startClickHouse()];
    await clickhouse.run('CREATE DATABASE penstock');
    return {
      env: { DATABASE_URL: postgres.url, TELEMETRY_URL: clickhouse.urlOf('penstock') },
      pids: () => [...postgres.pids(), clickhouse.pid()],
      close: async () => {
        await clickhouse.close();
        await postgres.close();
      },
    };
  },
};

const cpuOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuSeconds(pid).all, 0);
const twenty = Array.from({ length: 20 }, (_, n) => n * 11);

const measure = async (engine: string, count: number): Promise<string[]> => {
  const server = await servers[engine]!();
  const processes = [await startProcess(server.env)];
  try {
    const [first] = processes;
    const token = await signIn(first!.origin, first!.signinToken);
    while (processes.length < count) processes.push(await startProcess(server.env));
    const calls = processes.map(({ origin }) => callsOf(origin, token, JSON_ROWS));
    const [created = '', ...bodies] = Array.from(createWrites(), JSON_ROWS.bodyOf);
    await calls[0]!.write(created);
    const pids = processes.map(({ pid }) => pid);
    const before = { penstock: cpuOf(pids), server: cpuOf(server.pids()) };
    const begun = performance.now();
    const waiting = bodies.values();
    const sender = async (n: number): Promise<void> => {
      for (const body of waiting) await calls[n % count]!.write(body);
    };
    await Promise.all(Array.from({ length: SENDERS }, (_, n) => sender(n)));
    const elapsedMs = performance.now() - begun;
    const samples = (WRITES - 1) * SERIES;
    const perSample = (cpu: number) => ((cpu * 1e6) / samples).toFixed(1);
    const used = { penstock: cpuOf(pids) - before.penstock, server: cpuOf(server.pids()) - before.server };
    await delay(2_000);
    const one = await timed(() => calls[0]!.query([7], 'm1'), QUERIES);
    const many = await timed(() => calls.at(-1)!.query(twenty, 'm2'), QUERIES);
    return [
      engine,
      String(count),
      (samples / elapsedMs).toFixed(0),
      perSample(used.penstock),
      perSample(used.server),
      one.toFixed(1),
      many.toFixed(1),
    ];
  } finally {
    for (const each of processes) await each.stop();
    await server.close();
    for (const each of processes) each.remove();
  }
};

const listed = (name: string, otherwise: string): string[] => (process.env[name] ?? otherwise).split(',');
process.stdout.write(
  `${(WRITES * SERIES).toLocaleString('en')} samples, ${SERIES.toLocaleString('en')} series, ${SENDERS} senders; ${availableParallelism()} × ${cpus()[0]?.model}\n\n` +
    '| telemetry | processes | thousand samples/s | µs of CPU per sample, Penstock | of the servers | one series, ms | 20 series, ms |\n' +
    '|---|---:|---:|---:|---:|---:|---:|\n',
);
for (const engine of listed('ENGINES', 'embedded,postgres,clickhouse'))
  // A data directory belongs to one process.
  for (const count of engine === 'embedded' ? ['1'] : listed('PROCESSES', '1,2,3'))
    process.stdout.write(`| ${(await measure(engine, Number(count))).join(' | ')} |\n`);
agent.destroy();
