import { expect, it } from 'vitest';
import { runProcessKills } from '../kill/parts/run-process-kills.ts';

const KILLS = 10;

it('kills of one of three processes lose no answered sample, and another takes over within 15 s', async () => {
  const lines: string[] = [];
  const result = await runProcessKills({ times: KILLS, seed: 1 }, (line) => lines.push(line));
  expect(result.faults, `after ${lines.join('\n')}`).toEqual([]);
  expect(Math.min(result.stored, result.spooled)).toBeGreaterThan(KILLS);
}, 600_000);
