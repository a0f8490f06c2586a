import { describe, expect, test } from 'vitest';
import { createSpoolThroughput } from '#service/pipelines/spool/spool-throughput.ts';

const LIMIT = 1_000_000;

describe('the throughput of a spool', () => {
  test('forecasts when the spool is full while the destination fails', () => {
    let nowMs = 0;
    const pace = createSpoolThroughput(() => nowMs);
    for (; nowMs < 60_000; nowMs += 1_000) pace.count('in', 100);
    expect(pace.forecast({ bytes: 400_000, limitBytes: LIMIT, isFailing: true })).toEqual({
      drainsInSeconds: null,
      fullInSeconds: 6_000,
    });
    expect(pace.forecast({ bytes: 400_000, limitBytes: LIMIT, isFailing: false }).fullInSeconds).toBeNull();
  });

  test('forecasts when the spool is empty once it drains', () => {
    let nowMs = 0;
    const pace = createSpoolThroughput(() => nowMs);
    for (; nowMs < 60_000; nowMs += 1_000) {
      pace.count('in', 100);
      pace.count('out', 600);
    }
    expect(pace.forecast({ bytes: 400_000, limitBytes: LIMIT, isFailing: false })).toEqual({
      drainsInSeconds: 800,
      fullInSeconds: null,
    });
  });

  test('covers only the last minute', () => {
    let nowMs = 0;
    const pace = createSpoolThroughput(() => nowMs);
    pace.count('in', 1_000_000);
    nowMs = 120_000;
    expect(pace.forecast({ bytes: 1, limitBytes: LIMIT, isFailing: true }).fullInSeconds).toBeNull();
  });
});
