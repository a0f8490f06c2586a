import { describe, expect, it } from 'vitest';
import { LiveNumbers } from '#dashboard/charts/live/live-numbers.ts';
import { LiveStates } from '#dashboard/charts/live/live-states.ts';
import type { StateSeries } from '#dashboard/charts/series/series.ts';
import { stateRunsOf } from '#dashboard/charts/tracks/state-runs.ts';

const pump = (ts: number[], value: (boolean | string)[]): StateSeries => ({
  id: 'pump',
  label: 'Pump',
  unit: null,
  colour: 1,
  kind: 'boolean',
  columns: { ts, value },
});
const every = (stepMs: number, fromMs: number, toMs: number) =>
  Array.from({ length: (toMs - fromMs) / stepMs }, (_, n) => fromMs + n * stepMs);
const span = { fromMs: 0, toMs: 1_000 };

describe('the runs of a state', () => {
  it('hold until the state changes', () => {
    const ts = every(10, 0, 1_000);
    const runs = stateRunsOf(
      pump(
        ts,
        ts.map((at) => at >= 500),
      ),
      undefined,
      span,
    );
    expect(runs).toEqual([
      { from: 0, to: 500, value: false },
      { from: 500, to: 1_000, value: true },
    ]);
  });

  it('end one step after the last sample before a gap', () => {
    const ts = [...every(10, 0, 300), ...every(10, 600, 1_000)];
    const runs = stateRunsOf(
      pump(
        ts,
        ts.map(() => true),
      ),
      undefined,
      span,
    );
    expect(runs).toEqual([
      { from: 0, to: 300, value: true },
      { from: 600, to: 1_000, value: true },
    ]);
  });

  it('hold through silence for reports on change', () => {
    const runs = stateRunsOf(pump([5, 10, 400, 405, 900], [true, false, true, false, true]), undefined, span);
    expect(runs.map(({ from, to }) => [from, to])).toEqual([
      [5, 10],
      [10, 400],
      [400, 405],
      [405, 900],
      [900, 1_000],
    ]);
  });

  it('have no gap where a device changes between a step of minutes and of seconds, and the true gaps on both', () => {
    const minutes = every(60_000, 0, 3_600_000).filter((_, n) => n < 20 || n >= 30);
    const seconds = every(1_000, 3_600_000, 7_200_000).filter((_, n) => n < 1_800 || n >= 1_830);
    const ts = [...minutes, ...seconds];
    const on = pump(
      ts,
      ts.map(() => true),
    );
    const runs = stateRunsOf(on, undefined, { fromMs: 0, toMs: 7_200_000 });
    expect(runs.map(({ from, to }) => [from, to])).toEqual([
      [0, 1_200_000],
      [1_800_000, 5_400_000],
      [5_430_000, 7_200_000],
    ]);
  });

  it('of live samples end in silence by the latest step', () => {
    const live = new LiveStates(new LiveNumbers(1_000, 1_000, 1_000));
    for (const at of [...every(60, 0, 600), ...every(1, 600, 650)]) live.push([at], ['on']);
    const none = pump([], []);
    expect(stateRunsOf(none, live, { fromMs: 0, toMs: 1_000 }).at(-1)?.to).toBe(650);
  });

  it('include the state before the span', () => {
    expect(stateRunsOf(pump([-500], ['on']), undefined, span)).toEqual([
      { from: -500, to: 1_000, value: 'on' },
    ]);
  });

  it('continue with live samples', () => {
    const live = new LiveStates(new LiveNumbers(1_000, 1_000, 1_000));
    live.push([480, 490, 500, 510], [true, true, true, false]);
    const ts = every(10, 0, 490);
    const history = pump(
      ts,
      ts.map(() => true),
    );
    expect(stateRunsOf(history, live, { fromMs: 0, toMs: 520 })).toEqual([
      { from: 0, to: 510, value: true },
      { from: 510, to: 520, value: false },
    ]);
  });
});

describe('live states', () => {
  it('need no memory while a state stays', () => {
    const live = new LiveStates(new LiveNumbers(1_000, 1_000, 1_000));
    for (let at = 0; at < 100_000; at += 10) live.push([at], ['idle']);
    expect(live.runs).toEqual([{ from: 0, to: 99_990, value: 'idle' }]);
    expect(live.recentTs.length).toBeLessThan(200);
  });

  it('keep the run before the window, whose state may still hold', () => {
    const live = new LiveStates(new LiveNumbers(1_000, 1_000, 1_000));
    live.push([0, 10, 20], ['a', 'b', 'c']);
    live.dropBefore(20);
    expect(live.runs.map(({ value }) => value)).toEqual(['b', 'c']);
  });
});
