import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countSamples } from '#service/pipelines/destinations/destination.ts';
import { readMessage } from '#service/pipelines/formats/read-message.ts';
import { previewReading } from '#service/pipelines/mapping/preview-reading.ts';
import { defaultTimeRule } from '#service/telemetry/write/sample-time.ts';
import { readToSamples } from './read-to-samples.ts';

const read = (message: unknown, device?: string) =>
  readToSamples(
    { bytes: Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)), device },
    { nowMs: 1_795_253_400_000 },
  );
const HALF_PAST_NINE = Date.parse('2026-11-21T09:30:00Z');

describe('the Penstock format', () => {
  test('accepts samples, one sample, or a list of samples', () => {
    const sample = { device: 'boiler-7', ts: '2026-11-21T09:30:00Z', values: { temp: 21.5, on: true } };
    const samples = [{ ...sample, ts: HALF_PAST_NINE }];
    for (const message of [{ samples: [sample] }, sample, [sample]])
      expect(read(message)).toMatchObject({ format: 'penstock', samples, rejections: [] });
  });

  test('can omit device and timestamp', () => {
    expect(read({ values: { temp: 21 } }, 'boiler-7').samples).toEqual([
      { device: 'boiler-7', values: { temp: 21 } },
    ]);
  });

  test('rejects invalid samples and accepts the others', () => {
    const message = {
      samples: [{ values: { t: 1 } }, 7, { device: 'a', temp: 3 }, { values: { t: 2, u: null } }],
    };
    const { format, samples, rejections } = read(message, 'b');
    expect(format).toBe('penstock');
    expect(samples).toEqual([
      { device: 'b', values: { t: 1 } },
      { device: 'b', values: { t: 2 } },
    ]);
    expect(rejections).toMatchObject([
      { reason: 'invalid-sample', pointer: '/samples/1', samples: 1 },
      { reason: 'invalid-sample', pointer: '/samples/2/values', samples: 1 },
      { reason: 'invalid-value', pointer: '/samples/3/values/u', metric: 'u', samples: 1 },
    ]);
  });
});

describe('a flat message', () => {
  test('reads metrics by name, and joins nested names by dots', () => {
    // What a Shelly 1PM reports of its state, shortened.
    const message = {
      relays: { ison: true, source: 'http' },
      temperature: 46.4,
      wifi_sta: { ssid: 'plant', rssi: -71 },
    };
    expect(read(message, 'shelly-1')).toMatchObject({
      format: 'flat',
      samples: [
        {
          device: 'shelly-1',
          values: {
            'relays.ison': true,
            'relays.source': 'http',
            temperature: 46.4,
            'wifi_sta.ssid': 'plant',
            'wifi_sta.rssi': -71,
          },
        },
      ],
      rejections: [],
    });
  });

  test('can name its device and timestamp, in ms, in seconds or as text', () => {
    for (const time of [
      { ts: 1_795_253_400_000 },
      { ts: 1_795_253_400 },
      { timestamp: '1795253400' },
      { timestamp: '2026-11-21T09:30:00Z' },
    ]) {
      const { samples } = read({ device: 'm-1', ...time, temp: 21 });
      expect(samples).toEqual([{ device: 'm-1', ts: 1_795_253_400_000, values: { temp: 21 } }]);
    }
  });

  test('keeps an implausible timestamp as a metric', () => {
    expect(read({ timestamp: 'soon', temp: 21 }, 'm').samples).toEqual([
      { device: 'm', values: { temp: 21, timestamp: 'soon' } },
    ]);
  });

  test('omits null, which Zigbee2MQTT sends for missing values', () => {
    expect(read({ battery: 100, update_available: null, temperature: 19.2 }, 'z').samples).toEqual([
      { device: 'z', values: { battery: 100, temperature: 19.2 } },
    ]);
  });

  test('rejects the second of two fields with the same name', () => {
    const { samples, rejections } = read({ 'a.b': 1, a: { b: 2 } }, 'm');
    expect(samples).toEqual([{ device: 'm', values: { 'a.b': 1 } }]);
    expect(rejections).toMatchObject([{ reason: 'duplicate-metric', samples: 1 }]);
  });

  test('can be a list of samples', () => {
    expect(read([{ temp: 1 }, { temp: 2 }], 'm').samples).toHaveLength(2);
  });

  test('can mix nested and flat fields', () => {
    expect(read({ values: { t: 1 }, rssi: -70 }, 'm').samples).toEqual([
      { device: 'm', values: { 'values.t': 1, rssi: -70 } },
    ]);
  });
});

describe('ThingsBoard', () => {
  test('is a timestamp with values, or a list of these', () => {
    // From https://thingsboard.io/docs/reference/mqtt-api/telemetry/
    const one = { ts: 1_451_649_600_512, values: { temperature: 22.5, humidity: 61 } };
    const two = { ts: 1_451_649_601_000, values: { temperature: 22.7, humidity: 60 } };
    expect(read(one, 'tb')).toMatchObject({ format: 'thingsboard', samples: [{ ...one, device: 'tb' }] });
    expect(read([one, two], 'tb')).toMatchObject({
      format: 'thingsboard',
      samples: [
        { ...one, device: 'tb' },
        { ...two, device: 'tb' },
      ],
    });
  });

  test('shortens joined names of more than 128 characters to different names', () => {
    const deep = (end: string) => ({ ['outer'.repeat(20)]: { ['inner'.repeat(20) + end]: 1 } });
    const readDeep = (end: string) => read([{ ts: 1_795_253_400, values: deep(end) }], 'm');
    const nameOf = (end: string) => Object.keys(readDeep(end).samples[0]!.values)[0];
    expect(nameOf('a')).toMatch(/^(outer){20}\.inner[a-z]*\.[0-9a-f]{16}$/);
    expect(nameOf('a')).toHaveLength(128);
    expect(nameOf('b')).not.toBe(nameOf('a'));
    expect(nameOf(' a')).toHaveLength(128);
    expect(nameOf(' a')).not.toBe(nameOf('a'));
  });

  test('can have nested fields', () => {
    expect(read({ ts: 1_451_649_600_512, values: { key5: { someNumber: 42 } } }, 'tb').samples).toEqual([
      { device: 'tb', ts: 1_451_649_600_512, values: { 'key5.someNumber': 42 } },
    ]);
  });

  test('of a gateway names several devices, and uses slugs of invalid external IDs', () => {
    // From https://thingsboard.io/docs/reference/gateway-api/telemetry/
    const message = {
      'Device A': [
        { ts: 1_483_228_800_000, values: { temperature: 42, humidity: 80 } },
        { ts: 1_483_228_801_000, values: { temperature: 43, humidity: 82 } },
      ],
      'device-b': [{ values: { temperature: 42 } }],
    };
    const { format, samples, deviceNames } = read(message);
    expect(format).toBe('thingsboard-gateway');
    expect(samples).toEqual([
      { device: 'device-a', ts: 1_483_228_800_000, values: { temperature: 42, humidity: 80 } },
      { device: 'device-a', ts: 1_483_228_801_000, values: { temperature: 43, humidity: 82 } },
      { device: 'device-b', values: { temperature: 42 } },
    ]);
    expect([...deviceNames]).toEqual([['device-a', 'Device A']]);
  });
});

describe('lines', () => {
  const at = HALF_PAST_NINE;

  test('of NDJSON are read like a list, in the Penstock format too', () => {
    const flat = `{"device":"a","ts":${at},"t":1}\r\n\r\n{"device":"b","ts":${at},"t":2}\n`;
    expect(read(flat)).toMatchObject({
      format: 'ndjson',
      samples: [
        { device: 'a', ts: at, values: { t: 1 } },
        { device: 'b', ts: at, values: { t: 2 } },
      ],
    });
    const groups = `{"device":"a","values":{"t":1}}\n{"device":"b","values":{"t":2}}`;
    expect(read(groups)).toMatchObject({ format: 'ndjson', samples: [{ device: 'a' }, { device: 'b' }] });
  });

  test('of CSV are read by the names in the first one', () => {
    const csv = `device_id;time;temp;door;note;serial\r\n007;2026-11-21T09:30:00Z;-2.5e1;true;"a;b";12345678901234567890\r\n008;${at};;false;NaN;1\r\n`;
    expect(read(csv)).toMatchObject({
      format: 'csv',
      samples: [
        { device: '007', ts: at, values: { temp: -25, door: true, note: 'a;b' } },
        { device: '008', ts: at, values: { door: false } },
      ],
      rejections: [],
    });
  });

  test('of CSV with the columns of the API have one value each', () => {
    expect(read(`ts,device,metric,value\n${at},a,temp,21.5\n${at},b,on,true`)).toMatchObject({
      format: 'csv',
      samples: [
        { device: 'a', ts: at, values: { temp: 21.5 } },
        { device: 'b', ts: at, values: { on: true } },
      ],
    });
  });

  test.each([
    ['{"t":1}\n{"t":2}\n{"t":', 'invalid-line', 'Line 3 cannot be read'],
    ['{"t":1}\n{"t":2}\n[3]', 'invalid-line', 'Line 3'],
    ['{"t":1}\n{"t":2}\n{"__proto__":3}', 'invalid-line', 'Line 3 cannot be read'],
    ['time,t\n1763717400,1\n1763717401', 'invalid-line', 'Row 3'],
    ['time,t,door\n1763717400,1', 'invalid-line', 'Row 2 has 2 columns, and the first row names 3'],
    ['note,t\n"a,1\nb,2', 'invalid-line', 'Row 2 has a quotation mark that is not closed'],
    ['{"t":1}\n{"t":', 'invalid-line', 'Line 2 cannot be read'],
    ['note,t\na,1\n"b,2', 'invalid-line', 'Row 3 has a quotation mark that is not closed'],
    [`note,t\n${'a,1\n'.repeat(70_000)}`, 'too-large', '262,144'],
    // Without names, with a name twice, without a number.
    ['2026-11-21T09:30:00Z,on\n2026-11-21T09:31:00Z,3', 'not-json', 'CSV'],
    [
      'time;t\n2026-11-21T09:30:00Z;1\n2026-11-21T09:31:00Z;21,5',
      'invalid-line',
      'Row 3 has a number with a decimal comma',
    ],
    ['t,t\n1,2', 'not-json', 'CSV'],
    ['Hello, world\nhow, goes', 'not-json', 'CSV'],
  ])('%j is rejected as %s', (message, reason, detail) => {
    const { samples, rejections } = read(message, 'a');
    expect(samples).toEqual([]);
    expect(rejections).toMatchObject([{ reason, detail: expect.stringContaining(detail), samples: 1 }]);
  });
});

test.each([
  ['opentsdb-text', 'put a.b 1795253400 1 host=x', 'put a.b yesterday 1 host=x'],
  ['graphite', 'a.b;host=x 1 1795253400', 'a.b;host=x one 1795253400'],
])('a line of %s that cannot be read is rejected with its number', (format, line, broken) => {
  expect(read(`\n${line}\r\n\n${broken}\n`)).toMatchObject({
    format,
    samples: [{ device: 'x', ts: 1_795_253_400_000, values: { 'a.b': 1 } }],
    rejections: [{ reason: 'invalid-line', detail: expect.stringMatching(/^Line 4 /) }],
  });
});

test.each([
  ['a quality', { id: 'Temp', v: null, q: false, t: HALF_PAST_NINE }],
  ['nothing else', { id: 'Temp', v: null }],
])('a record with null and %s has no value, and the other records have theirs', (_, record) => {
  const pressure = { id: 'Pressure', v: 2.5, t: HALF_PAST_NINE };
  expect(read({ values: [record, pressure] }, 'plc')).toMatchObject({
    format: 'records',
    samples: [{ device: 'plc', ts: HALF_PAST_NINE, values: { Pressure: 2.5 } }],
    rejections: [],
    noValues: 1,
  });
});

describe('what cannot be read', () => {
  test.each([
    ['', 'empty-message'],
    ['  \n', 'empty-message'],
    ['temp=21', 'not-json'],
    ['{"temp": 21', 'not-json'],
    ['{"__proto__": {"x": 1}}', 'forbidden-key'],
    ['{"temp": 21, "a": [{"constructor": 1}]}', 'forbidden-key'],
    ['{"\\u005f_proto__": 1}', 'forbidden-key'],
    ['['.repeat(33) + ']'.repeat(33), 'too-deep'],
    ['21.5', 'unknown-format'],
    ['"21.5"', 'unknown-format'],
    ['[]', 'unknown-format'],
    ['[1, 2]', 'unknown-format'],
    ['[{"ts": 1, "values": {"a": 1}}, {"temp": 2}]', 'unknown-format'],
    ['{}', 'no-values'],
    ['{"temp": null}', 'no-values'],
    ['{"samples": []}', 'no-values'],
    ['{"values": {}}', 'no-values'],
  ])('%j is one sample rejected as %s', (text, reason) => {
    expect(read(text, 'm')).toMatchObject({ samples: [], rejections: [{ reason, samples: 1 }] });
  });

  test('is bytes that are not text', () => {
    const { rejections } = readToSamples({ bytes: Uint8Array.of(0xff, 0xfe, 0x00), device: 'm' });
    expect(rejections).toMatchObject([{ reason: 'not-text' }]);
  });

  test('is samples without a device, each counted', () => {
    expect(read({ temp: 21, hum: 40 }).rejections).toMatchObject([{ reason: 'device-missing', samples: 2 }]);
  });
});

test('any message is read without an error, and is counted or has fields that are left out', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.jsonValue().map((value) => JSON.stringify(value)),
      ),
      (text) => {
        const { samples, rejections } = read(text, 'm');
        const rejected = rejections.reduce((sum, each) => sum + each.samples, 0);
        const { leftOut } = previewReading(
          (writer) =>
            readMessage({ bytes: Buffer.from(text), topic: null, device: 'm' }, { nowMs: 0 }, writer),
          defaultTimeRule,
          { nowMs: Infinity, retentionMs: undefined },
        );
        expect(countSamples(samples) + rejected + leftOut.length).toBeGreaterThan(0);
      },
    ),
    { examples: [['{"":[""]}']] },
  );
});
