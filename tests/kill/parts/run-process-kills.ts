import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MAIN } from '#tests/service/built-service.ts';
import { connectTo } from '#tests/service/postgres-client.ts';
import { programEnv } from '#tests/service/program-env.ts';
import { startEnv, startFlags } from '#tests/service/start-flags.ts';
import { startPostgres } from '#tests/service/start-postgres.ts';
import { lowPort } from './low-port.ts';
import { seededRandom } from './seeded-random.ts';

const PROCESSES = 3;
/** Within this time of the death of its holder, another process has the lease. */
const TAKEN_OVER_WITHIN_MS = 15_000;
const ANSWERS_WITHIN_MS = 60_000;
const CALL_WITHIN_MS = 10_000;
/** Between two writes of a sender. */
const SEND_EVERY_MS = 50;
const FIRST = { device: 'pump', ts: 1_700_000_000_000 };

export type ProcessKills = {
  kills: number;
  /** The longest time that sources were not polled, in ms. */
  longestPauseMs: number;
  /** Samples that a process answered, to the built-in store and for a destination. */
  stored: number;
  spooled: number;
  faults: string[];
};

/** A server on loopback that counts polls, and records the samples of deliveries. */
const startOutside = async () => {
  const polledAtMs: number[] = [];
  const delivered = new Set<number>();
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.method === 'GET') polledAtMs.push(performance.now());
      for (const [, ts = ''] of text.matchAll(/"ts":"([^"]+)"/g)) delivered.add(Date.parse(ts));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"temperature":1}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const polledAfter = async (atMs: number): Promise<void> => {
    const untilMs = atMs + 2 * TAKEN_OVER_WITHIN_MS;
    while ((polledAtMs.at(-1) ?? 0) <= atMs && performance.now() < untilMs) await delay(50);
  };
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, polledAtMs, polledAfter, delivered, close };
};

/** The processes of a service on one database, each with a data directory and a port of its own. */
const startProcesses = async (dir: string, databaseUrl: string) => {
  const ports = await Promise.all(Array.from({ length: PROCESSES }, lowPort));
  const children: ChildProcess[] = [];
  let output = '';
  const launch = (n: number): void => {
    const child = spawn(process.execPath, [...startFlags, MAIN], {
      env: {
        ...programEnv,
        ...startEnv,
        DATA_DIR: join(dir, `data-${n}`),
        DATABASE_URL: databaseUrl,
        PORT: String(ports[n]),
        MQTT_PORT: '0',
        SEED: 'none',
        ALLOWED_NETWORKS: '127.0.0.0/8',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    children[n] = child;
  };
  const end = async (n: number, signal: NodeJS.Signals): Promise<void> => {
    const child = children[n]!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    if (signal !== 'SIGSTOP') await exited;
  };
  const resume = (n: number): void => void children[n]!.kill('SIGCONT');
  let token = '';
  const call = async (n: number, method: string, path: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${ports[n]}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_WITHIN_MS),
    });
    return { status: response.status, body: await response.json() };
  };
  const answers = async (n: number): Promise<void> => {
    const untilMs = performance.now() + ANSWERS_WITHIN_MS;
    while ((await call(n, 'GET', '/v1/health').catch(() => undefined))?.status !== 200) {
      if (performance.now() > untilMs) throw new Error(`Process ${n} does not answer.`);
      await delay(50);
    }
  };
  for (let n = 0; n < PROCESSES; n += 1) {
    launch(n);
    await answers(n);
  }
  const link = /#signin=(\S+)/.exec(output)?.[1];
  ({ token } = (await call(0, 'POST', '/v1/sessions', { token: link })).body);
  return { launch, end, resume, call, answers, pidOf: (n: number) => children[n]?.pid };
};

/**
 * Kills one of three processes after another, the holder of the lease at every second kill, while senders write to all of them.
 * Every fourth one is stopped and continues after another process has taken over, when it still believes to hold the lease.
 * Every answered sample must be stored and delivered, the ledger must balance, and polls must continue within 15 s.
 */
export const runProcessKills = async (
  { times, seed }: { times: number; seed: number },
  print: (line: string) => void,
): Promise<ProcessKills> => {
  const random = seededRandom(seed);
  const dir = mkdtempSync(join(tmpdir(), 'penstock-processes-'));
  const postgres = await startPostgres();
  const outside = await startOutside();
  const processes = await startProcesses(dir, postgres.url);
  const { call } = processes;
  const database = await connectTo(postgres.url);
  try {
    await call(0, 'POST', '/v1/destinations', { name: 'Lake', type: 'webhook', url: outside.url });
    const { body: pipeline } = await call(0, 'POST', '/v1/pipelines', {
      name: 'Lake',
      type: 'http',
      interval: 1,
      destination: 'Lake',
    });
    await call(0, 'POST', '/v1/pipelines', {
      name: 'Poll',
      type: 'http-poll',
      interval: 1,
      destination: 'telemetry',
      config: { url: outside.url, device: 'polled' },
    });

    const stopping = new AbortController();
    const { signal } = stopping;
    let last = FIRST.ts;
    const stored = new Set<number>();
    const spooled = new Set<number>();
    /** Repeats each write at the next process until one of them answers, as a proxy does. */
    const send = async (path: string, bodyOf: (ts: number) => unknown, answered: Set<number>) => {
      for (let n = 0; !signal.aborted; n += 1) {
        const ts = (last += 1);
        for (; !signal.aborted; n += 1) {
          const answer = await call(n % PROCESSES, 'POST', path, bodyOf(ts)).catch(() => undefined);
          if (answer !== undefined && answer.status < 300) {
            answered.add(ts);
            break;
          }
          await delay(SEND_EVERY_MS);
        }
        await delay(SEND_EVERY_MS);
      }
    };
    const sample = (ts: number) => ({ device: FIRST.device, ts, values: { temp: ts % 1_000 } });
    const senders = Promise.all([
      ...Array.from({ length: PROCESSES }, () =>
        send('/v1/telemetry', (ts) => ({ samples: [sample(ts)] }), stored),
      ),
      ...Array.from({ length: PROCESSES }, () =>
        send(`/v1/pipelines/${pipeline.id}/messages`, sample, spooled),
      ),
    ]);

    /** Processes take the lease in the order of their starts, unless one is killed. */
    const findHolder = async (): Promise<number> => {
      for (;;) {
        const { rows } = await database.query<{ holder: string }>(
          'select holder from lease where expires_at > extract(epoch from clock_timestamp()) * 1000',
        );
        const holder = rows[0]?.holder;
        for (let n = 0; n < PROCESSES; n += 1) if (holder?.endsWith(`:${processes.pidOf(n)}`)) return n;
        await delay(100);
      }
    };
    for (let kill = 0; kill < times; kill += 1) {
      const holder = await findHolder();
      const isHolder = kill % 2 === 0;
      const n = isHolder ? holder : (holder + 1 + Math.floor(random() * (PROCESSES - 1))) % PROCESSES;
      const signal = kill % 4 === 2 ? 'SIGSTOP' : 'SIGKILL';
      await delay(random() * 1_000);
      await processes.end(n, signal);
      const endedAtMs = performance.now();
      if (isHolder) await outside.polledAfter(endedAtMs + 1_000);
      const passed = Math.round(performance.now() - endedAtMs);
      print(
        `#${kill + 1}: ${signal} to process ${n}${isHolder ? `, which held the lease; polled again after ${passed} ms` : ''}`,
      );
      if (signal === 'SIGSTOP') processes.resume(n);
      else processes.launch(n);
      await processes.answers(n);
    }
    stopping.abort();
    await senders;

    const faults: string[] = [];
    const pauses = outside.polledAtMs.map((at, i) => at - (outside.polledAtMs[i - 1] ?? at));
    const longestPauseMs = Math.round(Math.max(...pauses));
    if (longestPauseMs > TAKEN_OVER_WITHIN_MS)
      faults.push(`Sources were not polled for ${longestPauseMs} ms.`);
    const untilMs = performance.now() + ANSWERS_WITHIN_MS;
    const ledgerNow = async () => (await call(0, 'GET', `/v1/pipelines/${pipeline.id}`)).body.ledger;
    while ((await ledgerNow()).pending > 0 && performance.now() < untilMs) await delay(100);
    const { received, delivered, pending, rejected, skipped } = await ledgerNow();
    if (pending > 0 || received !== delivered + rejected + skipped || rejected > 0)
      faults.push(`The ledger has ${JSON.stringify({ received, delivered, pending, rejected, skipped })}.`);
    const { rows } = await database.query<{ ts: string; value: number }>(
      `select ts, value from telemetry_sample join telemetry_series on id = series where device =
         (select id from device where external_id = '${FIRST.device}')`,
    );
    const found = new Map(rows.map(({ ts, value }) => [Number(ts), value]));
    for (const ts of stored) if (found.get(ts) !== ts % 1_000) faults.push(`Sample ${ts} is not stored.`);
    for (const ts of spooled) if (!outside.delivered.has(ts)) faults.push(`Sample ${ts} was not delivered.`);
    return { kills: times, longestPauseMs, stored: stored.size, spooled: spooled.size, faults };
  } finally {
    for (let n = 0; n < PROCESSES; n += 1) await processes.end(n, 'SIGTERM');
    await database.end();
    outside.close();
    await postgres.close();
    rmSync(dir, { recursive: true, force: true });
  }
};
