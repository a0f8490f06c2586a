import { describe, expect, it } from 'vitest';
import { compareArrivals } from '../kill/parts/compare-arrivals.ts';
import { missingPrograms } from '../kill/parts/missing-programs.ts';
import { readingOf } from '../kill/parts/readings.ts';
import { sized } from './sized.ts';
import { runKills } from '../kill/parts/run-kills.ts';

/**
 * Its first kills hit the service at an acknowledgement, without a commit and during a delivery, the broker, and
 * PostgreSQL.
 */
const SEED = 14_443;
const KILLS = sized(1, 30);

it('reports samples that are lost, duplicated or changed', () => {
  const sent = { sent: 10, acknowledged: [0, 1, 2, 3, 4] };
  const reading = (n: number) => readingOf('route', n);
  const unsent = reading(10);
  const wrong = { ...reading(2), value: reading(3).value };
  const foreign = { ...reading(3), device: reading(0).device };
  const arrivals = [reading(0), reading(1), reading(1), wrong, foreign, unsent, reading(7)];
  expect(compareArrivals('route', sent, arrivals)).toEqual({
    sent: 10,
    acknowledged: 5,
    delivered: 3,
    lost: [2, 3, 4],
    duplicated: [1],
    neverSent: [wrong, foreign, unsent],
  });
});

describe.skipIf(missingPrograms().length > 0)('a run of kills', () => {
  it('loses no acknowledged value, duplicates none, and keeps every ledger balanced', async () => {
    const lines: string[] = [];
    const { outcomes } = await runKills({ times: KILLS, seed: SEED, print: (line) => lines.push(line) });
    const faults = outcomes.map(({ route, faults: found }) => [route.name, found]);
    expect(faults, `after ${lines.join('\n')}`).toEqual(outcomes.map(({ route }) => [route.name, []]));
    for (const { acknowledged, checks } of outcomes)
      expect([acknowledged > 0, checks > 0]).toEqual([true, true]);
  }, 900_000);
});
