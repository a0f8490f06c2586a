import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  describeImplausible,
  describeInvalidTime,
  readSampleTime,
  toSampleTime,
} from '#service/telemetry/write/sample-time.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LAST_MS = Date.UTC(2100, 0, 1);
const anyMs = fc.integer({ min: EARLIEST_MS, max: LAST_MS });
const rule = (timeZone: string) => ({ timeZone, allowOld: false });

describe('the timestamp of a sample', () => {
  it('is the same in seconds, milliseconds, microseconds, nanoseconds and RFC 3339', () => {
    fc.assert(
      fc.property(anyMs, fc.nat(999), (ms, micros) => {
        const seconds = Math.floor(ms / 1_000);
        const fraction = `${String(ms % 1_000).padStart(3, '0')}${String(micros).padStart(3, '0')}`;
        const digits = `${seconds}${fraction}`;
        for (const text of [`${seconds}.${fraction}`, String(ms), digits, `${digits}000`]) {
          expect(readSampleTime(text)).toBe(ms);
          expect(readSampleTime(Number(text))).toBe(ms);
        }
        expect(readSampleTime(`${new Date(ms).toISOString().slice(0, -1)}${fraction.slice(3)}Z`)).toBe(ms);
      }),
    );
  });

  it('keeps its order in each unit', () => {
    for (const [min, max] of [
      [-1e11, 1e11],
      [1e11, 1e14],
      [1e14, 1e17],
      [1e17, 1e20],
    ] as const) {
      const number = fc.double({ min, max, minExcluded: true, maxExcluded: true, noNaN: true });
      fc.assert(
        fc.property(number, number, (a, b) => {
          const [first, second] = [readSampleTime(Math.min(a, b)), readSampleTime(Math.max(a, b))];
          expect(first).toBeLessThanOrEqual(second ?? Number.NaN);
        }),
      );
    }
  });

  it('is in whole milliseconds within the range of dates, or undefined', () => {
    const given = fc.oneof(fc.double(), fc.maxSafeInteger(), fc.string(), fc.anything());
    fc.assert(
      fc.property(given, (input) => {
        const ms = readSampleTime(input);
        if (ms !== undefined) expect(new Date(ms).getTime()).toBe(ms);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is read back unchanged, whatever its size', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200_000, max: LAST_MS }), (ms) => {
        expect(readSampleTime(toSampleTime(ms))).toBe(ms);
      }),
    );
  });

  it.each([
    [99_999_999_999, '5138-11-16T09:46:39.000Z'],
    [100_000_000_000, '1973-03-03T09:46:40.000Z'],
    [99_999_999_999_999, '5138-11-16T09:46:39.999Z'],
    [100_000_000_000_000, '1973-03-03T09:46:40.000Z'],
    [99_999_999_999_999_984, '5138-11-16T09:46:39.999Z'],
    [100_000_000_000_000_000, '1973-03-03T09:46:40.000Z'],
    [-1, '1969-12-31T23:59:59.000Z'],
    [1_763_717_400.123_9, '2025-11-21T09:30:00.123Z'],
    ['1763717400.123', '2025-11-21T09:30:00.123Z'],
    ['2025-11-21T09:30:00+02:00', '2025-11-21T07:30:00.000Z'],
    ['2025-11-21 09:30', '2025-11-21T09:30:00.000Z'],
    ['2025-3-1, 5:55:10 PM', '2025-03-01T17:55:10.000Z'],
    ['2025-11-21 12:05 am', '2025-11-21T00:05:00.000Z'],
    ['Fri, 21 Nov 2025 09:30:00 GMT', '2025-11-21T09:30:00.000Z'],
    ['1 Nov 2025 09:30 +0200', '2025-11-01T07:30:00.000Z'],
    ['21 Nov 2025 09:30:00', '2025-11-21T09:30:00.000Z'],
  ])('%s is %s', (input, iso) => {
    expect(new Date(readSampleTime(input) ?? Number.NaN).toISOString()).toBe(iso);
  });

  it.each([
    '',
    ' 1763717400',
    '1.7637174e9',
    '2025-11-21',
    '2026-02-30T00:00:00',
    '2025-11-21 13:05 PM',
    '30 Feb 2026 00:00:00 GMT',
    '21 Nop 2025 09:30:00 GMT',
    'Fri, 21 Nov 2025 09:30:00 EST',
    '11/21/2025 09:30',
    1e30,
    Infinity,
    null,
    true,
  ])('%s is not a timestamp', (input) => {
    expect(readSampleTime(input)).toBeUndefined();
  });

  it.each([
    ['2025-11-21T09:30:00', '2025-11-21T08:30:00.000Z'],
    ['2025-07-21 09:30:00.5', '2025-07-21T07:30:00.500Z'],
    // The clock goes from 02:00 to 03:00: the hour between does not occur.
    ['2025-03-30T01:59:59.999', '2025-03-30T00:59:59.999Z'],
    ['2025-03-30T02:30:00', '2025-03-30T01:30:00.000Z'],
    ['2025-03-30T03:00:00', '2025-03-30T01:00:00.000Z'],
    // The clock goes from 03:00 back to 02:00: the hour between occurs twice.
    ['2025-10-26T01:59:59', '2025-10-25T23:59:59.000Z'],
    ['2025-10-26T02:30:00', '2025-10-26T00:30:00.000Z'],
    ['2025-10-26T03:00:00', '2025-10-26T02:00:00.000Z'],
    ['2025-11-21T09:30:00Z', '2025-11-21T09:30:00.000Z'],
  ])('%s in Europe/Berlin is %s', (input, iso) => {
    expect(new Date(readSampleTime(input, rule('Europe/Berlin')) ?? Number.NaN).toISOString()).toBe(iso);
  });

  it('without an offset is local time, in any time zone at any time of the year', () => {
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Apia',
    );
    fc.assert(
      fc.property(anyMs, zone, (ms, timeZone) => {
        const parts = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
        const local = (at: number) => parts.format(at);
        const whole = Math.floor(ms / 1_000) * 1_000;
        const read = readSampleTime(local(whole), rule(timeZone)) ?? Number.NaN;
        expect(local(read)).toBe(local(whole));
        expect(read).toBeLessThanOrEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  it('before 2000 says how it was read', () => {
    expect(describeImplausible(21, 21_000, rule('UTC'))).toBe(
      "The timestamp is before 2000-01-01: 21 was read as seconds since 1970: 1970-01-01T00:00:21.000Z. Set the device's clock, or allow old timestamps (allowOld).",
    );
  });
});

describe('an invalid timestamp', () => {
  it('says how its number was read, and names the precision of line protocol', () => {
    expect(describeInvalidTime(1_795_449_745_000, { ...rule('UTC'), unit: 's', hasPrecision: true })).toBe(
      'Is out of range: 1795449745000 was read as seconds since 1970: after the year 9999. Set precision to the unit of the timestamps (ns, us, ms, s, m or h).',
    );
    expect(describeInvalidTime('300000000000000000000', rule('UTC'))).toContain(
      '"300000000000000000000" was read as nanoseconds since 1970: after the year 9999. Send a Unix timestamp',
    );
    expect(describeInvalidTime(-1e30, rule('UTC'))).toContain(
      '-1e+30 was read as nanoseconds since 1970: before the year -6060. Send a Unix timestamp',
    );
    expect(describeInvalidTime('soon', rule('UTC'))).toMatch(/^Must be a Unix timestamp .* RFC 3339/);
  });
});

describe('a write', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const write = (body: unknown, query = '') => service.request('POST', `/v1/telemetry${query}`, { body });
  const writeText = (contentType: string, body: string, query = '') =>
    service.request('POST', `/v1/telemetry${query}`, { body, headers: { 'content-type': contentType } });
  const timesOf = async (device: string): Promise<number[]> => {
    const { body } = await service.request(
      'GET',
      `/v1/telemetry?device=${device}&from=1960-01-01T00:00:00Z&to=now`,
    );
    return body.series[0]?.ts ?? [];
  };
  const MS = Date.UTC(2025, 10, 21, 9, 30);
  const UNITS = [MS / 1_000, MS, MS * 1e3, MS * 1e6];

  test('accepts seconds, milliseconds, microseconds and nanoseconds in JSON, NDJSON and CSV', async () => {
    const lists = {
      json: await write({
        samples: UNITS.map((ts, i) => ({ device: 'unit-json', ts, values: { [`m${i}`]: i } })),
      }),
      ndjson: await writeText(
        'application/x-ndjson',
        UNITS.map((ts, i) => JSON.stringify({ device: 'unit-ndjson', ts, values: { [`m${i}`]: i } })).join(
          '\n',
        ),
      ),
      csv: await writeText(
        'text/csv',
        `ts,device,metric,value\n${UNITS.map((ts, i) => `${ts},unit-csv,m${i},${i}`).join('\n')}`,
      ),
    };
    for (const [name, { status, body }] of Object.entries(lists)) {
      expect([status, body.accepted]).toEqual([200, 4]);
      const { body: found } = await service.request(
        'GET',
        `/v1/telemetry?device=unit-${name}&from=2025-11-21T00:00:00Z&to=2025-11-22T00:00:00Z`,
      );
      expect(found.series.map(({ ts }: { ts: number[] }) => ts)).toEqual([[MS], [MS], [MS], [MS]]);
    }
  });

  test('rejects a timestamp before 2000 with an explanation, unless allowOld is set', async () => {
    const body = { samples: [{ device: 'old', ts: 86_400, values: { temp: 1 } }] };
    const { status, body: problem } = await write(body);
    expect([status, problem.errors[0].code, problem.errors[0].pointer]).toEqual([
      422,
      'ts-implausible',
      '/samples/0/ts',
    ]);
    expect(problem.errors[0].detail).toContain(
      '86400 was read as seconds since 1970: 1970-01-02T00:00:00.000Z',
    );
    expect((await write(body, '?allowOld=true')).body).toMatchObject({ accepted: 1, rejected: 0 });
    expect(await timesOf('old')).toEqual([86_400_000]);
  });

  test('rejects a timestamp ahead of the service with the time that was read', async () => {
    const body = { samples: [{ device: 'ahead', ts: 17_954_497_000_000, values: { temp: 1 } }] };
    const { body: problem } = await write(body);
    expect(problem.errors[0]).toMatchObject({
      code: 'ts-too-far-ahead',
      detail: expect.stringMatching(
        /^The timestamp is more than 10 minutes ahead of the clock of the service: it was read as 2538-12-15T\S+, and the clock shows \S+Z\. Correct the unit or the time zone of the timestamp, or set the clock of the device\.$/,
      ),
    });
  });

  const createPipeline = async (name: string, config: object): Promise<string> =>
    (
      await service.request('POST', '/v1/pipelines', {
        body: { name, type: 'http', interval: 10, destination: 'telemetry', config },
      })
    ).body.id;
  const send = (id: string, body: unknown) =>
    service.request('POST', `/v1/pipelines/${id}/messages`, { body });

  test.each([
    ['flat', (ts: unknown) => ({ device: 'shape-flat', ts, temp: 1 })],
    ['penstock', (ts: unknown) => ({ samples: [{ device: 'shape-penstock', ts, values: { temp: 1 } }] })],
    ['thingsboard', (ts: unknown) => ({ 'shape-thingsboard': [{ ts, values: { temp: 1 } }] })],
    [
      'chirpstack',
      (time: unknown) => ({
        deviceInfo: { devEui: 'shape-chirpstack' },
        time,
        fPort: 1,
        object: { temp: 1 },
      }),
    ],
    [
      'things-stack',
      (received_at: unknown) => ({
        end_device_ids: { device_id: 'shape-things-stack' },
        received_at,
        uplink_message: { decoded_payload: { temp: 1 } },
      }),
    ],
  ])('of a pipeline reads the times of %s by the same rule', async (name, messageOf) => {
    const id = await createPipeline(`Times of ${name}`, { timeZone: 'Europe/Berlin' });
    for (const ts of [...UNITS.slice(0, 3), '2025-11-21T10:30:00', '2025-11-21T09:30:00Z']) {
      const { status, body } = await send(id, messageOf(ts));
      expect([status, body]).toEqual([202, expect.objectContaining({ received: 1, rejected: 0 })]);
    }
    expect(await timesOf(`shape-${name}`)).toEqual([MS]);
    expect((await send(id, messageOf(86_400))).body).toMatchObject({ received: 1, rejected: 1 });
    const { body: rejections } = await service.request('GET', `/v1/pipelines/${id}/rejections`);
    expect(rejections.data[0]).toMatchObject({
      reason: 'ts-implausible',
      detail: expect.stringContaining('86400 was read as seconds'),
    });
    // Old timestamps are allowed now, so the replay accepts it.
    await service.request('PATCH', `/v1/pipelines/${id}`, { body: { config: { allowOld: true } } });
    const replay = await service.request('POST', `/v1/pipelines/${id}/rejections/replay`, {
      body: { all: true },
    });
    expect(replay.body).toMatchObject({ replayed: 1, rejected: 0 });
    expect(await timesOf(`shape-${name}`)).toEqual([86_400_000, MS]);
  });

  test('with an unknown time zone in the config makes the pipeline a draft', async () => {
    const { body } = await service.request('POST', '/v1/pipelines', {
      body: {
        name: 'Nowhere',
        type: 'http',
        interval: 10,
        destination: 'telemetry',
        config: { timeZone: 'Europe/Nowhere' },
      },
    });
    expect(body.state).toBe('draft');
    expect(body.problems).toEqual([
      {
        pointer: '/config/timeZone',
        detail: 'Must be the IANA name of a time zone, for example Europe/Berlin.',
      },
    ]);
  });

  test('is previewed with its time zone', async () => {
    const preview = async (message: unknown, config: object) =>
      (
        await service.request('POST', '/v1/pipelines/preview', {
          body: { type: 'http', config, message: JSON.stringify(message) },
        })
      ).body;
    const local = { device: 'a', ts: '2025-11-21T10:30:00', temp: 1 };
    expect(await preview(local, { timeZone: 'Europe/Berlin' })).toMatchObject({
      samples: [{ ts: MS }],
      timeZone: 'Europe/Berlin',
    });
    expect(await preview(local, {})).toMatchObject({ samples: [{ ts: MS + 3_600_000 }], timeZone: 'UTC' });
    expect(await preview({ ...local, ts: MS }, { timeZone: 'Europe/Berlin' })).toMatchObject({
      timeZone: null,
    });
    expect(await preview({ ...local, ts: 21 }, {})).toMatchObject({
      rejections: [{ reason: 'ts-implausible' }],
    });
    expect(await preview({ ...local, ts: 21 }, { allowOld: true })).toMatchObject({
      samples: [{ ts: 21_000 }],
    });
  });
});
