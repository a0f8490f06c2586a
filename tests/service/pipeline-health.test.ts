import { beforeEach, describe, expect, test } from 'vitest';
import { createHealth } from '#service/pipelines/runner/pipeline-health.ts';
import type { HealthState } from '#service/pipelines/runner/state-hysteresis.ts';

let nowMs: number;
const now = () => nowMs;
beforeEach(() => {
  nowMs = 1_795_253_400_000;
});
const pass = (seconds: number) => {
  nowMs += seconds * 1_000;
};
const open = (intervalMs?: number, before?: HealthState) =>
  createHealth({ intervalMs, now, holdMs: 60_000, before });
const RUNNING = { state: 'running', reason: null };
const OUTAGE = { code: 'destination', detail: 'Unreachable.', isFatal: false } as const;

test('an idle pipeline is running', () => {
  const health = open();
  pass(86_400);
  expect(health.evaluate()).toEqual(RUNNING);
});

describe('rejections', () => {
  test('of 1 % of the samples make it degraded, with their number', () => {
    const health = open();
    health.count(99, 0);
    health.count(1, 1);
    expect(health.evaluate()).toEqual({
      state: 'degraded',
      reason: {
        code: 'rejections',
        detail: '1 of 100 samples in the last 5 minutes were rejected.',
        lastedMs: 0,
      },
    });
  });

  test('name the most common reason of the last 5 minutes', () => {
    const health = open();
    const detail = () => health.evaluate().reason?.detail;
    health.count(100, 3, { 'device-missing': 2, 'not-json': 1 });
    expect(detail()).toBe(
      '3 of 100 samples in the last 5 minutes were rejected. Most common reason: No device.',
    );
    pass(299);
    health.count(100, 2, { 'kind-mismatch': 2 });
    pass(2);
    expect(detail()).toBe(
      '2 of 100 samples in the last 5 minutes were rejected. Most common reason: Different value type.',
    );
  });

  test('of fewer samples do not', () => {
    const health = open();
    health.count(101, 1);
    expect(health.evaluate()).toEqual(RUNNING);
  });

  test('make it running again below 0.2 % in 5 minutes', () => {
    const health = open();
    health.count(10, 10);
    health.evaluate();
    pass(60);
    health.count(4_990, 0);
    expect(health.evaluate().state).toBe('degraded');
    health.count(1, 0);
    expect(health.evaluate()).toEqual(RUNNING);
  });

  test('that are soon a small share of the samples leave it recovering since then', () => {
    const health = open();
    health.count(10, 10);
    health.evaluate();
    pass(5);
    health.count(5_000, 0);
    const recovering = (lastedMs: number) => ({
      state: 'degraded',
      reason: { code: 'recovering', detail: '', lastedMs },
    });
    expect(health.evaluate()).toEqual(recovering(0));
    pass(10);
    expect(health.evaluate()).toEqual(recovering(10_000));
  });

  test('around 1 % for an hour change the state once', () => {
    const health = open();
    let changes = 0;
    let last = 'running';
    for (let second = 0; second < 3_600; second++) {
      health.count(second % 97 < 48 ? 90 : 110, 1);
      const { state } = health.evaluate();
      if (state !== last) changes += 1;
      last = state;
      pass(1);
    }
    expect([changes, last]).toEqual([1, 'degraded']);
  });

  test('are counted again every 15 s', () => {
    const health = open();
    const detail = () => health.evaluate().reason?.detail;
    health.count(100, 50);
    const first = detail();
    health.count(80, 40);
    expect(detail()).toBe(first);
    pass(15);
    expect(detail()).toBe('90 of 180 samples in the last 5 minutes were rejected.');
  });

  test('are counted again at once when they have doubled', () => {
    const health = open();
    health.count(1, 1);
    health.evaluate();
    health.count(39, 0);
    expect(health.evaluate().reason?.detail).toBe('1 of 40 samples in the last 5 minutes were rejected.');
  });
});

describe('a polled source', () => {
  test('can miss two intervals, and makes its pipeline degraded with the third', () => {
    const health = open(10_000);
    pass(35);
    expect(health.evaluate()).toEqual(RUNNING);
    pass(1);
    expect(health.evaluate()).toEqual({
      state: 'degraded',
      reason: { code: 'source', detail: 'The source did not answer the last polls.', lastedMs: 36_000 },
    });
  });

  test('that fails is unanswered since its last answer, however rarely it is polled', () => {
    const health = open(3_600_000);
    health.polled();
    pass(3_600);
    health.pollFailed('Connection refused.');
    expect(health.evaluate()).toMatchObject({ state: 'degraded', reason: { lastedMs: 3_600_000 } });
    pass(600);
    expect(health.evaluate()).toEqual({
      state: 'degraded',
      reason: { code: 'source', detail: 'Connection refused.', lastedMs: 4_200_000 },
    });
  });

  test('makes its pipeline running 60 s after it answers again', () => {
    const health = open(10_000);
    pass(40);
    health.evaluate();
    for (let second = 0; second < 59; second++) {
      health.polled();
      pass(1);
      expect(health.evaluate()).toMatchObject({ state: 'degraded', reason: { code: 'recovering' } });
    }
    health.polled();
    pass(1);
    expect(health.evaluate()).toEqual(RUNNING);
  });
});

describe('a fault', () => {
  test('that is fatal makes it failed at once, until 60 s after', () => {
    const health = open();
    health.report({ detail: 'No connection.', isFatal: false });
    health.evaluate();
    health.report({ detail: 'The port is taken.', isFatal: true });
    expect(health.evaluate()).toMatchObject({ state: 'failed', reason: { detail: 'The port is taken.' } });
    health.report(undefined);
    pass(59);
    expect(health.evaluate()).toMatchObject({ state: 'failed', reason: { code: 'recovering' } });
    pass(1);
    expect(health.evaluate()).toEqual(RUNNING);
  });

  test('that comes and goes every second changes the state once', () => {
    const health = open();
    const states = new Set<string>();
    for (let second = 0; second < 600; second++) {
      states.add(health.evaluate(second % 2 === 0 ? OUTAGE : undefined).state);
      pass(1);
    }
    expect([...states]).toEqual(['degraded']);
  });

  test('that returns while the state lasts is the same, with the whole duration', () => {
    const health = open();
    health.evaluate(OUTAGE);
    pass(30);
    health.evaluate();
    pass(10);
    expect(health.evaluate(OUTAGE).reason).toMatchObject({ code: 'destination', lastedMs: 40_000 });
  });

  test('right after a recovery waits until the pipeline has been running for 60 s', () => {
    const health = open();
    health.evaluate(OUTAGE);
    pass(60);
    expect(health.evaluate()).toEqual(RUNNING);
    pass(59);
    expect(health.evaluate(OUTAGE)).toEqual(RUNNING);
    pass(1);
    expect(health.evaluate(OUTAGE).state).toBe('degraded');
  });

  test('of the source is worse than one of the destination, and both than rejections', () => {
    const health = open();
    health.count(10, 10);
    expect(health.evaluate().reason?.code).toBe('rejections');
    expect(health.evaluate(OUTAGE).reason?.code).toBe('destination');
    health.report({ detail: 'No connection.', isFatal: false });
    expect(health.evaluate(OUTAGE).reason?.code).toBe('source');
  });

  test('of a moment makes it degraded for 60 s', () => {
    const health = open();
    health.recordFailure('The disk is full.');
    pass(59);
    expect(health.evaluate()).toMatchObject({ state: 'degraded', reason: { detail: 'The disk is full.' } });
    pass(60);
    expect(health.evaluate()).toEqual(RUNNING);
  });
});

test('a source that was unanswered before a restart stays so until it answers', () => {
  const reason = { code: 'source', detail: 'Connection refused.', lastedMs: 7_200_000 } as const;
  const health = open(300_000, { state: 'degraded', reason });
  pass(120);
  expect(health.evaluate()).toEqual({ state: 'degraded', reason: { ...reason, lastedMs: 7_320_000 } });
  health.polled();
  expect(health.evaluate().reason?.code).toBe('recovering');
  pass(60);
  expect(health.evaluate()).toEqual(RUNNING);
});

test('rejections before a restart last until the samples of 5 minutes have been counted', () => {
  const reason = {
    code: 'rejections',
    detail: '7 of 100 samples in the last 5 minutes were rejected.',
    lastedMs: 1_500_000,
  } as const;
  const health = open(undefined, { state: 'degraded', reason });
  expect(health.evaluate()).toEqual({ state: 'degraded', reason });
  health.count(100, 0);
  pass(299);
  expect(health.evaluate()).toEqual({ state: 'degraded', reason: { ...reason, lastedMs: 1_799_000 } });
  health.count(100, 1);
  expect(health.evaluate().reason).toEqual({
    code: 'rejections',
    detail:
      '1 of 200 samples in the last 5 minutes were rejected. The pipeline is degraded until less than 0.2% are rejected.',
    lastedMs: 1_799_000,
  });
  pass(300);
  expect(health.evaluate().reason?.code).not.toBe('rejections');
});

test('the rate is the mean of the last minute, so that it is the same between bursts', () => {
  const health = open();
  const rates: number[] = [];
  for (let second = 1; second <= 120; second++) {
    if (second % 20 === 0) health.count(60, 0);
    pass(1);
    if (second >= 60) rates.push(health.rate.perSecond());
  }
  expect(new Set(rates)).toEqual(new Set([3]));
  pass(60);
  expect(health.rate.perSecond()).toBe(0);
});

test('the rate continues after a change of the pipeline', () => {
  const before = open();
  before.count(120, 0);
  pass(60);
  const after = createHealth({ intervalMs: undefined, now, holdMs: 60_000, rate: before.rate });
  expect(after.rate.perSecond()).toBe(2);
});

test('rejections after a change of the pipeline say that they are those since the change, for 5 minutes', () => {
  const before = open();
  before.count(1_000, 100);
  pass(60);
  const { rate } = before;
  const after = createHealth({ intervalMs: undefined, now, holdMs: 60_000, rate, isChanged: true });
  after.count(80, 3);
  const detail = () => after.evaluate().reason?.detail;
  expect(detail()).toBe('3 of 80 samples since the pipeline was changed were rejected.');
  pass(299);
  expect(detail()).toBe('3 of 80 samples since the pipeline was changed were rejected.');
  after.count(100, 3);
  pass(16);
  expect(detail()).toBe('3 of 100 samples in the last 5 minutes were rejected.');
});

test('the rate of the first minute is the mean since the start, but of ten seconds at least', () => {
  const health = open();
  const rates = [1, 4, 5, 10, 40].map((seconds) => {
    health.count(seconds * 3, 0);
    pass(seconds);
    return health.rate.perSecond();
  });
  expect(rates).toEqual([0.3, 1.5, 3, 3, 3]);
});

test('the rate of the first minute includes the second in progress', () => {
  pass(0.5);
  const health = open();
  health.count(3, 0);
  expect(health.rate.perSecond()).toBe(0.3);
  for (let second = 1; second < 20; second += 1) {
    pass(1);
    health.count(3, 0);
  }
  pass(1);
  expect(health.rate.perSecond()).toBe(3);
});

test('a spool is full since it has been full, not since the destination has failed', () => {
  const health = open();
  health.evaluate(OUTAGE);
  pass(480);
  const full = { code: 'spool-full', detail: 'The spool is full.', isFatal: true } as const;
  health.evaluate(full);
  pass(10);
  expect(health.evaluate(full)).toMatchObject({
    state: 'failed',
    reason: { code: 'spool-full', lastedMs: 10_000 },
  });
  pass(10);
  health.evaluate(OUTAGE);
  pass(60);
  expect(health.evaluate(OUTAGE)).toMatchObject({ reason: { code: 'destination', lastedMs: 560_000 } });
});
