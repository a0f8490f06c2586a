import type { NumberSeries, StateSeries } from '#dashboard/charts/series/series.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A Saturday in November, at noon UTC. */
export const NOON = Date.UTC(2026, 10, 21, 12);

/** Random numbers that are the same in every run (mulberry32). */
export function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Shape {
  id: string;
  label: string;
  unit: string | null;
  colour: NumberSeries['colour'];
  seed: number;
  middle: number;
  swing: number;
  spread: number;
}

/** A day in three-minute buckets, with a gap of two hours. */
function dayInBuckets({ id, label, unit, colour, seed, middle, swing, spread }: Shape): NumberSeries {
  const random = noise(seed);
  const bucketMs = 3 * MINUTE;
  const columns = {
    bucketMs,
    ts: [] as number[],
    avg: [] as number[],
    min: [] as number[],
    max: [] as number[],
    count: [] as number[],
  };
  let drift = 0;
  for (let ts = NOON - DAY; ts < NOON; ts += bucketMs) {
    drift += (random() - 0.5) * spread;
    drift *= 0.97;
    if (ts > NOON - 9 * HOUR && ts < NOON - 7 * HOUR) continue;
    const avg = middle + swing * Math.sin((2 * Math.PI * (ts - NOON)) / DAY + seed) + drift;
    columns.ts.push(ts);
    columns.avg.push(avg);
    columns.min.push(avg - spread * (0.4 + random()));
    columns.max.push(avg + spread * (0.4 + random()));
    columns.count.push(36);
  }
  return { id, label, unit, colour, kind: 'number', columns };
}

const temperature = (n: 1 | 2 | 3 | 4): NumberSeries =>
  dayInBuckets({
    id: `t${n}`,
    label: `Boiler ${n} flow temperature`,
    unit: '°C',
    colour: n,
    seed: n,
    middle: 40 + n * 7,
    swing: 4,
    spread: 1.2,
  });
const power = dayInBuckets({
  id: 'p',
  label: 'Feed pump power',
  unit: 'W',
  colour: 5,
  seed: 9,
  middle: 21_000,
  swing: 9_000,
  spread: 900,
});
const pressure = dayInBuckets({
  id: 'b',
  label: 'Header pressure',
  unit: 'bar',
  colour: 6,
  seed: 12,
  middle: 2.1,
  swing: 0.2,
  spread: 0.03,
});

/** Ten minutes of samples with a gap, an isolated sample and a missing value. */
const raw: NumberSeries = {
  id: 'raw',
  label: 'Level',
  unit: 'm',
  colour: 2,
  kind: 'number',
  columns: (() => {
    const random = noise(3);
    const ts: number[] = [];
    const value: number[] = [];
    for (let at = NOON - 10 * MINUTE; at < NOON; at += 5_000) {
      const minute = (at - NOON) / MINUTE;
      if (minute > -7 && minute < -5 && minute !== -6) continue;
      ts.push(at);
      value.push(Number((1.2 + Math.sin(minute) * 0.3 + random() * 0.05).toFixed(3)));
    }
    return { ts, value };
  })(),
};

const states: StateSeries[] = [
  {
    id: 's1',
    label: 'Feed pump running',
    unit: null,
    colour: 1,
    kind: 'boolean',
    columns: {
      ts: [-24, -19, -18.5, -11, -6, -5.8, -5.6, -5.4, -1].map((hours) => NOON + hours * HOUR),
      value: [true, false, true, false, true, false, true, false, true],
    },
  },
  {
    id: 's2',
    label: 'Burner mode',
    unit: null,
    colour: 2,
    kind: 'string',
    columns: {
      ts: [-24, -20, -19.5, -12, -4, -2].map((hours) => NOON + hours * HOUR),
      value: ['standby', 'purging', 'firing', 'standby', 'locked out by flame guard', 'standby'],
    },
  },
];

export interface SceneData {
  name: string;
  series: NumberSeries[];
  states: StateSeries[];
  fromMs: number;
}

const boilers = ([1, 2, 3, 4] as const).map(temperature);

/** All scenes end at noon. */
export const scenes: readonly SceneData[] = [
  { name: 'day', series: boilers, states: [], fromMs: NOON - DAY },
  { name: 'units', series: [temperature(1), power, pressure], states: [], fromMs: NOON - DAY },
  { name: 'raw', series: [raw], states: [], fromMs: NOON - 10 * MINUTE },
  { name: 'states', series: [temperature(1)], states, fromMs: NOON - DAY },
  { name: 'empty', series: [], states: [], fromMs: NOON - HOUR },
];
