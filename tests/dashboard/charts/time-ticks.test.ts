import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, lengthMs, timeTicks, type TimeStep } from '#dashboard/charts/axes/time-ticks.ts';
import { offsetMsAt } from '#dashboard/charts/axes/wall-clock.ts';

const HOUR = 3_600_000;
const zone = process.env['TZ'];
const inZone = (name: string, test: () => void) => {
  process.env['TZ'] = name;
  test();
};
const only = (wanted: TimeStep) => (step: TimeStep) => step.unit === wanted.unit && step.size === wanted.size;
const local = (text: string) => new Date(text).getTime();
const clocks = (ticks: readonly number[]) =>
  ticks.map((ms) => {
    const date = new Date(ms);
    return `${date.getHours()}:${String(date.getMinutes()).padStart(2, '0')}`;
  });

describe('ticks of time', () => {
  beforeAll(() => {
    process.env['TZ'] = 'Europe/Berlin';
  });
  afterAll(() => {
    process.env['TZ'] = zone;
  });

  it('are round on the wall clock of the zone', () => {
    inZone('Asia/Kathmandu', () => {
      const from = Date.UTC(2026, 10, 21, 0, 10);
      const { ticks } = timeTicks(
        { fromMs: from, toMs: from + 6 * HOUR },
        'local',
        only({ unit: 'clock', size: HOUR }),
      );
      expect(clocks(ticks)).toEqual(['6:00', '7:00', '8:00', '9:00', '10:00', '11:00']);
      const utc = timeTicks(
        { fromMs: from, toMs: from + 2 * HOUR },
        'utc',
        only({ unit: 'clock', size: HOUR }),
      );
      expect(utc.ticks).toEqual([Date.UTC(2026, 10, 21, 1), Date.UTC(2026, 10, 21, 2)]);
    });
  });

  it('skip the hour that a spring night skips', () => {
    inZone('Europe/Berlin', () => {
      const span = { fromMs: local('2027-03-28T00:00'), toMs: local('2027-03-28T06:00') };
      expect(clocks(timeTicks(span, 'local', only({ unit: 'clock', size: HOUR })).ticks)).toEqual([
        '0:00',
        '1:00',
        '3:00',
        '4:00',
        '5:00',
        '6:00',
      ]);
      expect(clocks(timeTicks(span, 'local', only({ unit: 'clock', size: 3 * HOUR })).ticks)).toEqual([
        '0:00',
        '3:00',
        '6:00',
      ]);
    });
  });

  it('show the repeated hour of an autumn night twice', () => {
    inZone('Europe/Berlin', () => {
      const span = { fromMs: local('2026-10-25T00:00'), toMs: local('2026-10-25T04:00') };
      expect(clocks(timeTicks(span, 'local', only({ unit: 'clock', size: HOUR })).ticks)).toEqual([
        '0:00',
        '1:00',
        '2:00',
        '2:00',
        '3:00',
        '4:00',
      ]);
    });
  });

  it('begin days where the zone does, even where midnight is skipped', () => {
    inZone('Europe/Berlin', () => {
      const span = { fromMs: local('2026-10-24T00:00'), toMs: local('2026-10-27T00:00') };
      const { ticks } = timeTicks(span, 'local', only({ unit: 'day', size: 1 }));
      expect(ticks.map((ms, index) => (index === 0 ? 0 : (ms - (ticks[index - 1] ?? 0)) / HOUR))).toEqual([
        0, 24, 25, 24,
      ]);
    });
    inZone('Asia/Beirut', () => {
      const span = { fromMs: local('2026-03-28T00:00'), toMs: local('2026-03-30T00:00') };
      expect(clocks(timeTicks(span, 'local', only({ unit: 'day', size: 1 })).ticks)).toEqual([
        '0:00',
        '1:00',
        '0:00',
      ]);
    });
  });

  it('begin weeks on Monday, quarters and years on their first day', () => {
    const span = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2028, 0, 1) };
    const weeks = timeTicks(span, 'utc', only({ unit: 'day', size: 7 })).ticks;
    expect(weeks.every((ms) => new Date(ms).getUTCDay() === 1)).toBe(true);
    const quarters = timeTicks(span, 'utc', only({ unit: 'month', size: 3 })).ticks;
    expect(quarters.map((ms) => new Date(ms).getUTCMonth())).toEqual([0, 3, 6, 9, 0, 3, 6, 9, 0]);
    expect(timeTicks(span, 'utc', only({ unit: 'year', size: 1 })).ticks).toEqual([
      Date.UTC(2026, 0, 1),
      Date.UTC(2027, 0, 1),
      Date.UTC(2028, 0, 1),
    ]);
  });

  it('ascend, lie within the span and miss none, in any zone and at any step', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Beirut',
      'Asia/Kathmandu',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(1995, 0), max: Date.UTC(2035, 0) }),
        fc.integer({ min: 50, max: 4 * 365 * DAY_MS }),
        (name, fromMs, widthMs) => {
          inZone(name, () => {
            const span = { fromMs, toMs: fromMs + widthMs };
            const { step, ticks } = timeTicks(span, 'local', (each) => lengthMs(each) >= widthMs / 10);
            for (const [index, tick] of ticks.entries()) {
              expect(tick).toBeGreaterThanOrEqual(span.fromMs);
              expect(tick).toBeLessThanOrEqual(span.toMs);
              const distance = tick - (ticks[index - 1] ?? fromMs);
              if (index > 0) expect(distance).toBeGreaterThan(0);
              // A change of the clocks, or a long month, makes a step longer, but never lets one out.
              expect(distance).toBeLessThanOrEqual(
                lengthMs(step) * 1.1 + HOUR + (step.unit === 'clock' ? 0 : 2 * DAY_MS),
              );
              if (step.unit === 'clock') {
                const wall = tick + offsetMsAt(tick, 'local');
                // Lord Howe changes by half an hour, which an hour's step cannot be round in on both sides.
                if (step.size < HOUR / 2) expect(wall % step.size).toBe(0);
              }
            }
          });
        },
      ),
      { numRuns: 300 },
    );
  });
});
