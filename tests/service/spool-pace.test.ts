import { describe, expect, test } from 'vitest';
import { createSpoolThroughput } from '#service/pipelines/spool/spool-throughput.ts';

const LIMIT = 1_000_000;

describe('the pace of a spool', () => {
  test('says how long it takes until there is no more room, while the destination fails', () => {
    let nowMs = 0;
    const pace = createSpoolThroughput(() => nowMs);
    for (; nowMs < 60_000; nowMs += 1_000) pace.count('in', 100);
    expect(pace.forecast({ bytes: 400_000, limitBytes: LIMIT, isFailing: true })).toEqual({
      drainsInSeconds: null,
      fullInSeconds: 6_000,
    });
    expect(pace.forecast({ bytes: 400_000, limitBytes: LIMIT, isFailing: false }).fullInSeconds).toBeNull();
  });

  test('says how long it takes until nothing waits, once it goes out faster than it comes', () => {
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

  test('forgets what is longer ago than a minute', () => {
    let nowMs = 0;
    const pace = createSpoolThroughput(() => nowMs);
    pace.count('in', 1_000_000);
    nowMs = 120_000;
    expect(pace.forecast({ bytes: 1, limitBytes: LIMIT, isFailing: true }).fullInSeconds).toBeNull();
  });
});
