import { beforeEach, describe, expect, test } from 'vitest';
import { createHealth } from '#service/pipelines/runner/pipeline-health.ts';

let nowMs: number;
const now = () => nowMs;
beforeEach(() => {
  nowMs = 1_795_253_400_000;
});
const pass = (seconds: number) => {
  nowMs += seconds * 1_000;
};
const pushed = () => createHealth({ intervalMs: undefined, now });

test('a pipeline that nothing happens to is running', () => {
  const health = pushed();
  pass(86_400);
  expect(health.evaluate()).toEqual({ state: 'running', reason: null });
});

describe('rejections', () => {
  test('of one value in a hundred degrade it, and say how many', () => {
    const health = pushed();
    health.count(99, 0);
    health.count(1, 1);
    expect(health.evaluate()).toEqual({
      state: 'degraded',
      reason: '1 of 100 values of the last 5 minutes were rejected.',
    });
  });

  test('of fewer do not', () => {
    const health = pushed();
    health.count(101, 1);
    expect(health.evaluate().state).toBe('running');
  });

  test('are forgiven after 60 s without one', () => {
    const health = pushed();
    health.count(10, 10);
    pass(59);
    expect(health.evaluate().state).toBe('degraded');
    pass(1);
    expect(health.evaluate().state).toBe('running');
  });

  test('count against what came in 5 minutes, not in the last moment', () => {
    const health = pushed();
    health.count(10_000, 0);
    pass(200);
    health.count(10, 10);
    expect(health.evaluate().state).toBe('running');
    pass(99);
    health.count(10, 10);
    expect(health.evaluate().state).toBe('running');
    pass(1);
    expect(health.evaluate().state).toBe('degraded');
  });
});

describe('a polled source', () => {
  test('may miss two intervals, and degrades its pipeline with the third', () => {
    const health = createHealth({ intervalMs: 10_000, now });
    pass(35);
    expect(health.evaluate().state).toBe('running');
    pass(1);
    expect(health.evaluate()).toEqual({ state: 'degraded', reason: 'The last 3 polls returned nothing.' });
  });

  test('is well again 60 s after it is heard from', () => {
    const health = createHealth({ intervalMs: 10_000, now });
    pass(40);
    health.evaluate();
    for (let second = 0; second < 59; second++) {
      health.polled();
      pass(1);
      expect(health.evaluate().state).toBe('degraded');
    }
    health.polled();
    pass(1);
    expect(health.evaluate().state).toBe('running');
  });
});

describe('a fault', () => {
  test('that is fatal fails it while it lasts', () => {
    const health = pushed();
    health.report({ detail: 'The port is taken.', isFatal: true });
    expect(health.evaluate()).toEqual({ state: 'failed', reason: 'The port is taken.' });
    health.report(undefined);
    expect(health.evaluate().state).toBe('running');
  });

  test('that may pass degrades it until 60 s after', () => {
    const health = pushed();
    health.report({ detail: 'No connection.', isFatal: false });
    pass(600);
    expect(health.evaluate()).toEqual({ state: 'degraded', reason: 'No connection.' });
    health.report(undefined);
    pass(59);
    expect(health.evaluate().state).toBe('degraded');
    pass(1);
    expect(health.evaluate().state).toBe('running');
  });

  test('of a moment degrades it for 60 s', () => {
    const health = pushed();
    health.recordFailure('The disk is full.');
    expect(health.evaluate()).toEqual({ state: 'degraded', reason: 'The disk is full.' });
    pass(60);
    expect(health.evaluate().state).toBe('running');
  });
});

test('the rate is that of the last 10 whole seconds', () => {
  const health = pushed();
  for (let second = 0; second < 20; second++) {
    health.count(30, 0);
    pass(1);
  }
  expect(health.perSecond()).toBe(30);
  pass(5);
  expect(health.perSecond()).toBe(15);
  pass(5);
  expect(health.perSecond()).toBe(0);
});
