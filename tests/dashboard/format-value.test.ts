import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  alignedTexts,
  formatMean,
  formatNumber,
  formatValue,
  roundedMean,
  tickFormat,
} from '#dashboard/ui/format/format-value.ts';
import { niceScale } from '#dashboard/charts/axes/nice-ticks.ts';

const plain = (text: string) => text.replace('\u00a0', ' ');

describe('a value', () => {
  it.each([
    [21.4, '°C', '21.4 °C'],
    [87, '%', '87 %'],
    [8_234_567_890, 'B', '8.235 GB'],
    [1_234_567, null, '1,234,567'],
    [12_345_678, 'rpm', '12,345,678 rpm'],
    [-40_500, 'W', '-40.5 kW'],
    [0, 'W', '0 W'],
    [0.1 + 0.2, 'V', '0.3 V'],
    [3e-7, null, '3E-7'],
  ])('%d %s reads %s', (value, unit, text) => {
    expect(plain(formatValue(value, { unit }, 'en'))).toBe(text);
  });

  it('has the decimals of its metric, whatever its size', () => {
    const read = (value: number, unit: string | null, decimals: number) =>
      plain(formatValue(value, { unit, decimals }, 'en'));
    expect([
      read(21.46, '°C', 1),
      read(21, '°C', 1),
      read(12_946, 'W', 0),
      read(123_456.75, null, 1),
    ]).toEqual(['21.5 °C', '21.0 °C', '12,946 W', '123,456.8']);
    const power = formatMean(
      { value: 12_946.2, low: 12_000, high: 14_000 },
      { unit: 'W', decimals: 0 },
      1_000,
      'en',
    );
    expect([plain(power.value), power.range]).toEqual(['12,946 W', '12,000–14,000']);
    const mean = formatMean({ value: 21.456, low: 20, high: 22 }, { unit: '°C', decimals: 1 }, 1, 'en');
    expect([plain(mean.value), mean.range]).toEqual(['21.5 °C', '20.0–22.0']);
  });

  it('keeps whole counters whole', () => {
    expect(formatNumber(123_456_789, 'en')).toBe('123,456,789');
  });
});

describe('a mean', () => {
  it('is as precise as the axis, with one prefix for mean and range', () => {
    const mean = formatMean({ value: 13_731.4, low: 12_946, high: 14_319.3 }, { unit: 'W' }, 10_000, 'en');
    expect(plain(mean.value)).toBe('13.7 kW');
    expect(mean.range).toBe('12.9–14.3');
  });

  it('has no range for equal samples', () => {
    expect(formatMean({ value: 5, low: 5, high: 5 }, { unit: null }, 1, 'en')).toEqual({
      value: '5.00',
      range: '',
    });
  });
});

describe('the ticks of an axis', () => {
  it('share a prefix and their decimals', () => {
    const format = tickFormat([0, 2_500, 5_000, 7_500, 10_000], 2_500, 'en');
    expect([0, 2_500, 10_000].map(format)).toEqual(['0', '2.5k', '10.0k']);
    expect(tickFormat([0.1, 0.2], 0.1, 'en')(0.2)).toBe('0.2');
  });

  it('are distinct', () => {
    const values = fc.tuple(
      fc.double({ min: -1e12, max: 1e12, noNaN: true }),
      fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
    );
    fc.assert(
      fc.property(values, ([low, width]) => {
        fc.pre(width > Math.abs(low) * 1e-9);
        const { ticks, step } = niceScale([low, low + width], 6);
        const format = tickFormat(ticks, step, 'en');
        expect(new Set(ticks.map(format)).size).toBe(ticks.length);
      }),
    );
  });
});

describe('values that are read together', () => {
  const read = (values: readonly number[], range: number, unit: string | null) =>
    alignedTexts(values, range, { unit }, 'en').map(plain);

  it('have the same decimals, three digits of their range', () => {
    expect(read([21.1, 21.40512, 21.7], 0.6, '°C')).toEqual(['21.100 °C', '21.405 °C', '21.700 °C']);
    expect(read([0.4, 512.6, 1_000], 1_000, null)).toEqual(['0', '513', '1,000']);
  });

  it('have only the decimals that one of them needs, and at most six digits', () => {
    expect(read([60, 64, 70], 10, null)).toEqual(['60', '64', '70']);
    expect(read([99_999.123, 99_998], 0, null)).toEqual(['99,999.1', '99,998.0']);
  });

  it('have the same prefix, except those of another size', () => {
    expect(read([8.2e9, 8.2315e9, 31_000], 1e8, 'B')).toEqual(['8.200 GB', '8.232 GB', '31 kB']);
  });

  it('are written whatever their size', () => {
    const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 });
    fc.assert(
      fc.property(numbers, fc.constantFrom(null, 'B', '°C'), (values, unit) => {
        for (const text of read(values, Math.max(...values) - Math.min(...values), unit))
          expect(text).toMatch(/^[^N∞]*\d[^N∞]*$/);
      }),
    );
  });
});

describe('a rounded mean', () => {
  const NOT_SET = { decimals: null };

  it('has one decimal more than the values that it lies between', () => {
    expect(roundedMean(5.2412, [5.2, 5.26], NOT_SET)).toBe(5.241);
    expect(roundedMean(3.28571, [1, 5], NOT_SET)).toBe(3.3);
  });

  it('is not rounded where values are written with a power of ten', () => {
    expect(roundedMean(0.0000521, [0.00005, 0.00006], NOT_SET)).toBe(0.0000521);
  });

  it('is not rounded if the decimals of its metric are set', () => {
    expect(roundedMean(3.28571, [1, 5], { decimals: 2 })).toBe(3.28571);
  });
});
