import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { telemetryAnswerSchema, writeReportSchema } from '#contract/telemetry.ts';
import { startTestService, type Reply, type TestService } from './start-test-service.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 10, 20);

let clockMs = START + 12 * HOUR_MS;
let test: TestService;
beforeAll(async () => {
  test = await startTestService({ now: () => clockMs });
});
afterAll(() => test.close());

let devices = 0;
let device: string;
beforeEach(() => {
  device = `device-${(devices += 1)}`;
});

const get = (path: string, options = {}) => test.request('GET', path, options);
const post = (path: string, body: unknown, options = {}) => test.request('POST', path, { body, ...options });
const send = (body: string, type: string) =>
  test.request('POST', '/v1/telemetry', { body, headers: { 'content-type': type } });
const write = (...samples: unknown[]) => post('/v1/telemetry', { samples });
const store = async (values: Record<string, unknown>, ts = START) => {
  const { status, body } = await write({ device, ts, values });
  expect([status, body.rejected]).toEqual([200, 0]);
};
const idOf = async (externalId: string): Promise<string> =>
  (await get(`/v1/devices?q=${externalId}`)).body.data.find(
    (row: { externalId: string }) => row.externalId === externalId,
  ).id;
/** The text of an answer that is no single JSON document. */
const text = async (path: string, headers = {}) => {
  const response = await fetch(`${test.url}${path}`, {
    headers: { authorization: `Bearer ${test.token}`, ...headers },
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
};
const codesOf = ({ status, body }: Reply) => [status, body.code];
const around = `from=${START - DAY_MS}&to=${START + DAY_MS}`;

describe('presence', () => {
  const stateOf = async () => (await get(`/v1/devices/${await idOf(device)}`)).body.state;

  it('follows from a write, whatever the timestamps', async () => {
    await write({ device, ts: clockMs + DAY_MS, values: { temp: 1 } });
    await expect.poll(stateOf).toBe('online');
    device = `${device}-1970`;
    await write({ device, ts: 12_345, values: { temp: 1 } });
    await expect.poll(stateOf).toBe('online');
  });

  it('does not follow from an import of history', async () => {
    const body = { samples: [{ device, ts: START, values: { temp: 1 } }] };
    expect((await post('/v1/telemetry?backfill=true', body)).body.accepted).toBe(1);
    // Presence is written in the order of the writes.
    const other = `${device}-live`;
    await write({ device: other, values: { temp: 1 } });
    await expect.poll(async () => (await get(`/v1/devices/${await idOf(other)}`)).body.state).toBe('online');
    expect(await stateOf()).toBe('never-seen');
  });
});

describe('writing', () => {
  it('returns the outcome of each sample, and can be repeated', async () => {
    const samples = [{ device, ts: START, values: { temp: 21.5, on: true, mode: 'eco' } }];
    const first = await write(...samples);
    expect(first.status).toBe(200);
    expect(writeReportSchema.parse(first.body)).toMatchObject({
      received: 3,
      accepted: 3,
      overwritten: 0,
      duplicates: 0,
      rejected: 0,
      errors: [],
    });
    expect((await write(...samples)).body).toMatchObject(
      test.countsOf({ received: 3, accepted: 0, duplicates: 3 }),
    );
    const changed = await write({ device, ts: START, values: { temp: 22 } });
    expect(changed.body).toMatchObject(test.countsOf({ accepted: 1, overwritten: 1 }));
  });

  it('accepts series as columns', async () => {
    const ts = [START, '2026-11-20T00:00:00.001Z', START + 2];
    const series = [
      { device, metric: 'temp', ts, values: [20, 20.5, 21] },
      { device, metric: 'mode', ts: ts.slice(1), values: ['eco', 'off'] },
    ];
    const { status, body } = await post('/v1/telemetry', { series });
    expect([status, body]).toMatchObject([200, { received: 5, accepted: 5, errors: [] }]);
    const { body: read } = await get(`/v1/telemetry?device=${device}&${around}`);
    expect(read.series).toMatchObject([
      { metric: 'mode', ts: [START + 1, START + 2], value: ['eco', 'off'] },
      { metric: 'temp', ts: [START, START + 1, START + 2], value: [20, 20.5, 21] },
    ]);
    expect((await post('/v1/telemetry', { series })).body).toMatchObject(
      test.countsOf({ accepted: 0, duplicates: 5 }),
    );
  });

  it('points to each rejected sample of a series', async () => {
    await store({ mode: 'eco' });
    const ok = { device, metric: 'ok', ts: [START], values: [1] };
    const { body } = await post('/v1/telemetry', {
      series: [
        { ...ok, values: [1, 2] },
        { ...ok, device: 'no device' },
        { ...ok, metric: 'no metric' },
        { ...ok, unit: '°C' },
        { device, metric: 'temp', ts: [START, 'soon', clockMs + DAY_MS, 1], values: [20, 21, 22, 23] },
        { device, metric: 'mode', ts: [START + 1, START + 2], values: ['off', 7] },
        { ...ok, values: [null] },
        ok,
        7,
      ],
    });
    expect(body).toMatchObject({ received: 14, accepted: 3, rejected: 11 });
    expect(
      body.errors.map(({ code, pointer }: { code: string; pointer: string }) => `${code} ${pointer}`),
    ).toEqual([
      'invalid-series /series/0/ts',
      'invalid-device /series/1/device',
      'invalid-metric /series/2/metric',
      'unknown-field /series/3/unit',
      'invalid-ts /series/4/ts/1',
      'ts-implausible /series/4/ts/3',
      'ts-too-far-ahead /series/4/ts/2',
      'kind-mismatch /series/5/values/1',
      'invalid-value /series/6/values/0',
      'invalid-series /series/8',
    ]);
  });

  it.each([
    [{ sample: [] }, '/sample', 'The body has one field, samples or series'],
    [{ device: 'a', values: { b: 1 } }, '/device', '{ "samples": [{ "device", "ts", "values" }] }'],
    [
      { samples: [{ device: 'a', value: 1, values: { b: 1 } }] },
      '/samples/0/value',
      'The fields are device, ts and values.',
    ],
  ])('names the fields instead of an unknown one: %j', async (body, pointer, detail) => {
    const reply = await post('/v1/telemetry', body);
    expect(reply.body.errors[0]).toMatchObject({ pointer, detail: expect.stringContaining(detail) });
  });

  it('rejects a body with both samples and series', async () => {
    const { status, body } = await post('/v1/telemetry', { samples: [], series: [] });
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '/series' }]]);
  });

  it('accepts NDJSON and CSV', async () => {
    const ndjson = [1, 2].map((n) => JSON.stringify({ device, ts: START + n, values: { n } })).join('\n');
    expect((await send(ndjson, 'application/x-ndjson')).body).toMatchObject({ accepted: 2 });
    const csv = `ts,device,metric,value\n${START + 3},${device},n,3\n2026-11-20T00:00:00.004Z,${device},n,4\n`;
    expect((await send(csv, 'text/csv; charset=utf-8')).body).toMatchObject({ accepted: 2 });
    const { body } = await get(`/v1/telemetry?device=${device}&${around}`);
    expect(body.series[0].value).toEqual([1, 2, 3, 4]);
  });

  it.each(['', ' ', 'NaN', '-nan', 'Infinity', '-inf', 'null', '""'])(
    'rejects the CSV cell %j, which is no value, and keeps the metric open for numbers',
    async (cell) => {
      const csv = (value: string) => `ts,device,metric,value\n,${device},temp,${value}\n`;
      const { status, body } = await send(csv(cell), 'text/csv');
      expect([status, body.errors[0].code, body.errors[0].pointer]).toEqual([
        422,
        'invalid-value',
        '/samples/1/values/temp',
      ]);
      expect(body.detail).toBe(
        'The sample was not stored. Line 2, temp: Empty cells, NaN, Infinity and null are not values. Send a finite number, true, false or text, or leave out the row.',
      );
      expect((await send(csv('20.5'), 'text/csv')).body).toMatchObject({ accepted: 1 });
    },
  );

  it('names the line of each error of a CSV, beside blank lines and cells of several lines', async () => {
    const rows = [
      'ts,device,metric,value',
      '',
      `${START},${device},note,"two\nlines"`,
      `${START},${device},temp,1,2`,
      '',
      `soon,${device},temp,3`,
      `${START},${device},note,4`,
    ];
    for (const lineBreak of ['\n', '\r\n']) {
      const { body } = await send(rows.join(lineBreak), 'text/csv');
      expect(
        body.errors.map(({ index, detail }: { index: number; detail: string }) => [index, detail]),
      ).toEqual([
        [4, 'Line 5: The row must have 4 cells: ts,device,metric,value.'],
        [6, expect.stringMatching(/^Line 7, ts: Must be a Unix timestamp/)],
        [7, expect.stringMatching(/^Line 8, note: The metric holds text, and this value is a number/)],
      ]);
    }
  });

  it('names the line of each error of NDJSON, beside blank lines', async () => {
    const line = (n: unknown) => JSON.stringify({ device, ts: START, values: { n } });
    const { body } = await send(`\n${line(1)}\n\n{"device"\n${line(null)}\n`, 'application/x-ndjson');
    expect(
      body.errors.map(({ index, detail }: { index: number; detail: string }) => [index, detail]),
    ).toEqual([
      [3, expect.stringMatching(/^Line 4: The line is not JSON/)],
      [4, expect.stringMatching(/^Line 5, n: Must be a finite number/)],
    ]);
  });

  it.each([
    [
      'an open quote',
      `${START},a,b,"1\n`,
      'Line 3 of the CSV: A cell that begins with a quote has no closing quote.',
    ],
    [
      'text after a quote',
      `${START},a,b,"1" x\n`,
      'Line 3 of the CSV: A cell has text after its closing quote.',
    ],
  ])('of a CSV with %s names its line', async (_, row, detail) => {
    const { status, body } = await send(`ts,device,metric,value\n\n${row}`, 'text/csv');
    expect([status, body.code]).toEqual([400, 'malformed-body']);
    expect(body.detail).toContain(detail);
  });

  it.each(['NaN', 'Infinity', '-Infinity', 'nan'])(
    'of JSON with %s names it and its position',
    async (token) => {
      const before = `{"samples":[{"device":"\\"NaN","values":{"a":1,"b":`;
      const { status, body } = await send(`${before}${token}}}]}`, 'application/json');
      expect([status, body.code, body.detail]).toEqual([
        400,
        'malformed-body',
        `The body is not JSON: ${token} at position ${before.length} is not a number in JSON. Leave out values that are not finite. Fix it, then send it again.`,
      ]);
    },
  );

  it('of an exported CSV is rejected with the columns to rename', async () => {
    await store({ temp: 20 });
    const { body: csv } = await text(`/v1/telemetry/export?device=${device}&from=0`);
    const { body } = await send(csv, 'text/csv');
    expect(body.detail).toContain('remove its column device, and rename time to ts and externalId to device');
    const cells = csv
      .trim()
      .split('\r\n')
      .map((row) => row.split(','));
    const [header, ...rows] = cells.map(([time, , ...others]) => [time, ...others].join(','));
    expect(header).toBe('time,externalId,metric,value');
    const reply = await send(['ts,device,metric,value', ...rows].join('\r\n'), 'text/csv');
    expect(reply.body).toMatchObject(test.countsOf({ received: 1, accepted: 0, duplicates: 1 }));
  });

  it.each([
    [71.5, '71.5', 'holds numbers, and this value is text. Send 71.5 without quotes.'],
    [71.5, true, 'holds numbers, and this value is a boolean. Send 1 instead of true.'],
    [true, 0, 'holds booleans, and this value is a number. Send false instead of 0.'],
    [true, 'true', 'holds booleans, and this value is text. Send true without quotes.'],
    [
      71.5,
      'warm',
      'holds numbers, and this value is text. The first sample of a metric determines the kind.',
    ],
    [
      'NaN',
      20.5,
      'holds text, and this value is a number. The first sample of a metric determines the kind.',
    ],
  ])('says what to do for another kind: %j, then %j', async (first, second, detail) => {
    await store({ temp: first });
    const { body } = await write({ device, ts: START + 1, values: { temp: second } });
    expect(body.errors[0]).toMatchObject({ code: 'kind-mismatch', detail: expect.stringContaining(detail) });
  });

  it('accepts another kind after all samples of the metric were deleted', async () => {
    await store({ temp: 'NaN', other: 1 });
    const { body } = await write({ device, ts: START + 1, values: { temp: 20.5 } });
    expect(body.errors[0].detail).toContain('delete all samples of the metric and send this one again.');
    await test.request('DELETE', `/v1/telemetry?device=${device}&metric=temp&from=0&to=now`);
    await store({ temp: 20.5 });
  });

  it('rejects invalid samples and accepts the rest', async () => {
    await store({ temp: 20 });
    const { status, body } = await write(
      { device, ts: START, values: { temp: 'warm', 'bad name': 1, fine: 2 } },
      { device, ts: 'soon', values: { a: 1, b: 2 } },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ received: 5, accepted: 1, rejected: 4 });
    expect(
      body.errors.map(({ index, pointer, code }: Record<string, unknown>) => [index, pointer, code]),
    ).toEqual([
      [0, '/samples/0/values/bad name', 'invalid-metric'],
      [0, '/samples/0/values/temp', 'kind-mismatch'],
      [1, '/samples/1/ts', 'invalid-ts'],
    ]);
  });

  it('is rejected if all samples are invalid', async () => {
    const reply = await write({ device, values: { a: null } }, { device: 'a b', values: { b: 1 } });
    expect(codesOf(reply)).toEqual([422, 'validation-failed']);
    expect(reply.body.errors).toHaveLength(2);
  });

  it('returns at most a hundred errors', async () => {
    const values = (from: number) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`m${from + i}`, null]));
    const { body } = await write(
      { device, values: { fine: 1 } },
      { device, values: values(0) },
      { device, values: values(60) },
    );
    expect([body.rejected, body.errors.length]).toEqual([120, 100]);
  });

  it.each([
    ['no samples', () => post('/v1/telemetry', {}), 422, 'validation-failed'],
    ['an unknown field', () => post('/v1/telemetry', { samples: [], extra: 1 }), 422, 'validation-failed'],
    ['broken JSON', () => send('{"samples":[', 'application/json'), 400, 'malformed-body'],
    ['a CSV without a header', () => send('1,a,b,2', 'text/csv'), 400, 'malformed-body'],
    ['another type', () => send('a', 'text/plain'), 415, 'unsupported-media-type'],
  ])('of %s is rejected completely', async (_, ask, status, code) => {
    expect(codesOf(await ask())).toEqual([status, code]);
  });

  it.each([
    ['text/csv', (n: number) => `${n},${device},m,${n}`, `ts,device,metric,value\n`],
    ['application/x-ndjson', (n: number) => JSON.stringify({ device, ts: n, values: { m: n } }), ''],
  ])(
    'of several slices as %s is stored completely, and each error names its line',
    async (type, line, head) => {
      const first = 1_750_000_000_000;
      const lines = Array.from({ length: 12_000 }, (_, n) => (n === 9_999 ? 'nonsense' : line(first + n)));
      const { status, body } = await send(`${head}${lines.join('\n')}`, type);
      expect([status, body]).toMatchObject([200, { received: 12_000, accepted: 11_999, rejected: 1 }]);
      const index = head === '' ? 9_999 : 10_000;
      expect(body.errors).toMatchObject([
        {
          index,
          code: 'invalid-sample',
          pointer: `/samples/${index}`,
          detail: expect.stringMatching(`^Line ${index + 1}: `),
        },
      ]);
      const again = await send(`${head}${lines.join('\n')}`, type);
      expect(again.body).toMatchObject(test.countsOf({ accepted: 0, duplicates: 11_999, rejected: 1 }));
    },
  );

  it('registers a new device and marks it as seen', async () => {
    await store({ temp: 1 });
    const { data } = (await get(`/v1/devices?q=${device}`)).body;
    expect(data).toMatchObject([{ externalId: device, name: device }]);
    await expect.poll(async () => (await get(`/v1/devices/${data[0].id}`)).body.state).toBe('online');
  });

  it('with a key limited to devices reaches only these', async () => {
    await store({ temp: 1 });
    const [mine, other] = [await idOf(device), `${device}-other`];
    const { secret } = await test.mintKey(['telemetry:write', 'telemetry:read'], { devices: [mine] });
    const { body } = await post(
      '/v1/telemetry',
      {
        samples: [
          { device, values: { temp: 2 } },
          { device: other, values: { temp: 2 } },
        ],
      },
      { token: secret },
    );
    expect(body).toMatchObject({ accepted: 1, rejected: 1, errors: [{ code: 'unknown-device' }] });
    expect((await get(`/v1/devices?q=${other}`)).body.data).toEqual([]);
  });

  it('to a deleted device is rejected while it can be restored', async () => {
    await store({ temp: 1 });
    await test.request('DELETE', `/v1/devices/${await idOf(device)}`);
    const reply = await write({ device, values: { temp: 2 } });
    expect(codesOf(reply)).toEqual([422, 'validation-failed']);
    expect(reply.body.errors).toMatchObject([{ code: 'device-deleted', pointer: '/samples/0/device' }]);
  });

  it('survives a restart of the service', async () => {
    await store({ temp: 21.5 });
    await test.restart();
    const { body } = await get(`/v1/telemetry/latest?device=${device}`);
    expect(body.data).toMatchObject([{ metric: 'temp', value: 21.5 }]);
  });
});

describe('reading', () => {
  const hourly = (hours: number) =>
    write(
      ...Array.from({ length: hours }, (_, i) => ({ device, ts: START + i * HOUR_MS, values: { n: i } })),
    );

  it('returns raw samples as columns', async () => {
    await store({ temp: 21.5, on: true, mode: 'eco' });
    const { body } = await get(`/v1/telemetry?device=${device}&${around}`);
    const id = await idOf(device);
    const common = { device: id, externalId: device, unit: null, ts: [START] };
    expect(telemetryAnswerSchema.parse(body)).toEqual({
      from: START - DAY_MS,
      to: START + DAY_MS,
      bucketMs: null,
      series: [
        { ...common, metric: 'mode', kind: 'string', value: ['eco'] },
        { ...common, metric: 'on', kind: 'boolean', value: [true] },
        { ...common, metric: 'temp', kind: 'number', value: [21.5] },
      ],
    });
  });

  it('returns buckets with the requested aggregates if there are more samples than points', async () => {
    await hourly(10);
    const path = `/v1/telemetry?device=${device}&from=${START}&to=${START + 10 * HOUR_MS}`;
    const { body } = await get(`${path}&points=2`);
    // 2026-11-20 is no multiple of five hours since the epoch: with buckets of five hours there would be three.
    expect(body.bucketMs).toBe(10 * HOUR_MS);
    const aligned = Math.floor(START / (10 * HOUR_MS)) * 10 * HOUR_MS;
    const inFirst = (aligned - START) / HOUR_MS + 10;
    expect(body.series[0]).toMatchObject({
      ts: [aligned, aligned + 10 * HOUR_MS],
      min: [0, inFirst],
      max: [inFirst - 1, 9],
      count: [inFirst, 10 - inFirst],
    });
    const { body: last } = await get(`${path}&bucket=4h&agg=last,count`);
    expect(last.series[0]).toMatchObject({ last: [3, 7, 9], count: [4, 4, 2] });
    expect(last.series[0]).not.toHaveProperty('avg');
  });

  it('selects by device, metric and tag', async () => {
    await store({ a: 1, b: 2 });
    const id = await idOf(device);
    await test.request('PATCH', `/v1/devices/${id}`, { body: { tags: { site: device, line: '4' } } });
    const metricsOf = async (query: string) => {
      const { body } = await get(`/v1/telemetry?${query}&${around}`);
      return body.series.map((series: { metric: string }) => series.metric);
    };
    expect(await metricsOf(`device=${id}`)).toEqual(['a', 'b']);
    expect(await metricsOf(`device=${id}&metric=b&metric=c`)).toEqual(['b']);
    expect(await metricsOf(`tag=site:${device}&tag=line:4`)).toEqual(['a', 'b']);
    expect(await metricsOf(`tag=site:${device}&tag=line:5`)).toEqual([]);
    const { body } = await post('/v1/telemetry/query', {
      tags: { site: device },
      from: String(START),
      to: String(START + 1),
    });
    expect(body.series).toHaveLength(2);
  });

  it('starts days at local midnight, also when clocks change', async () => {
    // Berlin put its clocks back on 25 October 2026: that day had 25 hours.
    const midnights = ['2026-10-24T00:00:00+02:00', '2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00'];
    const [first = 0, second = 0, third = 0] = midnights.map((each) => Date.parse(each));
    const samples = Array.from({ length: 24 + 25 + 3 }, (_, i) => ({
      device,
      ts: first + i * HOUR_MS,
      values: { n: 1 },
    }));
    await write(...samples);
    const { body } = await get(
      `/v1/telemetry?device=${device}&from=${first + HOUR_MS}&to=${third + 3 * HOUR_MS}&bucket=1d&timeZone=Europe/Berlin&agg=count`,
    );
    expect(body.bucketMs).toBe(DAY_MS);
    expect(body.series[0]).toMatchObject({ ts: [first, second, third], count: [23, 25, 3] });
  });

  it('starts weeks on Monday', async () => {
    await store({ n: 1 }, Date.UTC(2026, 10, 18));
    const { body } = await get(
      `/v1/telemetry?device=${device}&from=${START - 9 * DAY_MS}&to=${START}&bucket=1w&agg=count`,
    );
    expect(body.series[0].ts).toEqual([Date.UTC(2026, 10, 16)]);
  });

  it.each([
    ['an end before its start', `from=${START}&to=${START - 1}`, 'to'],
    ['a time that is none', `from=yesterday&to=now`, 'from'],
    ['too many points', `points=5001`, 'points'],
    ['points and buckets', `points=5&bucket=1h`, 'points'],
    ['a time zone that is none', `timeZone=Mars/Olympus`, 'timeZone'],
    ['an unknown aggregate', `agg=avg,median`, 'agg'],
    ['a width that is none', `bucket=1y`, 'bucket'],
  ])('rejects %s and names the parameter', async (_, query, parameter) => {
    const reply = await get(`/v1/telemetry?${query}`);
    expect(codesOf(reply)).toEqual([400, 'invalid-parameter']);
    expect(reply.body.errors[0].parameter).toBe(parameter);
  });

  it('names the fields of a query body instead of an unknown one, and speaks of no change', async () => {
    const { body } = await post('/v1/telemetry/query', { device: 'boiler-7' });
    expect(body.detail).toMatch(/^\/device: Unknown field\. The fields are devices, metrics, .*, agg\.$/);
  });

  it('names an invalid field of a query body', async () => {
    const reply = await post('/v1/telemetry/query', { from: 'now', to: '-1h' });
    expect(codesOf(reply)).toEqual([422, 'validation-failed']);
    expect(reply.body.errors).toMatchObject([{ pointer: '/to' }]);
  });

  it('names the limit if a query is too large', async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`m${i}`, i]));
    await store(many);
    const tooMany = await get(`/v1/telemetry?device=${device}&${around}`);
    expect(codesOf(tooMany)).toEqual([422, 'query-too-large']);
    expect(tooMany.body.detail).toMatch(/101 series.*100/);
    const { body } = await post('/v1/telemetry/query', {
      devices: [device],
      from: String(START),
      to: String(START + 1),
    });
    expect(body.series).toHaveLength(101);
    const tooFine = await get(`/v1/telemetry?device=${device}&from=-24h&bucket=1s`);
    expect(codesOf(tooFine)).toEqual([422, 'query-too-large']);
    expect(tooFine.body.detail).toContain('5000');
  });

  it('returns 404 for devices that are missing, deleted or not accessible', async () => {
    await store({ temp: 1 });
    const id = await idOf(device);
    const { secret } = await test.mintKey(['telemetry:read'], { devices: [id] });
    const ask = (path: string, token = test.token) => get(path, { token }).then(codesOf);
    await write({ device: `${device}-other`, values: { temp: 1 } });
    const other = await idOf(`${device}-other`);
    for (const path of [
      '/v1/telemetry?device=',
      '/v1/telemetry/latest?device=',
      '/v1/telemetry/export?device=',
    ]) {
      expect(await ask(`${path}nowhere`)).toEqual([404, 'not-found']);
      expect(await ask(`${path}${other}`, secret)).toEqual([404, 'not-found']);
    }
    expect(await ask(`/v1/devices/${other}/metrics`, secret)).toEqual([404, 'not-found']);
    const { body } = await get(`/v1/telemetry?${around}`, { token: secret });
    expect(body.series.map((series: { device: string }) => series.device)).toEqual([id]);
    await test.request('DELETE', `/v1/devices/${id}`);
    expect(await ask(`/v1/telemetry?device=${device}`)).toEqual([404, 'not-found']);
  });
});

describe('the latest values', () => {
  it('have an age by the clock of the service, never below zero', async () => {
    await store({ temp: 1 }, clockMs - 5_000);
    await store({ ahead: 2 }, clockMs + 5_000);
    const { body } = await get(`/v1/telemetry/latest?device=${device}`);
    expect(body.data).toMatchObject([
      { externalId: device, metric: 'ahead', value: 2, ageMs: 0 },
      { externalId: device, metric: 'temp', value: 1, ts: clockMs - 5_000, ageMs: 5_000 },
    ]);
    const { body: one } = await get(`/v1/telemetry/latest?device=${device}&metric=temp`);
    expect(one.data).toHaveLength(1);
  });

  it('are listed with the metrics of a device', async () => {
    await store({ temp: 1 }, START);
    await store({ temp: 2 }, START + 5);
    const { body } = await get(`/v1/devices/${await idOf(device)}/metrics`);
    expect(body.data).toEqual([
      {
        metric: 'temp',
        kind: 'number',
        label: null,
        unit: null,
        isUnitGuessed: false,
        decimals: null,
        metricType: 'gauge',
        firstTs: START,
        lastTs: START + 5,
        value: 2,
      },
    ]);
  });
});

describe('an export', () => {
  it('as CSV has times with the offset of the time zone, and no formulas', async () => {
    await store({ temp: -21.5, text: '=1+1', note: 'a "b",\nc', '-x': true });
    const id = await idOf(device);
    const { headers, body } = await text(
      `/v1/telemetry/export?device=${device}&${around}&timeZone=America/St_Johns`,
    );
    expect(headers.get('content-type')).toContain('text/csv');
    expect(headers.get('content-disposition')).toContain('telemetry.csv');
    const start = `2026-11-19T20:30:00.000-03:30,${id},${device}`;
    expect(body).toBe(
      [
        'time,device,externalId,metric,value',
        `${start},"'-x",true`,
        `${start},note,"a ""b"",\nc"`,
        `${start},temp,-21.5`,
        `${start},text,"'=1+1"`,
        '',
      ].join('\r\n'),
    );
  });

  it('as NDJSON has times in UTC by default, and ends with the number of rows', async () => {
    await store({ n: 1 }, START);
    await store({ n: 2 }, START + 1);
    const { headers, body } = await text(`/v1/telemetry/export?device=${device}&${around}`, {
      accept: 'application/x-ndjson',
    });
    expect(headers.get('content-type')).toContain('application/x-ndjson');
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const row = { device: await idOf(device), externalId: device, metric: 'n' };
    expect(lines).toEqual([
      { time: '2026-11-20T00:00:00.000Z', ...row, value: 1 },
      { time: '2026-11-20T00:00:00.001Z', ...row, value: 2 },
      { end: true, rows: 2 },
    ]);
  });

  it('uses the correct offset when clocks change', async () => {
    const change = Date.parse('2026-10-25T01:00:00Z');
    await store({ n: 1 }, change - 1);
    await store({ n: 2 }, change);
    const { body } = await text(`/v1/telemetry/export?device=${device}&from=0&timeZone=Europe/Berlin`);
    const times = body
      .split('\r\n')
      .slice(1, 3)
      .map((row) => row.split(',')[0]);
    expect(times).toEqual(['2026-10-25T02:59:59.999+02:00', '2026-10-25T02:00:00.000+01:00']);
  });

  it('of buckets has their aggregates, and calendar days', async () => {
    await store({ n: 1, on: true }, START);
    await store({ n: 3 }, START + HOUR_MS);
    await store({ n: 5 }, START + DAY_MS / 2);
    const id = await idOf(device);
    const days = await text(
      `/v1/telemetry/export?device=${device}&${around}&bucket=1d&metric=n&timeZone=Asia/Tokyo`,
    );
    expect(days.body.split('\r\n').slice(1)).toEqual([
      `2026-11-20T00:00:00.000+09:00,${id},${device},n,3,1,5,3`,
      '',
    ]);
    const hours = await text(
      `/v1/telemetry/export?device=${device}&from=0&to=${START + DAY_MS}&bucket=6h&format=ndjson`,
    );
    const rows = hours.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ metric, avg, min, max, count }) => [metric, avg, min, max, count])).toEqual([
      ['n', 2, 1, 3, 2],
      ['n', 5, 5, 5, 1],
      ['on', null, null, null, 1],
      [undefined, undefined, undefined, undefined, undefined],
    ]);
  });

  it('of buckets over decades has each day once, although clocks change and years have no samples', async () => {
    const days = [
      ...Array.from({ length: 1_500 }, (_, day) => day),
      ...Array.from({ length: 10 }, (_, day) => 8_000 + day),
    ];
    const hours = days.flatMap((day) => [day * 24 + 9 + ((day + 1) % 7), day * 24 + 16]);
    const ts = hours.map((hour) => Date.UTC(2002, 0, 1) + hour * HOUR_MS);
    const values = ts.map((_, i) => i);
    await post('/v1/telemetry', { series: [{ device, metric: 'n', ts, values }] });
    const { body } = await text(
      `/v1/telemetry/export?device=${device}&from=0&bucket=1d&timeZone=Europe/Berlin`,
    );
    const rows = body.trim().split('\r\n').slice(1);
    expect(rows.map((row) => [row.slice(0, 23), row.split(',').at(-1)])).toEqual(
      days.map((day) => [new Date(Date.UTC(2002, 0, 1 + day)).toISOString().slice(0, -1), '2']),
    );
  });

  it('of several pages has each sample once, in order', async () => {
    const total = 9_000;
    await write(
      ...Array.from({ length: total / 100 }, (_, i) => ({
        device,
        ts: START + i,
        values: Object.fromEntries(Array.from({ length: 100 }, (_, k) => [`m${k}`, i])),
      })),
    );
    const { body } = await text(`/v1/telemetry/export?device=${device}&${around}&format=ndjson`);
    const rows = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.at(-1)).toEqual({ end: true, rows: total });
    expect(new Set(rows.slice(0, -1).map(({ metric, time }) => `${metric} ${time}`)).size).toBe(total);
  });

  it('without samples is only a header or an end line', async () => {
    await store({ n: 1 });
    const range = 'from=-2h&to=-1h';
    expect((await text(`/v1/telemetry/export?device=${device}&${range}`)).body).toBe(
      'time,device,externalId,metric,value\r\n',
    );
    const { body } = await text(`/v1/telemetry/export?device=${device}&${range}&format=ndjson`);
    expect(body).toBe('{"end":true,"rows":0}\n');
  });
});

describe('deleting', () => {
  it('deletes a range of the named devices and metrics, and records an event', async () => {
    for (const i of [0, 1, 2]) await store({ a: i, b: i }, START + i);
    const id = await idOf(device);
    const { status, body } = await test.request(
      'DELETE',
      `/v1/telemetry?device=${device}&metric=a&from=${START + 1}&to=${START + 2}`,
    );
    expect([status, body]).toEqual([200, { deleted: 1 }]);
    const { body: rest } = await get(`/v1/telemetry?device=${device}&${around}`);
    expect(rest.series.map(({ value }: { value: number[] }) => value)).toEqual([
      [0, 2],
      [0, 1, 2],
    ]);
    const { body: events } = await get(`/v1/events?subject=${id}&type=telemetry.deleted`);
    expect(events.data).toMatchObject([
      { subject: { id }, data: { metrics: ['a'] }, actor: expect.anything() },
    ]);
  });

  it('reads numbers in from and to like the timestamps of samples', async () => {
    await store({ power: 1 }, START);
    const hour = (perMs: number) => `from=${(START + HOUR_MS) * perMs}&to=${(START + 2 * HOUR_MS) * perMs}`;
    const all = (perMs: number) => `from=${START * perMs}&to=${(START + HOUR_MS) * perMs}`;
    for (const perMs of [1e-3, 1, 1e3, 1e6]) {
      const reply = await test.request('DELETE', `/v1/telemetry?device=${device}&${hour(perMs)}`);
      expect([reply.status, reply.body]).toEqual([200, { deleted: 0 }]);
      const { body } = await get(`/v1/telemetry?device=${device}&${all(perMs)}`);
      expect([body.from, body.series[0].value]).toEqual([START, [1]]);
    }
    const { body } = await post('/v1/telemetry/query', {
      devices: [device],
      from: START / 1e3,
      to: START / 1e3 + 1,
    });
    expect([body.from, body.to, body.series[0].value]).toEqual([START, START + 1_000, [1]]);
  });

  it('records how many samples of each device were deleted', async () => {
    const other = `${device}-b`;
    for (const i of [0, 1, 2]) await store({ a: i }, START + i);
    await write({ device: other, ts: START, values: { a: 1 } });
    const reply = await test.request(
      'DELETE',
      `/v1/telemetry?device=${device}&device=${other}&from=-1d&to=now`,
    );
    expect([reply.status, reply.body]).toEqual([200, { deleted: 4 }]);
    for (const [name, samples] of [
      [device, 3],
      [other, 1],
    ] as const) {
      const { body: events } = await get(`/v1/events?subject=${await idOf(name)}&type=telemetry.deleted`);
      expect(events.data).toMatchObject([{ data: { samples } }]);
    }
  });

  it('records the deletions before one that fails', async () => {
    const others = ['b', 'c'].map((end) => `${device}-${end}`);
    const all = [device, ...others];
    await write(...all.map((each) => ({ device: each, ts: START, values: { a: 1 } })));
    const { telemetry } = test.service.parts;
    const remove = telemetry.remove.bind(telemetry);
    let calls = 0;
    const failing = vi.spyOn(telemetry, 'remove').mockImplementation(async (selection) => {
      calls += 1;
      if (calls === 3) throw new Error('The disk failed.');
      return remove(selection);
    });
    onTestFinished(() => failing.mockRestore());
    const named = all.map((each) => `device=${each}`).join('&');
    expect((await test.request('DELETE', `/v1/telemetry?${named}&from=-1d&to=now`)).status).toBe(500);
    const { body: events } = await get('/v1/events?type=telemetry.deleted&limit=3');
    const recorded = await Promise.all(all.map(idOf));
    const subjects = events.data.map(({ subject }: { subject: { id: string } }) => subject.id);
    expect(recorded.filter((id) => subjects.includes(id))).toHaveLength(2);
  });

  it('requires named devices', async () => {
    const reply = await test.request('DELETE', `/v1/telemetry?from=-1h&to=now`);
    expect(codesOf(reply)).toEqual([400, 'invalid-parameter']);
  });
});
