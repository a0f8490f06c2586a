import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectTo } from '#tests/service/postgres-client.ts';
import { startPostgres } from '#tests/service/start-postgres.ts';
import { recordLeases } from './lease-history.ts';
import { startObservedDestination } from './observed-destination.ts';
import { seededRandom } from './seeded-random.ts';
import { startSharedProcesses } from './shared-processes.ts';
import { checkDashboards, LIVE_AGAIN_WITHIN_MS, startDashboards } from './start-dashboards.ts';

const PROCESSES = 3;
/** Within this time of the death of its holder, another process has the lease. */
const TAKEN_OVER_WITHIN_MS = 15_000;
const SETTLED_WITHIN_MS = 120_000;
/** Between two writes of a sender. */
const SEND_EVERY_MS = 50;
const SAMPLES_PER_WRITE = 20;
/** Devices of one stream. */
const MAX_FOLLOWED = 200;
const FIRST_TS = 1_700_000_000_000;

/** A database that is stopped during the run, and for how long. */
type Restart = { name: string; stop: () => Promise<void>; start: () => Promise<void>; downMs: number };

export type ProcessKillOptions = {
  times: number;
  seed: number;
  /** Pipelines that deliver, and as many that poll. */
  pipelines?: number;
  devices?: number;
  /** Pages with a live stream, opened through the proxy. */
  dashboards?: number;
  /** From one kill to the next, at least. */
  everyMs?: number;
  /** How long a suspended process is stopped, at least; it is stopped until another one has taken over. */
  suspendMs?: number;
  /** How long PostgreSQL is down after half of the kills; undefined: it is not killed. */
  postgresDownMs?: number | undefined;
  /** Of the telemetry, if it is not in the PostgreSQL of the metadata. */
  telemetryUrl?: string | undefined;
  /** Restarts of the servers of telemetry, one after each fourth kill. */
  telemetryRestarts?: readonly Restart[];
};

export type ProcessKills = {
  kills: number;
  /** The longest time that sources were not polled while PostgreSQL answered, in ms. */
  longestPauseMs: number;
  /** Samples that a process answered, to the built-in store and for a destination. */
  stored: number;
  spooled: number;
  /** Calls by the holders of the lease, in all. */
  fencing: { deliveries: number; polls: number; unknown: number; holders: number };
  live: { dashboards: number; reconnects: number; longestMs: number; events: number };
  faults: string[];
};

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** The IDs of all events, oldest first. */
const listEvents = async (url: string): Promise<string[]> => {
  const client = await connectTo(url);
  try {
    return (await client.query('select id from event order by seq')).rows.map(({ id }: { id: string }) => id);
  } finally {
    await client.end();
  }
};

/**
 * Kills one of three processes after another, the holder of the lease at every second kill, while senders write through a proxy.
 * Every fourth one is suspended and continues after another process has taken over. Every answered sample must be stored and
 * delivered, only the holder of the lease may poll and deliver, the ledgers must balance, polls must continue within 15 s, and
 * dashboards must be live again within a minute and receive every event once.
 */
export const runProcessKills = async (
  {
    times,
    seed,
    pipelines: pipelineCount = 1,
    devices = 1,
    dashboards: dashboardCount = 1,
    everyMs = 0,
    suspendMs = 0,
    postgresDownMs,
    telemetryUrl,
    telemetryRestarts = [],
  }: ProcessKillOptions,
  print: (line: string) => void,
): Promise<ProcessKills> => {
  const random = seededRandom(seed);
  const dir = mkdtempSync(join(tmpdir(), 'penstock-processes-'));
  const postgres = await startPostgres();
  let listPids = (): number[] => [];
  const outside = await startObservedDestination(() => listPids());
  const processes = await startSharedProcesses(PROCESSES, dir, {
    DATABASE_URL: postgres.url,
    ...(telemetryUrl !== undefined && { TELEMETRY_URL: telemetryUrl }),
  });
  listPids = processes.pids;
  const { call } = processes;
  let closeDashboards = (): void => undefined;
  try {
    const leases = await recordLeases(postgres.url);
    await call(0, 'POST', '/v1/destinations', { name: 'Lake', type: 'webhook', url: outside.url });
    const pipelineIds: string[] = [];
    for (const n of range(pipelineCount)) {
      const common = { interval: 1 };
      const { body } = await call(0, 'POST', '/v1/pipelines', {
        ...common,
        name: `Lake ${n}`,
        type: 'http',
        destination: 'Lake',
      });
      pipelineIds.push(body.id);
      await call(0, 'POST', '/v1/pipelines', {
        ...common,
        name: `Poll ${n}`,
        type: 'http-poll',
        destination: 'telemetry',
        config: { url: outside.url, device: `polled-${n}` },
      });
    }

    const stopping = new AbortController();
    const { signal } = stopping;
    let last = FIRST_TS;
    const [stored, spooled] = [new Set<number>(), new Set<number>()];
    /** Repeats each write until a process answers. */
    const send = async (
      count: number,
      pathOf: (ts: number) => string,
      bodyOf: (times: number[]) => unknown,
      answered: Set<number>,
    ) => {
      while (!signal.aborted) {
        const times = range(count).map((i) => last + i + 1);
        last += count;
        while (!signal.aborted) {
          const path = pathOf(times[0]!);
          const answer = await call('proxy', 'POST', path, bodyOf(times)).catch(() => undefined);
          if (answer !== undefined && answer.status < 300) {
            for (const ts of times) answered.add(ts);
            break;
          }
          await delay(SEND_EVERY_MS);
        }
        await delay(SEND_EVERY_MS);
      }
    };
    const sample = (ts: number) => ({ device: `pump-${ts % devices}`, ts, values: { temp: ts % 1_000 } });
    const pipelineOf = (ts: number) => pipelineIds[ts % pipelineCount]!;
    const senders = Promise.all(
      range(PROCESSES).flatMap(() => [
        send(
          SAMPLES_PER_WRITE,
          () => '/v1/telemetry',
          (times) => ({ samples: times.map(sample) }),
          stored,
        ),
        send(
          1,
          (ts) => `/v1/pipelines/${pipelineOf(ts)}/messages`,
          ([ts]) => sample(ts!),
          spooled,
        ),
      ]),
    );

    // Streams name devices, which the first messages register.
    while (stored.size < devices) await delay(SEND_EVERY_MS);
    const dashboards = await startDashboards({
      url: processes.proxyUrl,
      token: processes.token,
      count: dashboardCount,
      devices: range(Math.min(devices, MAX_FOLLOWED)).map((n) => `pump-${n}`),
    });
    closeDashboards = dashboards.kill;

    const findHolder = async (): Promise<number> => {
      for (;;) {
        const pid = await leases.holder();
        const n = pid === undefined ? -1 : processes.pids().indexOf(pid);
        if (n !== -1) return n;
        await delay(100);
      }
    };
    /** Times without polls that are not a fault. */
    const outages: { fromMs: number; toMs: number }[] = [];
    const restart = async ({ name, stop, start, downMs }: Restart): Promise<void> => {
      const fromMs = performance.now();
      await stop();
      await delay(downMs);
      await start();
      for (const n of range(PROCESSES)) await processes.answers(n);
      const backMs = performance.now();
      await outside.polledAfter(backMs, 2 * TAKEN_OVER_WITHIN_MS);
      outages.push({ fromMs, toMs: performance.now() });
      const again = Math.round(performance.now() - backMs);
      print(`${name} was killed, and down for ${downMs} ms; polled again after another ${again} ms`);
    };
    const telemetrySteps = [...telemetryRestarts];
    const postgresRestart = { name: 'PostgreSQL', stop: postgres.kill, start: postgres.start };
    for (const kill of range(times)) {
      const startedAtMs = performance.now();
      const holder = await findHolder();
      const isHolder = kill % 2 === 0;
      const n = isHolder ? holder : (holder + 1 + Math.floor(random() * (PROCESSES - 1))) % PROCESSES;
      const sent = kill % 4 === 2 ? 'SIGSTOP' : 'SIGKILL';
      await delay(random() * 1_000);
      await processes.end(n, sent);
      const endedAtMs = performance.now();
      if (isHolder) await outside.polledAfter(endedAtMs + 1_000, 2 * TAKEN_OVER_WITHIN_MS);
      const passed = Math.round(performance.now() - endedAtMs);
      print(
        `#${kill + 1}: ${sent} to process ${n}${isHolder ? `, which held the lease; polled again after ${passed} ms` : ''}`,
      );
      if (sent === 'SIGSTOP') {
        await delay(Math.max(0, suspendMs - passed));
        processes.resume(n);
      } else processes.launch(n);
      await processes.answers(n);
      if (postgresDownMs !== undefined && kill + 1 === Math.ceil(times / 2))
        await restart({ ...postgresRestart, downMs: postgresDownMs });
      const step = kill % 4 === 3 ? telemetrySteps.shift() : undefined;
      if (step !== undefined) await restart(step);
      await delay(Math.max(0, everyMs - (performance.now() - startedAtMs)));
    }
    // The dashboards have time to open a stream again after the last kill.
    if (everyMs > 0) await delay(LIVE_AGAIN_WITHIN_MS);
    const reports = await dashboards.stop();
    stopping.abort();
    await senders;

    const epochOf = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => ({
      fromMs: performance.timeOrigin + fromMs,
      toMs: performance.timeOrigin + toMs,
    });
    const { counts: live, faults } = checkDashboards(
      reports,
      outages.map(epochOf),
      await listEvents(postgres.url),
    );
    const isOutage = (fromMs: number, toMs: number) =>
      outages.some((outage) => fromMs < outage.toMs && toMs > outage.fromMs);
    const pauses = outside.polledAtMs.map((at, i) => {
      const before = outside.polledAtMs[i - 1] ?? at;
      return isOutage(before, at) ? 0 : at - before;
    });
    const longestPauseMs = Math.round(Math.max(...pauses));
    if (longestPauseMs > TAKEN_OVER_WITHIN_MS)
      faults.push(`Sources were not polled for ${longestPauseMs} ms.`);
    for (const n of range(PROCESSES)) if (processes.hasEnded(n)) faults.push(`Process ${n} has ended.`);
    const untilMs = performance.now() + SETTLED_WITHIN_MS;
    const ledgersNow = () =>
      Promise.all(pipelineIds.map(async (id) => (await call(0, 'GET', `/v1/pipelines/${id}`)).body.ledger));
    while ((await ledgersNow()).some(({ pending }) => pending > 0) && performance.now() < untilMs)
      await delay(200);
    for (const { received, delivered, pending, rejected, skipped } of await ledgersNow())
      if (pending > 0 || received !== delivered + rejected + skipped || rejected > 0)
        faults.push(`A ledger has ${JSON.stringify({ received, delivered, pending, rejected, skipped })}.`);
    const found = new Map<number, number>();
    const selection = `from=${FIRST_TS}&to=${last + 1}&metric=temp&format=ndjson`;
    const path = `/v1/telemetry/export?${selection}`;
    const answer = await processes.fetchFrom(0, 'GET', path, { withinMs: SETTLED_WITHIN_MS });
    const exported = await answer.text();
    for (const line of exported.trim().split('\n')) {
      const { time, value } = JSON.parse(line) as { time?: string; value?: number };
      if (time !== undefined && value !== undefined) found.set(Date.parse(time), value);
    }
    for (const ts of stored) if (found.get(ts) !== ts % 1_000) faults.push(`Sample ${ts} is not stored.`);
    for (const ts of spooled) if (!outside.delivered.has(ts)) faults.push(`Sample ${ts} was not delivered.`);
    const { counts: fencing, faults: unfenced } = outside.checkFencing(await leases.tenures());
    faults.push(...unfenced);
    return {
      kills: times,
      longestPauseMs,
      stored: stored.size,
      spooled: spooled.size,
      fencing,
      live,
      faults,
    };
  } finally {
    for (const n of range(PROCESSES)) {
      // A suspended process could not end.
      if (!processes.hasEnded(n)) processes.resume(n);
      await processes.end(n, 'SIGTERM');
    }
    closeDashboards();
    processes.closeProxy();
    outside.close();
    await postgres.close();
    rmSync(dir, { recursive: true, force: true });
  }
};
