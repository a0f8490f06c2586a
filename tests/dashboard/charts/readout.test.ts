import { describe, expect, it } from 'vitest';
import { readingsTogether, readoutTime } from '#dashboard/charts/cursor/cursor-mark.ts';

const noon = Date.UTC(2026, 10, 21, 12);
const day = { fromMs: noon - 86_400_000, toMs: noon };
const minute = { fromMs: noon - 60_000, toMs: noon };
const at = (startMs: number, bucketMs = 0) => ({
  timeMs: startMs + bucketMs / 2,
  startMs,
  bucketMs,
  text: '1',
  range: '',
});

describe('the time of the readout', () => {
  it('is that of the nearest sample', () => {
    expect(
      readoutTime([at(noon - 9_000), undefined, at(noon - 2_000)], noon - 3_000, minute, 'utc', 'en-GB'),
    ).toBe('21 Nov 2026, 11:59:58');
  });

  it('has milliseconds if samples need them', () => {
    expect(readoutTime([at(noon - 250)], noon, minute, 'utc', 'en-GB')).toBe('21 Nov 2026, 11:59:59.750');
    expect(readoutTime([at(noon - 250)], noon, day, 'utc', 'en-GB')).toBe('21 Nov 2026, 11:59:59');
  });

  it('is the range of a bucket', () => {
    expect(readoutTime([at(noon - 3_600_000, 3_600_000)], noon, day, 'utc', 'en-GB')).toMatch(
      /11:00\s*–\s*12:00$/u,
    );
  });

  it('has the seconds of a bucket that begins or ends within a minute', () => {
    expect(readoutTime([at(noon - 86_000, 86_000)], noon, day, 'utc', 'en-GB')).toMatch(
      /11:58:34\s*–\s*12:00:00$/u,
    );
  });

  it('is the pointer’s if no point is near', () => {
    expect(readoutTime([undefined], noon - 1_500, day, 'utc', 'en-GB')).toBe('21 Nov 2026, 11:59');
  });
});

describe('the values of the readout', () => {
  it('leave out buckets outside the interval of the nearest one', () => {
    const hour = (start: number) => at(noon + start * 3_600_000, 3_600_000);
    const readings = [hour(-2), hour(-1), undefined];
    expect(readingsTogether(readings, noon - 1_800_000)).toEqual([undefined, hour(-1), undefined]);
  });

  it('have overlapping buckets of other widths, and samples', () => {
    const readings = [
      at(noon - 90_000, 60_000),
      at(noon - 60_000, 60_000),
      at(noon - 100_000, 45_000),
      at(noon),
    ];
    expect(readingsTogether(readings, noon - 59_000)).toEqual(readings);
  });
});
