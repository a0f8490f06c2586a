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

test('an idle pipeline is running', () => {
  const health = pushed();
  pass(86_400);
  expect(health.evaluate()).toEqual({ state: 'running', reason: null });
});

describe('rejections', () => {
  test('of 1 % of the values make it degraded, with their number', () => {
    const health = pushed();
    health.count(99, 0);
    health.count(1, 1);
    expect(health.evaluate()).toEqual({
      state: 'degraded',
      reason: '1 of 100 values of the last 5 minutes were rejected.',
    });
  });

  test('of fewer values do not', () => {
    const health = pushed();
    health.count(101, 1);
    expect(health.evaluate().state).toBe('running');
  });

  test('no longer count after 60 s without one', () => {
    const health = pushed();
    health.count(10, 10);
    pass(59);
    expect(health.evaluate().state).toBe('degraded');
    pass(1);
    expect(health.evaluate().state).toBe('running');
  });

  test('are compared with the values of 5 minutes', () => {
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
  test('can miss two intervals, and makes its pipeline degraded with the third', () => {
    const health = createHealth({ intervalMs: 10_000, now });
    pass(35);
    expect(health.evaluate().state).toBe('running');
    pass(1);
    expect(health.evaluate()).toEqual({ state: 'degraded', reason: 'The last 3 polls returned nothing.' });
  });

  test('makes its pipeline running 60 s after a successful poll', () => {
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
  test('that is fatal makes it failed while it lasts', () => {
    const health = pushed();
    health.report({ detail: 'The port is taken.', isFatal: true });
    expect(health.evaluate()).toEqual({ state: 'failed', reason: 'The port is taken.' });
    health.report(undefined);
    expect(health.evaluate().state).toBe('running');
  });

  test('that is temporary makes it degraded until 60 s after', () => {
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

  test('of a moment makes it degraded for 60 s', () => {
    const health = pushed();
    health.recordFailure('The disk is full.');
    expect(health.evaluate()).toEqual({ state: 'degraded', reason: 'The disk is full.' });
    pass(60);
    expect(health.evaluate().state).toBe('running');
  });
});

test('the rate covers the last 10 whole seconds', () => {
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
