import { noise, NOON } from './scenes.ts';

const query = new URLSearchParams(location.search);
export const chartCount = Number(query.get('charts') ?? 1);
const points = Number(query.get('points') ?? 1_000);
export const SERIES = 4;
/** One sample per second. */
export const STEP_MS = 1_000;
export const windowMs = points * STEP_MS;

/** Times of the samples that fill the window. */
export const startTimes = () => Array.from({ length: points }, (_, n) => NOON - windowMs + (n + 1) * STEP_MS);

/** Returns a function that returns the next `count` values of each series: the same for every compared chart. */
export function createWalk(chart: number): (count: number) => number[][] {
  const random = noise(chart + 1);
  const levels = Array.from({ length: SERIES }, (_, n) => 20 + n * 15);
  return (count) => {
    const columns = levels.map((): number[] => []);
    for (let sample = 0; sample < count; sample += 1) {
      for (const [n, column] of columns.entries()) {
        const before = levels[n] ?? 0;
        const level = before + (random() - 0.5) * 2 + (20 + n * 15 - before) * 0.02;
        levels[n] = level;
        column.push(level);
      }
    }
    return columns;
  };
}
