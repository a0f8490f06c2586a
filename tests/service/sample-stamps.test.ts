import { expect, test } from 'vitest';
import { createSampleStamps } from '#service/pipelines/ingest/sample-stamps.ts';

test('samples of one metric within a millisecond get different timestamps', () => {
  const { stamp } = createSampleStamps();
  expect([100, 100, 100].map((at) => stamp('pip', 'boiler', ['temp'], at))).toEqual([100, 101, 102]);
  expect(stamp('pip', 'boiler', ['temp'], 101), 'until the clock has caught up').toBe(103);
  expect(stamp('pip', 'boiler', ['temp'], 200)).toBe(200);
});

test('samples of other metrics within the millisecond get the same timestamp', () => {
  const { stamp } = createSampleStamps();
  expect(stamp('pip', 'boiler', ['temp'], 100)).toBe(100);
  expect(stamp('pip', 'boiler', ['humidity'], 100)).toBe(100);
  expect(stamp('pip', 'boiler', ['burning', 'temp'], 100)).toBe(101);
  expect(stamp('pip', 'boiler', ['humidity'], 100)).toBe(101);
});

test('devices and pipelines are stamped independently', () => {
  const { stamp } = createSampleStamps();
  expect(stamp('pip', 'boiler', ['temp'], 100)).toBe(100);
  expect(stamp('pip', 'pump', ['temp'], 100)).toBe(100);
  expect(stamp('other', 'boiler', ['temp'], 100)).toBe(100);
});

test('a device that is a minute ahead gets the time of the clock again', () => {
  const { stamp } = createSampleStamps();
  const stamps = Array.from({ length: 60_003 }, () => stamp('pip', 'boiler', ['temp'], 100));
  expect(stamps.at(60_000)).toBe(60_100);
  expect(stamps.at(60_002)).toBe(100);
});

test('a device that sends more than a thousand metrics within a millisecond gets the next one', () => {
  const { stamp } = createSampleStamps();
  const stamps = Array.from({ length: 2_500 }, (_, n) => stamp('pip', 'boiler', [`metric_${n}`], 100));
  expect([...new Set(stamps)]).toEqual([100, 101, 102]);
});

test('a message that was received earlier does not overwrite its own samples after a later message', () => {
  const { stamp } = createSampleStamps();
  expect(stamp('pip', 'boiler', ['temp'], 100)).toBe(100);
  expect(stamp('pip', 'pump', ['temp'], 5_000)).toBe(5_000);
  expect(stamp('pip', 'boiler', ['temp'], 100)).toBe(101);
});
