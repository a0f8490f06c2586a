import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { programEnv } from '#tests/service/program-env.ts';
import type { DashboardReport, DashboardsOrder } from './dashboards-process.ts';

/** Longer than the silence after which a dashboard gives up a stream (40 s), and the longest wait before it opens the next (15 s). */
export const LIVE_AGAIN_WITHIN_MS = 60_000;

type Outage = { fromMs: number; toMs: number };

/** Opens dashboards in a process of their own, with the live connection of the real pages. Resolves when all receive samples. */
export const startDashboards = async (to: Exclude<DashboardsOrder, 'report'>) => {
  const child = fork(join(import.meta.dirname, 'dashboards-process.ts'), { execArgv: [], env: programEnv });
  const ended = new AbortController();
  child.once('exit', (code) => ended.abort(new Error(`The dashboards ended with ${code}.`)));
  child.on('error', (error) => ended.abort(error));
  const give = (order: DashboardsOrder) => {
    ended.signal.throwIfAborted();
    child.send(order);
  };
  give(to);
  try {
    await once(child, 'message', {
      signal: AbortSignal.any([ended.signal, AbortSignal.timeout(LIVE_AGAIN_WITHIN_MS)]),
    });
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    /** Closes the dashboards, and returns what they received. */
    stop: async (): Promise<DashboardReport[]> => {
      give('report');
      const [reports] = (await once(child, 'message', { signal: ended.signal })) as [DashboardReport[]];
      return reports;
    },
    kill: () => void child.kill('SIGKILL'),
  };
};

/** The longest time without samples. Of a gap that contains an outage, only the time after the outage counts. */
const longestGapMs = ({ gaps }: DashboardReport, outages: readonly Outage[]): number =>
  Math.round(
    Math.max(
      0,
      ...gaps.map(({ fromMs, toMs }) => {
        const overlapping = outages.filter((outage) => fromMs < outage.toMs && toMs > outage.fromMs);
        return Math.max(0, toMs - Math.max(fromMs, ...overlapping.map((outage) => outage.toMs)));
      }),
    ),
  );

/** Compares what dashboards received with the log of events, whose IDs are oldest first. */
export const checkDashboards = (
  reports: readonly DashboardReport[],
  outages: readonly Outage[],
  log: readonly string[],
) => {
  const faults: string[] = [];
  for (const [n, report] of reports.entries()) {
    const gapMs = longestGapMs(report, outages);
    if (gapMs > LIVE_AGAIN_WITHIN_MS) faults.push(`Dashboard ${n} received no samples for ${gapMs} ms.`);
    const received = new Set(report.eventIds);
    if (received.size < report.eventIds.length) faults.push(`Dashboard ${n} received an event twice.`);
    const [first = ''] = report.eventIds;
    const missed = log.slice(log.indexOf(first)).filter((id) => !received.has(id));
    if (report.resets === 0 && first !== '' && missed.length > 0)
      faults.push(`Dashboard ${n} missed ${missed.length} events, such as ${missed[0]}.`);
  }
  const reconnects = reports.reduce((sum, { opened }) => sum + opened - 1, 0);
  const longestMs = Math.max(0, ...reports.map((report) => longestGapMs(report, outages)));
  const events = Math.min(...reports.map(({ eventIds }) => eventIds.length));
  return { faults, counts: { dashboards: reports.length, reconnects, longestMs, events } };
};
