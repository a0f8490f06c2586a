import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countSamples } from '#service/pipelines/destinations/destination.ts';
import { readToSamples } from './read-to-samples.ts';

const NOW = 1_795_253_400_000;
const read = (message: unknown, device?: string) =>
  readToSamples({ bytes: Buffer.from(JSON.stringify(message)), device }, { nowMs: NOW });

const OW = 'urn:dev:ow:10e2073a01080063';

describe('SenML, by the examples of RFC 8428, section 5.1', () => {
  test('a single data point (5.1.1), whose name is that of its device', () => {
    expect(read([{ n: OW, u: 'Cel', v: 23.1 }])).toEqual({
      format: 'senml',
      samples: [{ device: OW, values: { Cel: 23.1 } }],
      units: new Map([[`${OW}/Cel`, '°C']]),
      deviceNames: new Map(),
      rejections: [],
      noValues: 0,
      isSkipped: false,
    });
  });

  test('several data points (5.1.2)', () => {
    const pack = [
      { bn: `${OW}:`, n: 'voltage', u: 'V', v: 120.1 },
      { n: 'current', u: 'A', v: 1.2 },
    ];
    expect(read(pack).samples).toEqual([{ device: OW, values: { voltage: 120.1, current: 1.2 } }]);
  });

  test('several data points at times before the base time (5.1.2)', () => {
    const pack = [
      { bn: `${OW}:`, bt: 1.276020076001e9, bu: 'A', bver: 5, n: 'voltage', u: 'V', v: 120.1 },
      { n: 'current', t: -5, v: 1.2 },
      { n: 'current', t: -4, v: 1.3 },
      { n: 'current', v: 1.7 },
    ];
    expect(read(pack).samples).toEqual([
      { device: OW, ts: 1_276_020_076_001, values: { voltage: 120.1, current: 1.7 } },
      { device: OW, ts: 1_276_020_071_001, values: { current: 1.2 } },
      { device: OW, ts: 1_276_020_072_001, values: { current: 1.3 } },
    ]);
  });

  const measurements = [
    { bn: OW, bt: 1.320067464e9, bu: '%RH', v: 20 },
    { u: 'lon', v: 24.30621 },
    { u: 'lat', v: 60.07965 },
    { t: 60, v: 20.3 },
    { u: 'lon', t: 60, v: 24.30622 },
    { u: 'lat', t: 60, v: 60.07965 },
    { u: '%EL', t: 150, v: 98 },
  ];
  const measured = [
    { device: OW, ts: 1_320_067_464_000, values: { RH: 20, lon: 24.30621, lat: 60.07965 } },
    { device: OW, ts: 1_320_067_524_000, values: { RH: 20.3, lon: 24.30622, lat: 60.07965 } },
    { device: OW, ts: 1_320_067_614_000, values: { EL: 98 } },
  ];

  test('several measurements (5.1.3), which only their units tell apart', () => {
    expect(read(measurements)).toMatchObject({ format: 'senml', samples: measured, rejections: [] });
  });

  test('the same resolved (5.1.4)', () => {
    let unit = '%RH';
    const resolved = measurements.map(({ bn: _, bt: _bt, bu, u, t = 0, v }) => {
      unit = u ?? bu ?? '%RH';
      return { n: OW, u: unit, t: 1_320_067_464 + t, v };
    });
    expect(read(resolved).samples).toEqual(measured);
  });

  test('several types of data (5.1.5)', () => {
    const pack = [
      { bn: `${OW}:`, n: 'temp', u: 'Cel', v: 23.1 },
      { n: 'label', vs: 'Machine Room' },
      { n: 'open', vb: false },
      { n: 'nfc-reader', vd: 'aGkgCg' },
    ];
    expect(read(pack).samples).toEqual([
      { device: OW, values: { temp: 23.1, label: 'Machine Room', open: false, 'nfc-reader': 'aGkgCg' } },
    ]);
  });

  test('a collection of resources (5.1.6): a later base name, the first base time', () => {
    const pack = [
      { bn: '2001:db8::2/', bt: 1.320078429e9, n: 'temperature', u: 'Cel', v: 25.2 },
      { n: 'humidity', u: '%RH', v: 30 },
      { bn: '2001:db8::1/', n: 'temperature', u: 'Cel', v: 12.3 },
      { n: 'humidity', u: '%RH', v: 67 },
    ];
    expect(read(pack).samples).toEqual([
      { device: '2001:db8::2', ts: 1_320_078_429_000, values: { temperature: 25.2, humidity: 30 } },
      { device: '2001:db8::1', ts: 1_320_078_429_000, values: { temperature: 12.3, humidity: 67 } },
    ]);
  });

  test('a record with only base fields (5.1.7) is not a value', () => {
    const pack = [{ bn: `${OW}:` }, { n: 'temp', u: 'Cel', v: 23.1 }, { n: 'heat', u: '/', v: 1 }];
    expect(read(pack)).toMatchObject({
      samples: [{ device: OW, values: { temp: 23.1, heat: 1 } }],
      rejections: [],
    });
  });
});

describe('SenML', () => {
  test('uses the device of the topic without a base name', () => {
    expect(read([{ n: 'temp', v: 21 }], 'boiler-7').samples).toEqual([
      { device: 'boiler-7', values: { temp: 21 } },
    ]);
    expect(read([{ n: 'temp', v: 21 }]).rejections).toMatchObject([{ reason: 'device-missing', samples: 1 }]);
  });

  test('adds base values and base sums, and reads a sum as a separate metric', () => {
    const pack = [
      { bn: 'meter-1:', bv: 20, bs: 1_000, n: 'temp', v: 1.5 },
      { n: 'energy', s: 234 },
      { n: 'same' },
    ];
    expect(read(pack).samples).toEqual([
      { device: 'meter-1', values: { temp: 21.5, 'energy.sum': 1_234, same: 20, 'same.sum': 1_000 } },
    ]);
  });

  test('times below 2^28 s are relative to now', () => {
    const pack = [
      { bn: 'a:', n: 'x', t: -5, v: 1 },
      { n: 'x', v: 2 },
      { n: 'x', t: 2 ** 28, v: 3 },
    ];
    expect(read(pack).samples).toEqual([
      { device: 'a', ts: NOW - 5_000, values: { x: 1 } },
      { device: 'a', values: { x: 2 } },
      { device: 'a', ts: 268_435_456_000, values: { x: 3 } },
    ]);
  });

  test('uses the slug of an invalid external ID, and keeps the base name as display name', () => {
    const { samples, deviceNames } = read([{ bn: 'Boiler room/', n: 't', v: 1 }]);
    expect(samples).toEqual([{ device: 'boiler-room', values: { t: 1 } }]);
    expect([...deviceNames]).toEqual([['boiler-room', 'Boiler room']]);
  });

  test.each([
    ['no value', { n: 'x' }, 'no-values', 'Record 2: Has no value: v, vs, vb, vd or s.'],
    ['text for v', { n: 'x', v: '21' }, 'invalid-value', 'Record 2: v must be a number.'],
    ['two values', { n: 'x', v: 1, vb: true }, 'invalid-value', 'Record 2: Use only one of v, vs, vb, vd.'],
    [
      'a field that must be understood',
      { n: 'x', v: 1, foo_: 1 },
      'unknown-field',
      'Record 2: Unknown field foo_',
    ],
    [
      'a version of the future',
      { bver: 11, n: 'x', v: 1 },
      'unknown-version',
      'Record 2: Version 11 is not supported. Send version 10 or lower.',
    ],
    ['no record', 7, 'invalid-sample', 'Record 2: Must be an object.'],
    [
      'a value that stands there already',
      { n: 'ok', v: 2 },
      'duplicate-metric',
      'Record 2: ok has two values for the same time. Give each its own name or time.',
    ],
  ])('rejects a record with %s and accepts the rest', (_, record, reason, detail) => {
    const { samples, rejections } = read([{ bn: 'd:', n: 'ok', v: 1 }, record, { bver: 10, n: 'too', v: 3 }]);
    expect(samples).toEqual([{ device: 'd', values: { ok: 1, too: 3 } }]);
    expect(rejections).toEqual([{ reason, detail: expect.stringContaining(detail), samples: 1 }]);
  });

  test('rejects different values for one time, and keeps equal ones', () => {
    const [t, n] = [1_763_717_400, 'ok'];
    const equal = read([
      { bn: 'd:', n, t, v: 1 },
      { n, t, v: 1 },
    ]);
    expect(equal.rejections).toEqual([]);
    const sample = { device: 'd', ts: t * 1_000, values: { ok: 1 } };
    expect(equal.samples).toEqual([sample, sample]);
    const { samples, rejections } = read([
      { bn: 'd:', n, t, v: 1 },
      { n, t, v: 2 },
      { n: 'too', t, v: 3 },
    ]);
    expect(samples).toEqual([{ device: 'd', ts: t * 1_000, values: { too: 3 } }]);
    expect(rejections).toMatchObject([{ reason: 'ts-collision', samples: 2 }]);
  });

  test.each([
    ['a flat list', [{ temp: 1 }, { temp: 2 }], 'flat'],
    ['a flat list whose n is a number', [{ n: 5, v: 3 }], 'flat'],
    ['a flat list with a name and more', [{ n: 'pump', v: 3, power: 4 }], 'flat'],
    ['samples of our own', [{ device: 'a', values: { v: 1 } }], 'penstock'],
  ])('is not %s', (_, message, format) => {
    expect(read(message, 'd').format).toBe(format);
  });

  test('counts each record at least once, or reads it as a base', () => {
    const record = fc.record(
      {
        n: fc.string(),
        u: fc.string(),
        v: fc.double(),
        vb: fc.boolean(),
        vs: fc.string(),
        t: fc.double({ noNaN: true }),
        bt: fc.double({ noNaN: true }),
        bn: fc.string(),
        s: fc.double(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(record, { maxLength: 8 }), (records) => {
        const { format, samples, rejections } = read([{ bn: 'd:', n: 'first', v: 1 }, ...records], 'd');
        expect(format).toBe('senml');
        const rejected = rejections.reduce((sum, each) => sum + each.samples, 0);
        const others = records.filter((each) => Object.keys(each).some((label) => !label.startsWith('b')));
        expect(countSamples(samples) + rejected).toBeGreaterThan(others.length);
      }),
    );
  });
});
