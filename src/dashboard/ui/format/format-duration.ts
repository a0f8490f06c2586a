import { formatCount } from './format-number.ts';

const UNITS = [
  { symbol: 'd', ms: 86_400_000 },
  { symbol: 'h', ms: 3_600_000 },
  { symbol: 'min', ms: 60_000 },
  { symbol: 's', ms: 1_000 },
] as const;

/** A length of time in its largest whole unit: 4 s, 3 min, 2 h, 5 d. */
export const formatDuration = (ms: number): string => {
  const unit = UNITS.find((unit) => ms >= unit.ms) ?? UNITS[3];
  return `${formatCount(Math.floor(ms / unit.ms))} ${unit.symbol}`;
};

/** How long something has lasted, in whole minutes from one minute on: 40 s, 12 min, 2 h 10 min, 3 d 4 h. */
const formatElapsed = (ms: number): string => {
  const step = ms < 60_000 ? 1_000 : ms < 86_400_000 ? 60_000 : 3_600_000;
  return formatSeconds((Math.floor(Math.max(0, ms) / step) * step) / 1_000);
};

/** How long a state has lasted since a time: at least 1 s, because “for 0 s” reads as if nothing had happened. */
export const durationSince = (since: string, nowMs: number): string =>
  formatElapsed(Math.max(1_000, nowMs - Date.parse(since)));

/** A measured length of time, rounded to what a person reads: 0.997 is 1 s, 59.8 is 1 min, 3,725 is 1 h 2 min. */
export const formatAboutSeconds = (seconds: number): string => {
  if (seconds < 10) return formatSeconds(Number(seconds.toPrecision(2)));
  const step = seconds < 3_600 ? 1 : seconds < 86_400 ? 60 : 3_600;
  return formatSeconds(Math.round(seconds / step) * step);
};

/** Seconds as they were set, exactly: 0.5 s, 10 s, 5 min, 1 h 30 min. */
export const formatSeconds = (seconds: number): string => {
  let restMs = Math.round(seconds * 1_000);
  const parts: string[] = [];
  for (const { symbol, ms } of UNITS) {
    const count = symbol === 's' ? restMs / ms : Math.floor(restMs / ms);
    if (count > 0) parts.push(`${formatCount(count)} ${symbol}`);
    restMs -= count * ms;
  }
  return parts.join(' ') || '0 s';
};
