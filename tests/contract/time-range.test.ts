import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeRangeEnd, parseBucket, parseRangeEnd, parseTime, toTimeText } from '#contract/time-range.ts';

const LAST_MS = 253_402_300_799_999;
const anyMs = fc.integer({ min: Date.UTC(0, 0), max: LAST_MS });

describe('a time', () => {
  it('is read as it was written, in RFC 3339 at any offset', () => {
    const offset = fc.record({ hours: fc.nat(23), minutes: fc.nat(59), sign: fc.constantFrom(1, -1) });
    const two = (number: number) => String(number).padStart(2, '0');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), offset, (ms, { hours, minutes, sign }) => {
        const wall = new Date(ms + sign * (hours * 60 + minutes) * 60_000).toISOString().slice(0, -1);
        expect(parseTime(`${wall}${sign === 1 ? '+' : '-'}${two(hours)}:${two(minutes)}`)).toBe(ms);
      }),
    );
  });

  it('is read back from its text, and in UTC with Z', () => {
    fc.assert(
      fc.property(anyMs, (ms) => {
        expect(parseTime(new Date(ms).toISOString())).toBe(ms);
        expect(parseTime(toTimeText(ms))).toBe(ms);
      }),
    );
  });

  it.each([
    ['2026-11-21T09:30:00Z', Date.UTC(2026, 10, 21, 9, 30)],
    ['2026-11-21t09:30:00z', Date.UTC(2026, 10, 21, 9, 30)],
    ['2026-11-21 09:30:00+01:00', Date.UTC(2026, 10, 21, 8, 30)],
    ['2024-02-29T00:00:00.5Z', Date.UTC(2024, 1, 29, 0, 0, 0, 500)],
    ['2026-01-01T00:00:00.123456789Z', Date.UTC(2026, 0, 1, 0, 0, 0, 123)],
    ['1969-12-31T23:59:59.999Z', -1],
    ['2026-01-01T00:00:00.290Z', Date.UTC(2026, 0, 1, 0, 0, 0, 290)],
    ['2026-01-01T00:00:00.001Z', Date.UTC(2026, 0, 1, 0, 0, 0, 1)],
  ])('%s is understood', (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });

  it.each([
    [1_795_446_331, Date.UTC(2026, 10, 23, 15, 5, 31)],
    [1_795_446_331.5, Date.UTC(2026, 10, 23, 15, 5, 31, 500)],
    [1_795_446_331_000, Date.UTC(2026, 10, 23, 15, 5, 31)],
    [1_795_446_331_000_000, Date.UTC(2026, 10, 23, 15, 5, 31)],
    [1_795_446_331_000_000_000, Date.UTC(2026, 10, 23, 15, 5, 31)],
    [-1, -1_000],
    [0, 0],
  ])('%s is a Unix timestamp whose size gives the unit, as in samples', (number, ms) => {
    expect(parseTime(number)).toBe(ms);
    expect(parseTime(String(number))).toBe(ms);
  });

  it.each([
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+01:60',
    '2026-01-01T00:00:00.Z',
    '',
    'now',
    '1e3',
    '9999999999999999999999',
    Number.NaN,
    Infinity,
    LAST_MS * 1e6 + 1e6,
    -LAST_MS * 1e6 - 1e6,
  ])('%s is refused', (input) => {
    expect(parseTime(input)).toBeUndefined();
  });

  it('is never read from a text with a character that does not belong there', () => {
    fc.assert(
      fc.property(anyMs, fc.nat(23), (ms, place) => {
        const text = new Date(Math.max(0, ms)).toISOString();
        expect(parseTime(`${text.slice(0, place)}x${text.slice(place + 1)}`)).toBeUndefined();
      }),
    );
  });
});

describe('an end of a range', () => {
  const now = Date.UTC(2026, 10, 21);

  it.each([
    ['now', 0],
    ['-24h', -86_400_000],
    ['now-15m', -900_000],
    ['+10s', 10_000],
    ['now+2d', 2 * 86_400_000],
    ['-1w', -604_800_000],
  ])('%s counts from now', (text, offset) => {
    expect(parseRangeEnd(text, now)).toBe(now + offset);
  });

  it('is any time as well', () => {
    expect(parseRangeEnd('2026-11-20T00:00:00Z', now)).toBe(now - 86_400_000);
    expect(parseRangeEnd('0', now)).toBe(0);
    expect(parseRangeEnd('-1', now)).toBe(-1_000);
  });

  it.each(['', '24h', '-24', 'later', '-24 h', '-1.5h', '-9999999h', '-1y', 'NOW'])(
    '%j is refused or a time',
    (text) => {
      expect(parseRangeEnd(text, now)).toBe(text === '-24' ? -24_000 : undefined);
    },
  );
});

describe('an invalid end of a range', () => {
  it.each(['2026-11-23T10:00:00 02:00', '2026-11-23 10:00:00 02:00', ' 10s'])(
    '%j had a + that was not escaped',
    (text) => {
      expect(parseRangeEnd(text, 0)).toBeUndefined();
      expect(describeRangeEnd(text)).toBe('Has a space instead of +. In a URL, write + as %2B.');
    },
  );

  it.each(['2026-11-23', '2026-11-23T10:00:00', 'later', 1e30])(
    '%j is rejected with the accepted forms',
    (text) => {
      expect(describeRangeEnd(text)).toMatch(/^Must be RFC 3339 with an offset/);
    },
  );
});

describe('a bucket width', () => {
  it.each([
    ['10s', 10_000, false],
    ['5m', 300_000, false],
    ['1h', 3_600_000, false],
    ['1d', 86_400_000, true],
    ['2w', 1_209_600_000, true],
  ])('%s', (text, ms, calendar) => {
    expect(parseBucket(text)).toEqual({ ms, calendar });
  });

  it.each(['0s', '', 's', '10', '-1h', '1.5h', '1y', '1234567s'])('%j is none', (text) => {
    expect(parseBucket(text)).toBeUndefined();
  });
});
