import type { Progress } from './migration-steps.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;

const describeSeconds = (seconds: number): string => {
  if (seconds < MINUTE_S) return `${Math.ceil(seconds)} s`;
  return seconds < HOUR_S ? `${Math.ceil(seconds / MINUTE_S)} min` : `${(seconds / HOUR_S).toFixed(1)} h`;
};

/** Returns a function that measures rows or samples per second since the first report of a table. */
export const createRateMeter = (elapsedMs: () => number): ((progress: Progress) => number | undefined) => {
  let first: { key: string; done: number; atMs: number } | undefined;
  return ({ phase, table, done }) => {
    const [key, atMs] = [`${phase} ${table}`, elapsedMs()];
    if (first?.key !== key) first = { key, done, atMs };
    return atMs > first.atMs ? ((done - first.done) * 1_000) / (atMs - first.atMs) : undefined;
  };
};

/** Such as “telemetry_sample: copied 1,200,000 of 5,000,000 samples, 82,000/s, 47 s left”. */
export const describeProgress = (
  { phase, table, done, total, unit }: Progress,
  perSecond: number | undefined,
): string => {
  const line = `${table}: ${phase} ${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${unit}`;
  if (perSecond === undefined || perSecond < 1) return line;
  const left = describeSeconds(Math.max(0, total - done) / perSecond);
  return `${line}, ${Math.round(perSecond).toLocaleString('en')}/s, ${left} left`;
};
