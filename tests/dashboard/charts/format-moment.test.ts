import { describe, expect, it } from 'vitest';
import {
  formatMoment,
  formatRange,
  formatSpan,
  formatTick,
  tickLabelLength,
} from '#dashboard/charts/axes/format-moment.ts';

const at = Date.UTC(2026, 10, 21, 14, 5, 7, 250);
const clock = (size: number) => ({ unit: 'clock', size }) as const;

describe('a tick of time', () => {
  it('is as precise as its step', () => {
    expect(formatTick(at, clock(60_000), 'utc', 'en-GB')).toBe('14:05');
    expect(formatTick(at, clock(5_000), 'utc', 'en-GB')).toBe('14:05:07');
    expect(formatTick(at, clock(50), 'utc', 'en-GB')).toBe('05:07.250');
    expect(formatTick(Date.UTC(2026, 2, 1), { unit: 'month', size: 1 }, 'utc', 'en-GB')).toBe('Mar');
  });

  it('shows the day where a day begins, and the year where a year begins', () => {
    expect(formatTick(Date.UTC(2026, 10, 21), clock(3_600_000), 'utc', 'en-GB')).toBe('21 Nov');
    expect(formatTick(Date.UTC(2027, 0, 1), { unit: 'month', size: 1 }, 'utc', 'en-GB')).toBe('2027');
  });

  it('reserves the width of its widest label', () => {
    expect(tickLabelLength(clock(3_600_000), at, 'utc', 'en-GB')).toBe('21 Nov'.length);
  });
});

describe('a moment', () => {
  it('is as precise as the step of the samples', () => {
    expect(formatMoment(at, 86_400_000, 'utc', 'en-GB')).toBe('21 Nov 2026');
    expect(formatMoment(at, 1_000, 'utc', 'en-GB')).toBe('21 Nov 2026, 14:05:07');
    expect(formatMoment(at, 1, 'utc', 'en-GB')).toBe('21 Nov 2026, 14:05:07.250');
  });

  it('shows the shared parts of a range once', () => {
    const minute = at - (at % 60_000);
    expect(formatRange(minute, minute + 3_600_000, 'utc', 'en-GB')).toMatch(
      /^21 Nov 2026, 14:05\s*–\s*15:05$/u,
    );
  });
});

describe('a length of time', () => {
  it.each([
    [86_400_000, '24 h'],
    [3_600_000, '1 h'],
    [5_400_000, '90 min'],
    [30 * 86_400_000, '30 d'],
    [90_000, '90 s'],
    [300_000, '5 min'],
  ])('%i ms is %s', (ms, text) => {
    expect(formatSpan(ms, 'en-GB').replace('\u00a0', ' ')).toBe(text);
  });
});
