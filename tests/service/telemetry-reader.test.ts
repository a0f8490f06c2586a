import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { externalIdSchema } from '#contract/devices.ts';
import { pointerOf } from '#contract/json-pointer.ts';
import { LIMITS } from '#contract/sample-rules.ts';
import { metricNameSchema, deviceSamplesSchema, type DeviceSamples } from '#contract/telemetry.ts';
import { isStorable } from '#contract/is-storable.ts';
import { lineProtocol } from '#service/pipelines/destinations/line-protocol-writer.ts';
import { seriesAt, valueAt } from '#service/telemetry/store/sample-columns.ts';
import { defaultTimeRule, readSampleTime } from '#service/telemetry/write/sample-time.ts';
import { readSamples } from '#service/telemetry/write/read-samples.ts';
import { readWrite } from '#service/telemetry/write/read-telemetry-body.ts';
import { UnreadableBody } from '#service/telemetry/write/unreadable-body.ts';
import type { SampleReading } from '#service/telemetry/write/sample-reading.ts';

const readJsonBody = (body: unknown) =>
  readWrite({ format: 'json', bytes: Buffer.from(JSON.stringify(body)), times: defaultTimeRule });
const readNdjsonBody = (body: string) =>
  readWrite({ format: 'ndjson', bytes: Buffer.from(body), times: defaultTimeRule });
const readCsvBody = (body: string) =>
  readWrite({ format: 'csv', bytes: Buffer.from(body), times: defaultTimeRule });

/** What was read, a line for each value. */
const valuesOf = (reading: SampleReading) =>
  Array.from(reading.groupOf, (index, i) => ({
    index,
    ...seriesAt(reading.series, reading.index[i]!),
    ts: reading.ts[i],
    value: valueAt(reading, i),
  }));
const rejectionsOf = ({ rejections }: SampleReading) =>
  rejections.map(({ pointer, code, samples }) => `${code} ${pointer} ${samples}`);

/** The contract's schema, with the rules that it says in words. */
const exactSchema = deviceSamplesSchema.extend({
  device: externalIdSchema,
  ts: deviceSamplesSchema.shape.ts.refine(
    (ts) => ts === undefined || (readSampleTime(ts) ?? -1) >= LIMITS.earliestMs,
  ),
  values: z
    .record(
      metricNameSchema,
      z.union([
        z.number(),
        z.boolean(),
        z.string().refine((text) => isStorable(text) && Buffer.byteLength(text) <= LIMITS.textBytes),
      ]),
    )
    .refine((values) => Object.keys(values).length <= LIMITS.metricsPerTimestamp),
});

const device = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('boiler-7', 'dev_01jz3k5v8cf6n9qw2r4t7y0abd', 'a:b.c_d') },
  fc.string(),
  fc.constant('x'.repeat(129)),
  fc.anything(),
);
const ts = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: fc.integer({ min: -1e15, max: 1e15 }) },
  { weight: 2, arbitrary: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
  fc.constantFrom('2026-02-30T00:00:00Z', 1.5, 2 ** 60, null, '', '-5', true),
  fc.string(),
);
/** Without `__proto__`, which zod leaves out of records silently and the service rejects: see the test of this key. */
const metric = fc
  .oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('temp', 'größe', 'a/b', 'a:b-c.d_e', '温度', 'constructor', 'toString'),
    },
    fc.constantFrom('', 'with space', 'a~b', 'x'.repeat(128), 'x'.repeat(129), 'a\n', '😀'),
    fc.string({ unit: 'grapheme' }),
  )
  .filter((name) => name !== '__proto__');
const value = fc.oneof(
  { weight: 5, arbitrary: fc.double() },
  { weight: 3, arbitrary: fc.boolean() },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme' }) },
  fc.constantFrom(
    'x'.repeat(1_024),
    'x'.repeat(1_025),
    'ü'.repeat(512),
    'ü'.repeat(513),
    '温'.repeat(342),
    '\ud800',
  ),
  fc.constantFrom(null, [], [1], {}, { value: 1 }, undefined),
);
const values = fc.oneof(
  { weight: 12, arbitrary: fc.dictionary(metric, value, { noNullPrototype: true }) },
  fc.constant(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`m${i}`, i]))),
  fc.constant(Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`m${i}`, i]))),
  fc.constantFrom(null, undefined, [], [1], 'text', 7),
);
const sample = fc.oneof(
  { weight: 12, arbitrary: fc.record({ device, ts, values }, { requiredKeys: [] }) },
  { weight: 2, arbitrary: fc.record({ device, ts, values, unit: fc.constant('°C') }) },
  fc.constantFrom(null, undefined, [], 7, 'text'),
);

describe('a sample', () => {
  it('is accepted whole if and only if the schema accepts it', () => {
    fc.assert(
      fc.property(sample, (given) => {
        const isAccepted = readSamples([given]).rejections.length === 0;
        expect(isAccepted).toBe(exactSchema.safeParse(given).success);
      }),
      { numRuns: 3_000 },
    );
  });

  it('has its invalid samples rejected where the schema finds them, and the others accepted', () => {
    fc.assert(
      fc.property(fc.dictionary(metric, value, { noNullPrototype: true }), (given) => {
        const reading = readSamples([{ device: 'boiler-7', values: given }]);
        const { error } = exactSchema.safeParse({ device: 'boiler-7', values: given });
        const wrong = new Set(error?.issues.map(({ path }) => pointerOf(['samples', 0, ...path])));
        expect(new Set(reading.rejections.map(({ pointer }) => pointer))).toEqual(wrong);
        expect(valuesOf(reading)).toEqual(
          Object.entries(given)
            .filter(([name]) => !wrong.has(pointerOf(['samples', 0, 'values', name])))
            .map(([name, each]) => ({
              index: 0,
              device: 'boiler-7',
              metric: name,
              kind: typeof each,
              ts: Number.NaN,
              value: each,
            })),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('without a time leaves it to the service; with one it is in epoch milliseconds', () => {
    const times = [undefined, 1_700_000_000, 1_700_000_000_000, '1700000000000', '2023-11-14T22:13:20Z'];
    const { ts: read } = readSamples(times.map((at) => ({ device: 'a', ts: at, values: { x: 1 } })));
    expect([...read]).toEqual([Number.NaN, ...Array.from({ length: 4 }, () => 1_700_000_000_000)]);
  });

  it.each([
    ['no object', 7, 'invalid-sample /samples/1 1'],
    ['no values', { device: 'a' }, 'invalid-sample /samples/1/values 1'],
    ['a bad device', { device: 'a b', values: { x: 1, y: 2 } }, 'invalid-device /samples/1/device 2'],
    ['a bad time', { device: 'a', ts: 'soon', values: { x: 1, y: 2 } }, 'invalid-ts /samples/1/ts 2'],
    ['a time before 2000', { device: 'a', ts: 1, values: { x: 1, y: 2 } }, 'ts-implausible /samples/1/ts 2'],
    ['an unknown field', { device: 'a', values: { x: 1 }, time: 1 }, 'unknown-field /samples/1/time 1'],
    ['a bad name', { device: 'a', values: { 'a/b~ c': 1 } }, 'invalid-metric /samples/1/values/a~1b~0 c 1'],
    ['a bad value', { device: 'a', values: { x: null } }, 'invalid-value /samples/1/values/x 1'],
    [
      'too many metrics',
      { device: 'a', values: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`m${i}`, 1])) },
      'too-many-metrics /samples/1/values 201',
    ],
    [
      'the key __proto__',
      JSON.parse('{"device":"a","values":{"__proto__":1}}'),
      'invalid-metric /samples/1/values/__proto__ 1',
    ],
  ])('with %s is rejected at its place, and the next one is accepted', (_, given, expected) => {
    const good = { device: 'a', values: { good: 1 } };
    const reading = readSamples([good, given, good]);
    expect(rejectionsOf(reading)).toEqual([expected]);
    expect(valuesOf(reading).map(({ index }) => index)).toEqual([0, 2]);
  });
});

describe('the detail of a rejection', () => {
  const detailOf = (given: object) => readSamples([given]).rejections[0]?.detail;

  it.each([
    ['a name', { device: 'Boiler 7', values: { x: 1 } }, 'Received "Boiler 7".'],
    ['a long name', { device: '7 '.repeat(500), values: { x: 1 } }, `Received "${'7 '.repeat(20)}…".`],
    ['a name with control characters', { device: 'a\0', values: { x: 1 } }, String.raw`Received "a\u0000".`],
    [
      'a value with characters that reorder the text',
      { device: 'a\u202eb', values: { x: 1 } },
      String.raw`Received "a\u202eb".`,
    ],
    ['null', { device: 'a', values: { x: null } }, 'Received null.'],
    ['a number that JSON lacks', { device: 'a', values: { x: Number.NaN } }, 'Received NaN.'],
    ['a list', { device: 'a', values: { x: [1] } }, 'Received a list.'],
    ['an object', { device: 'a', values: { x: { y: 1 } } }, 'Received an object.'],
    ['a time', { device: 'a', ts: 'soon', values: { x: 1 } }, 'Received "soon".'],
  ])('says what was received: %s', (_, given, expected) => {
    expect(detailOf(given)).toMatch(/^Must be .+\. /);
    expect(detailOf(given)?.endsWith(expected)).toBe(true);
  });

  it('names no received value if the device is missing', () => {
    expect(detailOf({ values: { x: 1 } })).not.toContain('Received');
  });
});

describe('a JSON body', () => {
  it.each([
    ['a list', [], ''],
    ['null', null, ''],
    ['no samples', {}, '/samples'],
    ['samples that are no list', { samples: {} }, '/samples'],
    ['an unknown field', { samples: [], device: 'a' }, '/device'],
  ])('that is %s is rejected with the pointer of the wrong field', (_, body, pointer) => {
    let thrown: unknown;
    try {
      readJsonBody(body);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UnreadableBody);
    expect(thrown).toMatchObject({ field: { pointer } });
  });
});

const goodSample: fc.Arbitrary<DeviceSamples> = fc.record({
  device: fc.constantFrom('boiler-7', 'pump:1'),
  ts: fc.integer({ min: LIMITS.earliestMs, max: 4e12 }),
  values: fc.dictionary(
    fc.constantFrom('temp', 'mode', 'on'),
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.string({ maxLength: 99 })),
    { noNullPrototype: true },
  ),
});

describe('series of a JSON body', () => {
  const series = fc.record({
    device,
    // As a key, it makes a whole body of rows malformed.
    metric: metric.filter((name) => name !== 'constructor'),
    samples: fc.array(fc.record({ ts: ts.filter((at) => at !== undefined), value }), { maxLength: 5 }),
  });

  it('have the same samples as a write by device and timestamp', () => {
    fc.assert(
      fc.property(fc.array(series, { maxLength: 5 }), (all) => {
        // A body with this key is rejected whole.
        fc.pre(!JSON.stringify(all).includes('"__proto__"'));
        const columns = readJsonBody({
          series: all.map(({ samples, ...named }) => ({
            ...named,
            ts: samples.map(({ ts: at }) => at),
            values: samples.map(({ value: each }) => each),
          })),
        });
        const rows = readJsonBody({
          samples: all.flatMap(({ samples, ...named }) =>
            samples.map(({ ts: at, value: each }) => ({
              device: named.device,
              // JSON has no NaN: in a list it becomes null, which is no timestamp.
              ts: JSON.parse(JSON.stringify([at]))[0],
              values: Object.fromEntries([[named.metric, JSON.parse(JSON.stringify([each]))[0]]]),
            })),
          ),
        });
        const withoutIndex = (reading: SampleReading) =>
          valuesOf(reading).map(({ index: _, ...each }) => each);
        const rejectedIn = ({ rejections }: SampleReading) =>
          rejections.reduce((sum, { samples }) => sum + samples, 0);
        expect(withoutIndex(columns)).toEqual(withoutIndex(rows));
        expect(rejectedIn(columns)).toBe(rejectedIn(rows));
      }),
    );
  });
});

describe('a body of line protocol', () => {
  const readLines = (text: string) =>
    readWrite({
      format: 'line-protocol',
      deviceTags: ['device'],
      bytes: Buffer.from(text),
      times: { timeZone: 'UTC', allowOld: true, unit: 'ms' },
    });
  const name = fc.stringMatching(/^[\p{L}\p{N}._\-/:]{1,20}$/u).filter((text) => text !== 'time');
  const sample = fc.record({
    device: fc.stringMatching(/^[A-Za-z0-9._:-]{1,20}$/),
    ts: fc.integer({ min: -1e12, max: 4e12 }),
    values: fc.dictionary(
      name,
      fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
      ),
      { maxKeys: 5 },
    ),
  });

  it('has the samples that Penstock itself writes to InfluxDB', () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 5 }), (samples) => {
        const reading = readLines(lineProtocol(samples, 'm n'));
        expect(rejectionsOf(reading)).toEqual([]);
        expect(
          valuesOf(reading).map(({ device: id, metric: at, ts: ms, value: each }) => [id, at, ms, each]),
        ).toEqual(
          samples.flatMap(({ device: id, ts: ms, values }) =>
            Object.entries(values).map(([field, each]) => [id, `m_n.${field}`, ms, each]),
          ),
        );
      }),
    );
  });

  it('never throws, and counts what it rejects', () => {
    const text = fc.string({
      unit: fc.constantFrom(
        ...Array.from('m,a=1 "\\\n\rt-.ei#'),
        'device=',
        'f=1',
        ' 1700000000000',
        '\n',
        'ü',
      ),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, (lines) => {
        const { index, rejections } = readLines(lines);
        const rejected = rejections.reduce((sum, { samples }) => sum + samples, 0);
        const hasLine = lines.split('\n').some((line) => !/^\s*(#|$)/.test(line));
        expect(index.length + rejected > 0).toBe(hasLine);
      }),
      { numRuns: 1_000 },
    );
  });

  it('rejects a second series of the same metric, also after many other series', () => {
    const others = Array.from({ length: 20_000 }, (_, n) => `other,device=a o${n}=1`);
    const { rejections } = readLines(
      ['m,device=a,k\\ 1=x v=1', ...others, 'm,device=a,k_1=x v=2', 'm,device=a,k\\ 1=x v=3'].join('\n'),
    );
    expect(rejections).toMatchObject([{ index: 20_001, code: 'duplicate-metric', samples: 1 }]);
  });

  it('rejects a line of thousands of fields', () => {
    const fields = Array.from({ length: 5_001 }, (_, n) => `f${n}=1`).join(',');
    const { index, rejections } = readLines(`m,device=a ${fields}\nm,device=a f=1`);
    expect(index.length).toBe(1);
    expect(rejections).toMatchObject([{ code: 'invalid-line', samples: 5_001 }]);
  });
});

describe('an NDJSON body', () => {
  it('is read like a JSON body of its lines', () => {
    fc.assert(
      fc.property(fc.array(goodSample), fc.constantFrom('\n', '\r\n'), (samples, newline) => {
        const body = samples.map((each) => JSON.stringify(each)).join(newline);
        // By way of JSON, which has no negative zero.
        expect(readNdjsonBody(body)).toEqual(readJsonBody({ samples }));
      }),
    );
  });

  it.each([
    ['{"device":"a","values":{"__proto__":1}}', /key __proto__/],
    ['{"device":"a","values":{"x":1},"constructor":{}}', /key constructor/],
    ['['.repeat(33) + ']'.repeat(33), /32 levels/],
  ])('rejects the line %s for its keys or its depth', (line, detail) => {
    const { rejections } = readNdjsonBody(line);
    expect(rejections).toMatchObject([{ code: 'invalid-sample', samples: 1 }]);
    expect(rejections[0]?.detail).toMatch(detail);
  });

  it('rejects a line that is not JSON, and accepts the others', () => {
    const reading = readNdjsonBody(
      '{"device":"a","values":{"x":1}}\n{"device":"a","val\n{"device":"a","values":{"x":2}}',
    );
    expect(rejectionsOf(reading)).toEqual(['invalid-sample /samples/1 1']);
    expect(valuesOf(reading).map(({ index, value: each }) => [index, each])).toEqual([
      [0, 1],
      [2, 2],
    ]);
  });
});

describe('a CSV body', () => {
  const cell = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.string().filter((text) => text.trim() !== 'true' && Number.isNaN(Number(text))),
  );

  it('reads what was written as RFC 4180', () => {
    const row = fc.record({
      ts: fc.integer({ min: LIMITS.earliestMs, max: 4e12 }),
      metric: fc.constantFrom('a', 'b'),
      value: cell,
    });
    fc.assert(
      fc.property(fc.array(row), fc.constantFrom('\r\n', '\n'), fc.boolean(), (rows, newline, quotes) => {
        const cells = rows.map((each) => [each.ts, 'boiler-7', each.metric, each.value]);
        const body = Papa.unparse([['ts', 'device', 'metric', 'value'], ...cells], { newline, quotes });
        const reading = readCsvBody(body);
        expect(rejectionsOf(reading)).toEqual([]);
        expect(valuesOf(reading).map(({ ts: at, metric: name, value: each }) => [at, name, each])).toEqual(
          rows.map((each) => [each.ts, each.metric, each.value === 0 ? expect.closeTo(0) : each.value]),
        );
      }),
    );
  });

  it('takes a JSON number as a number, true and false as booleans, the rest as text', () => {
    const cells = ['1', '-0.5e3', '01', '+1', '.5', '1.', 'true', 'TRUE', ' 1'];
    const body = `ts,device,metric,value\n${cells.map((text, i) => `${1_700_000_000 + i},a,m,${text}`).join('\n')}`;
    expect(valuesOf(readCsvBody(body)).map(({ value: each }) => each)).toEqual([
      1,
      -500,
      '01',
      '+1',
      '.5',
      '1.',
      true,
      'TRUE',
      ' 1',
    ]);
  });

  it('takes quotes, line breaks and commas inside a cell, and a byte order mark before all', () => {
    const reading = readCsvBody('\ufeffts,device,metric,value\r\n,a,m,"say ""hi"",\r\nthere"\r\n');
    expect(valuesOf(reading)).toMatchObject([{ ts: Number.NaN, value: 'say "hi",\r\nthere' }]);
  });

  it('reads a cell of a million spaces in linear time', () => {
    const spaces = ' '.repeat(1_000_000);
    const reading = readCsvBody(
      `ts,device,metric,value\n1700000000,a,m,${spaces}x\n1700000000,a,n,${spaces}`,
    );
    expect(reading.rejections.map(({ pointer, detail }) => [pointer, detail])).toEqual([
      ['/samples/1/values/m', expect.stringContaining('1024 bytes')],
      ['/samples/2/values/n', expect.stringContaining('Empty cells')],
    ]);
  });

  it('rejects rows one by one', () => {
    const rows = [
      '1700000000,a,m,1',
      'soon,a,m,1',
      '1700000000,a b,m,1',
      '1700000000,a,m m,1',
      '1,a,m',
      '1,a,m,1,1',
      '1700000000,a,m,1e999',
      '1700000002,a,m,2',
    ];
    const reading = readCsvBody(`ts,device,metric,value\n${rows.join('\n')}`);
    expect(rejectionsOf(reading)).toEqual([
      'invalid-ts /samples/2/ts 1',
      'invalid-device /samples/3/device 1',
      'invalid-metric /samples/4/values/m m 1',
      'invalid-sample /samples/5 1',
      'invalid-sample /samples/6 1',
      'invalid-value /samples/7/values/m 1',
    ]);
    expect(valuesOf(reading).map(({ index }) => index)).toEqual([1, 8]);
  });

  it.each([
    ['has no header', '1,a,m,1'],
    ['has its columns in another order', 'device,ts,metric,value\na,1,m,1'],
    ['is empty', ''],
    ['has a quote that never ends', 'ts,device,metric,value\n1,a,m,"text'],
  ])('that %s is rejected', (_, body) => {
    expect(() => readCsvBody(body)).toThrow(UnreadableBody);
  });
});
