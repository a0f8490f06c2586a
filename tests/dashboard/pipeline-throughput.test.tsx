import { expect, test } from 'vitest';
import type { Pipeline } from '#contract/pipelines.ts';
import { appendObservedRates } from '#dashboard/resources/pipelines/extended-throughput.ts';
import { createThroughput } from '#dashboard/resources/pipelines/throughput.ts';

const ID = 'pip_01jz3k5v8cf6n9qw2r4t7y0abd';
const said = (received: number, perSecond = 0): Pick<Pipeline, 'id' | 'ledger' | 'rate'> => ({
  id: ID,
  ledger: { received, delivered: received, pending: 0, rejected: 0, skipped: 0, overwritten: 0 },
  rate: { perSecond },
});
const follow = () => {
  const throughput = createThroughput();
  return { ...throughput, rates: () => [...throughput.ratesOf(ID).value] };
};

test("the line is the service's throughput at each step, also without a frame", () => {
  const { record, step, rates } = follow();
  record(said(100, 3), 0);
  step([ID], 5_000, true);
  record(said(220, 2), 7_000);
  step([ID], 10_000, true);
  step([ID], 15_000, true);
  record(said(220, 0), 17_000);
  step([ID], 20_000, true);
  expect(rates()).toEqual([3, 3, 2, 2, 0]);
});

test('a gap in the stream leaves a gap in the line', () => {
  const { record, step, rates } = follow();
  record(said(0, 1), 0);
  step([ID], 5_000, true);
  step([ID], 10_000, false);
  step([ID], 15_000, false);
  record(said(90_000, 4), 60_000);
  step([ID], 61_000, true);
  step([ID], 66_000, true);
  expect(rates()).toEqual([1, 1, NaN, 4, 4]);
});

test('the time of the last samples follows from the ledger', () => {
  const { record, grewAtMs } = follow();
  record(said(5), 0);
  expect(grewAtMs(ID)).toBeNull();
  record(said(5), 1_000);
  expect(grewAtMs(ID)).toBeNull();
  record(said(6), 2_000);
  expect(grewAtMs(ID)).toBe(2_000);
  record(said(9), 60_000);
  expect(grewAtMs(ID)).toBe(2_000);
});

test('recorded minutes are continued by what the page observes, with a gap where the service did not run', () => {
  const observed = { ts: Float64Array.of(170_000, 185_000), value: Float64Array.of(9, 4) };
  const { ts, value } = appendObservedRates({ ts: [0, 120_000], perSecond: [2, 3] }, observed);
  expect([...ts]).toEqual([0, 60_000, 120_000, 185_000]);
  expect([...value]).toEqual([2, NaN, 3, 4]);
  expect(appendObservedRates(undefined, observed)).toEqual(observed);
});
