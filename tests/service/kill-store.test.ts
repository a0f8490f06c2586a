import { expect, it } from 'vitest';
import { runStoreKills } from '../kill/parts/run-store-kills.ts';
import { sized } from './sized.ts';

/** The fourth kill is traced, and its log is cut after its last sync. */
const KILLS = sized(4, 100);

it('keeps every answered sample of a telemetry store through kills and losses of power, once and with its value', async () => {
  const lines: string[] = [];
  const { kills, operations, faults } = await runStoreKills({ times: KILLS, seed: 5 }, (line) =>
    lines.push(line),
  );
  expect(faults, `after ${lines.join('\n')}`).toEqual([]);
  expect(kills).toBe(KILLS);
  expect(operations).toBeGreaterThan(KILLS);
}, 600_000);
