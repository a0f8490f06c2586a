import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acrossFunctions, rankings, type Across, type Ranking } from '#contract/across.ts';
import { aggregates, telemetryAnswerSchema, type Series, type TelemetryAnswer } from '#contract/telemetry.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Berlin put its clocks back on 25 October 2026. */
const START = Date.parse('2026-10-24T00:00:00Z');
/** Their series are combined and ranked in several slices. */
const DEVICES = 40;

let test: TestService;
const nameOf = (n: number) => `meter-${String(n).padStart(2, '0')}`;

/** Device `n`: a value with gaps, a counter that restarts, and a state; the last one has never sent any of them. */
const samplesOf = (n: number) =>
  Array.from({ length: 150 + 10 * (n % 12) }, (_, i) => ({
    device: nameOf(n),
    ts: START + i * (11 + (n % 12)) * MINUTE_MS + n * 1_000,
    values: {
      energy: ((i * (n + 1)) % 97) + i / 8,
      running: i % 3 === 0,
      // A third of the devices pause for a while.
      ...(n % 3 === 0 && i > 40 && i < 70 ? {} : { power: Math.sin(i / 9) * 50 * n + n }),
    },
  }));

beforeAll(async () => {
  test = await startTestService();
  for (let n = 0; n < DEVICES; n += 1) {
    const samples = samplesOf(n);
    const silent = [{ device: nameOf(n), ts: START, values: { other: 1 } }];
    const body = { samples: n === DEVICES - 1 ? silent : samples };
    await test.request('POST', '/v1/telemetry', { body });
  }
  const { body } = await test.request('GET', '/v1/devices?limit=200');
  for (const { id, externalId } of body.data) {
    const n = Number(externalId.slice(-2));
    const tags = { site: n < 4 ? 'north' : 'south', all: 'yes' };
    await test.request('PATCH', `/v1/devices/${id}`, { body: { tags, type: n % 2 === 0 ? 'even' : 'odd' } });
  }
});
afterAll(() => test.close());

const ask = (body: object, token = test.token) =>
  test.request('POST', '/v1/telemetry/query', { body, token });
const query = async (body: object, token?: string): Promise<TelemetryAnswer> => {
  const reply = await ask(body, token);
  expect([reply.status, reply.body.detail]).toEqual([200, undefined]);
  return telemetryAnswerSchema.parse(reply.body);
};
const idOf = async (name: string): Promise<string> =>
  (await test.request('GET', `/v1/devices?q=${name}`)).body.data[0].id;

const combine: Record<Across, (values: number[]) => number> = {
  mean: (values) => values.reduce((a, b) => a + b, 0) / values.length,
  sum: (values) => values.reduce((a, b) => a + b, 0),
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  count: (values) => values.length,
};
const numberAt = (series: Series, name: (typeof aggregates)[number], ts: number): number[] => {
  const value = series[name]?.[series.ts.indexOf(ts)];
  return typeof value === 'number' ? [value] : [];
};
const expectClose = (actual: number | null | undefined, expected: number) =>
  expect(actual).toBeCloseTo(expected, 6);

const range = fc
  .tuple(fc.integer({ min: -60, max: 2_000 }), fc.integer({ min: 20, max: 3_000 }))
  .map(([first, minutes]) => ({
    from: START + first * MINUTE_MS,
    to: START + (first + minutes) * MINUTE_MS,
  }));
const resolution = fc.oneof(
  fc.constantFrom('15m', '1h', '7h').map((bucket) => ({ bucket })),
  fc.constant({ bucket: '1d', timeZone: 'Europe/Berlin' }),
);

describe('a query across devices', () => {
  it('combines the buckets that each device has', async () => {
    const chosenAggregates = fc.subarray([...aggregates], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...acrossFunctions),
        chosenAggregates,
        range,
        resolution,
        async (across, agg, ends, width) => {
          const asked = { metrics: ['power', 'energy', 'running'], agg, ...ends, ...width };
          const filter = { tag: ['all:yes'] };
          const each = await query({ filter, ...asked, agg: [...new Set([...agg, 'count'])] });
          const all = await query({ filter, ...asked, across });
          const isCombined = ({ kind, ts }: Series) =>
            (kind === 'number' || across === 'count') && ts.length > 0;
          const byMetric = Map.groupBy(each.series.filter(isCombined), ({ metric }) => metric);
          expect(all.bucketMs).toBe(each.bucketMs);
          for (const combined of all.series) {
            const devices = byMetric.get(combined.metric) ?? [];
            const starts = [...new Set(devices.flatMap(({ ts }) => ts))].toSorted((a, b) => a - b);
            expect([combined.device, combined.devices, combined.ts]).toEqual([null, devices.length, starts]);
            for (const [i, ts] of starts.entries())
              for (const name of across === 'count' ? [] : agg) {
                if (name === 'count') continue;
                const values = devices.flatMap((device) => numberAt(device, name, ts));
                if (values.length === 0) expect(combined[name]?.[i]).toBeNull();
                else expectClose(combined[name]?.[i] as number, combine[across](values));
              }
            const counts = starts.map((ts) => devices.filter((device) => device.ts.includes(ts)).length);
            expect(combined.count).toEqual(across === 'count' || agg.includes('count') ? counts : undefined);
          }
          expect(
            [...byMetric.keys()].every((metric) => all.series.some((one) => one.metric === metric)),
          ).toBe(true);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('counts the increase of each counter before it adds them up', async () => {
    const asked = {
      metrics: ['energy'],
      from: START,
      to: START + 20 * HOUR_MS,
      bucket: '1h',
      agg: ['increase', 'last'],
    };
    const { series } = await query({ filter: { tag: ['site:north'] }, across: 'sum', ...asked });
    // Restarts from 0 make the sum of the last samples fall, but never the increase.
    const { increase = [], last = [] } = series[0]!;
    expect(increase[0]).toBeNull();
    expect(increase.slice(1).every((value) => value !== null && value > 0)).toBe(true);
    expect(last.some((value, i) => i > 0 && Number(value) < Number(last[i - 1]))).toBe(true);
  });

  it('has buckets with a sample of every device that sends', async () => {
    const { bucketMs, series } = await query({
      filter: { tag: ['site:south'] },
      metrics: ['energy'],
      from: START,
      to: START + 6 * HOUR_MS,
      points: 500,
      across: 'sum',
    });
    // The slowest devices send every 22 minutes.
    expect(bucketMs).toBe(HOUR_MS);
    expect(series[0]?.count).toEqual([35, 35, 35, 35, 35, 35]);
  });

  it('has buckets of whole days for devices that send once a day', async () => {
    const days = 180;
    const series = [1, 2, 3].map((n) => ({
      device: `daily-${n}`,
      metric: 'volume',
      // Each day a second later.
      ts: Array.from({ length: days }, (_, day) => START - 12 * HOUR_MS - day * (DAY_MS + 1_000)),
      values: Array.from({ length: days }, () => 1),
    }));
    await test.request('POST', '/v1/telemetry', { body: { series } });
    const asked = { metrics: ['volume'], from: START - days * DAY_MS, to: START, across: 'sum' };
    for (const points of [100, 500]) {
      const { bucketMs, series: combined } = await query({ ...asked, points });
      expect(bucketMs).toBe(2 * DAY_MS);
      expect(new Set(combined[0]?.count?.slice(1, -1))).toEqual(new Set([3]));
    }
  });

  it('has a unit if all devices have the same', async () => {
    const unitIs = async (unit: string | null) =>
      expect(
        (await query({ filter: { tag: ['site:north'] }, metrics: ['power'], from: START, across: 'mean' }))
          .series[0],
      ).toMatchObject({ unit });
    const setUnit = async (n: number, unit: string) => {
      const path = `/v1/devices/${await idOf(nameOf(n))}/metrics/power`;
      const headers = { 'content-type': 'application/merge-patch+json' };
      expect((await test.request('PATCH', path, { body: { unit }, headers })).status).toBe(200);
    };
    for (const n of [0, 1, 2, 3]) await setUnit(n, 'kW');
    await unitIs('kW');
    await setUnit(3, 'W');
    await unitIs(null);
  });
});

describe('a ranking of series', () => {
  const rankValueOf: Record<Ranking, (series: Series) => number> = {
    max: ({ max = [] }) => Math.max(...max.map(Number)),
    min: ({ min = [] }) => Math.min(...min.map(Number)),
    mean: ({ sum = [], count = [] }) => combine.sum(sum.map(Number)) / combine.sum(count),
    last: ({ last = [] }) => Number(last.at(-1)),
    sum: ({ sum = [] }) => combine.sum(sum.map(Number)),
    count: ({ count = [] }) => combine.sum(count),
    increase: ({ increase = [] }) => combine.sum(increase.map(Number)),
  };

  it('returns the first series of each metric and counts the others', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...rankings.filter((ranking) => ranking !== 'increase')),
        fc.boolean(),
        fc.integer({ min: 1, max: DEVICES + 1 }),
        range,
        async (ranking, isLowestFirst, top, ends) => {
          const asked = { filter: {}, metrics: ['power', 'energy', 'running'], ...ends };
          const each = await query({ ...asked, bucket: '15m', agg: [...aggregates] });
          const answer = await query({ ...asked, top, by: `${isLowestFirst ? '-' : ''}${ranking}` });
          for (const { metric, total, omitted, omittedDevices } of answer.top ?? []) {
            const all = each.series.filter((series) => series.metric === metric && series.ts.length > 0);
            const shown = answer.series.filter((series) => series.metric === metric);
            const rankValues = new Map(
              all
                .filter(({ kind }) => kind === 'number')
                .map((series) => [series.device, rankValueOf[ranking](series)]),
            );
            const sign = isLowestFirst ? 1 : -1;
            const expected = [...rankValues.values()].toSorted((a, b) => sign * (a - b)).slice(0, top);
            for (const [i, { device }] of shown.entries()) expectClose(rankValues.get(device), expected[i]!);
            expect(shown).toHaveLength(expected.length);
            expect([total, omitted]).toEqual([all.length, all.length - shown.length]);
            const others = all.filter(({ device }) => !shown.some((series) => series.device === device));
            const listed = omittedDevices.map(({ device }) => device).toSorted();
            expect(listed).toEqual(others.length > 10 ? [] : others.map(({ device }) => device).toSorted());
          }
          expect(answer.top?.map(({ metric }) => metric)).toEqual([
            ...new Set(
              each.series
                .filter(({ ts }) => ts.length > 0)
                .map(({ metric }) => metric)
                .toSorted(),
            ),
          ]);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('ranks counters by their increase, restarts included', async () => {
    const asked = { filter: {}, metrics: ['energy'], from: START, to: START + DAY_MS };
    const { series } = await query({ ...asked, top: 3, by: 'increase' });
    // Of the devices that send equally often, a later one counts faster.
    const all = await query({ ...asked, bucket: '15m', agg: ['increase'] });
    const rankValues = all.series.map((each) => [rankValueOf.increase(each), each.device] as const);
    const first = rankValues.toSorted(([a], [b]) => b - a).slice(0, 3);
    expect(series.map(({ device }) => device)).toEqual(first.map(([, device]) => device));
  });

  it('orders equal series by external ID', async () => {
    const samples = ['c', 'a', 'b'].map((name) => ({
      device: `same-${name}`,
      ts: START,
      values: { same: 7 },
    }));
    await test.request('POST', '/v1/telemetry', { body: { samples } });
    const asked = { metrics: ['same'], from: START, to: START + 1, top: 2 };
    for (const by of ['max', '-max']) {
      const { series, top } = await query({ ...asked, by });
      expect(series.map(({ externalId }) => externalId)).toEqual(['same-a', 'same-b']);
      expect(top).toMatchObject([{ total: 3, omitted: 1, omittedDevices: [{ externalId: 'same-c' }] }]);
    }
  });

  it('returns raw samples only if no chosen series has more than points', async () => {
    const asked = { filter: {}, metrics: ['power', 'other'], from: START, to: START + DAY_MS, top: 2 };
    expect(await query({ ...asked, points: 500 })).toMatchObject({ bucketMs: null });
    const answer = await query({ ...asked, points: 20 });
    expect(answer.bucketMs).toBeGreaterThan(HOUR_MS);
    expect(answer.series.every(({ value, avg }) => value === undefined && avg !== undefined)).toBe(true);
  });
});

describe('the devices of a query', () => {
  const namesOf = async (body: object) => [
    ...new Set(
      (await query({ from: START, metrics: ['power'], ...body })).series.map(({ externalId }) => externalId),
    ),
  ];

  it('are those named and those that match the filter of the list', async () => {
    expect(await namesOf({ filter: { type: ['even'], tag: ['site:north'] } })).toEqual([
      'meter-00',
      'meter-02',
    ]);
    expect(
      (await namesOf({ filter: { type: ['even'], tag: ['site:north'] }, devices: ['meter-05'] })).toSorted(),
    ).toEqual(['meter-00', 'meter-02', 'meter-05']);
    expect(await namesOf({ filter: { q: 'METER-01' } })).toEqual(['meter-01']);
    expect((await namesOf({ tags: { site: 'north' }, filter: { type: ['odd'] } })).toSorted()).toEqual([
      'meter-01',
      'meter-03',
    ]);
    const { body } = await test.request(
      'GET',
      `/v1/telemetry?from=${START}&metric=power&tag=site:north&type=odd&across=count&bucket=1d`,
    );
    expect(body.series).toMatchObject([{ device: null, devices: 2 }]);
    expect(body.series[0]).not.toHaveProperty('avg');
  });

  it('are only those named if the search is empty', async () => {
    const { body } = await test.request(
      'GET',
      `/v1/telemetry?from=${START}&metric=power&device=meter-05&q=&bucket=1d`,
    );
    expect(new Set(body.series.map(({ externalId }: Series) => externalId))).toEqual(new Set(['meter-05']));
  });

  it('are a 404 if one named device does not exist', async () => {
    const reply = await ask({ devices: ['meter-05', 'unknown'], tags: { site: 'north' } });
    expect([reply.status, reply.body.code]).toEqual([404, 'not-found']);
  });

  it('may be none: the buckets are as wide as with devices', async () => {
    const asked = { metrics: ['power'], from: START, to: START + 12 * HOUR_MS };
    const none = { ...asked, filter: { q: 'no such device' } };
    const bucketOf = async (body: object) => (await query(body)).bucketMs;
    expect(await bucketOf({ ...none, across: 'mean', points: 12 })).toBe(HOUR_MS);
    expect(await bucketOf({ ...none, across: 'mean', bucket: '2h' })).toBe(2 * HOUR_MS);
    expect(await bucketOf({ ...none, top: 3, bucket: '2h' })).toBe(2 * HOUR_MS);
    expect(await bucketOf({ ...none, top: 3, points: 12 })).toBeNull();
  });

  it('of a token are only its own, in every count', async () => {
    const own = [await idOf('meter-01'), await idOf('meter-02')];
    const { secret } = await test.mintKey(['telemetry:read'], { devices: own });
    const asked = { filter: {}, metrics: ['power'], from: START, to: START + DAY_MS };
    const combined = await query({ ...asked, across: 'count', bucket: '1d' }, secret);
    expect(combined.series).toMatchObject([{ devices: 2, count: [2] }]);
    const ranked = await query({ ...asked, top: 1 }, secret);
    expect(ranked.top).toMatchObject([{ total: 2, omitted: 1 }]);
    expect(ranked.top?.[0]?.omittedDevices.every(({ device }) => own.includes(device))).toBe(true);
    expect((await ask({ ...asked, devices: ['meter-03'], across: 'mean' }, secret)).status).toBe(404);
  });
});

describe('an invalid query', () => {
  it.each([
    [{ across: 'mean', top: 3 }, '/top'],
    [{ by: 'max' }, '/by'],
    [{ across: 'median' }, '/across'],
    [{ top: 0 }, '/top'],
    [{ top: 501 }, '/top'],
    [{ top: 2, by: '--max' }, '/by'],
    [{ filter: { state: ['asleep'] } }, '/filter/state/0'],
    [{ filter: { site: 'north' } }, '/filter/site'],
    [{ filter: { state: [] } }, '/filter/state'],
    [{ filter: { type: [] } }, '/filter/type'],
    [{ filter: { tag: [] } }, '/filter/tag'],
    [{ filter: { withoutTag: [] } }, '/filter/withoutTag'],
    [{ tags: { 'site:north': 'x' } }, '/tags/site:north'],
    [{ tags: { a: '', b: '' }, filter: { tag: Array.from({ length: 9 }, (_, i) => `k${i}:`) } }, '/tags'],
  ])('names the field: %j', async (body, pointer) => {
    const reply = await ask(body);
    expect([reply.status, reply.body.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });

  it.each([
    ['across=mean&top=3', 'top'],
    ['by=max', 'by'],
    ['across=', 'across'],
    ['top=101', 'top'],
    ['state=asleep', 'state'],
  ])('names the parameter: %s', async (parameters, parameter) => {
    const reply = await test.request('GET', `/v1/telemetry?${parameters}`);
    expect([reply.status, reply.body.errors?.[0]?.parameter]).toEqual([400, parameter]);
  });
});
