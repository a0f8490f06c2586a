import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readToSamples } from './read-to-samples.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const NOW = Date.parse('2026-11-21T09:31:00Z');
const HALF_PAST_NINE = Date.parse('2026-11-21T09:30:00Z');
const read = (message: unknown, device?: string) =>
  readToSamples({ bytes: Buffer.from(JSON.stringify(message)), device }, { nowMs: NOW });

describe('the device of a flat message', () => {
  test.each(['deviceId', 'device_id', 'devEUI', 'devEui', 'dev_eui', 'dev_id', 'entity_id', 'sensor_id'])(
    'is the field %s if nothing else names it',
    (name) => {
      expect(read({ [name]: 'meter-7', power: 12 }).samples).toEqual([
        { device: 'meter-7', values: { power: 12 } },
      ]);
    },
  );

  test('can be a number', () => {
    expect(read({ node_id: 42, power: 12 }).samples).toEqual([{ device: '42', values: { power: 12 } }]);
  });

  test('stays that of the topic or of “device”, and the field a metric', () => {
    expect(read({ deviceId: 'a', power: 12 }, 'b').samples).toEqual([
      { device: 'b', values: { deviceId: 'a', power: 12 } },
    ]);
    expect(read({ device: 'b', deviceId: 'a', power: 12 }).samples).toEqual([
      { device: 'b', values: { deviceId: 'a', power: 12 } },
    ]);
  });

  test('is the slug of a name that is no external ID, which becomes the display name', () => {
    // https://learn.microsoft.com/azure/iot-hub/iot-hub-raspberry-pi-web-simulator-get-started
    const { samples, deviceNames } = read({
      messageId: 1,
      deviceId: 'Raspberry Pi Web Client',
      temperature: 27.4,
      humidity: 73.9,
    });
    expect(samples).toEqual([
      { device: 'raspberry-pi-web-client', values: { messageId: 1, temperature: 27.4, humidity: 73.9 } },
    ]);
    expect([...deviceNames]).toEqual([['raspberry-pi-web-client', 'Raspberry Pi Web Client']]);
  });

  test('is the slug of a level of the topic that is no external ID, which becomes the display name', () => {
    const { samples, deviceNames, rejections } = read({ power: 12 }, 'Wärmepumpe Süd');
    expect(rejections).toEqual([]);
    expect(samples).toEqual([{ device: 'warmepumpe-sud', values: { power: 12 } }]);
    expect([...deviceNames]).toEqual([['warmepumpe-sud', 'Wärmepumpe Süd']]);
    expect(read({ power: 12 }, '灯').samples[0]?.device).toMatch(/^device-[0-9a-f]{8}$/);
    expect(read({ power: 12 }, '').rejections).toMatchObject([{ reason: 'invalid-device' }]);
    const value = readToSamples(
      { bytes: Buffer.from('{"value":21,"unit":"°C"}'), device: 'Bad 1', topic: 'home/Bad 1/temp' },
      { nowMs: NOW, topicFilter: 'home/+/temp' },
    );
    expect([...value.units]).toEqual([['bad-1/temp', '°C']]);
  });

  test.each<[format: string, content: unknown, unit: [metric: string, unit: string]]>([
    ['SenML', [{ n: 'temp', u: 'Cel', v: 21 }], ['bad-1/temp', '°C']],
    ['records', { values: [{ id: 'Line 1 (in)', v: 3, unit: 'bar' }] }, ['bad-1/Line_1_in', 'bar']],
    [
      'telegraf',
      { name: 'cpu', tags: {}, fields: { usage_idle: 9 }, timestamp: NOW },
      ['bad-1/cpu.usage_idle', '%'],
    ],
  ])('is the one that has the units of %s', (_, content, unit) => {
    const { samples, units } = read(content, 'Bad 1');
    expect([...units]).toEqual([unit]);
    expect(samples.flatMap(({ device, values }) => Object.keys(values).map((m) => `${device}/${m}`))).toEqual(
      [unit[0]],
    );
  });

  test('is a different one for each name that slugs cannot spell', () => {
    const deviceOf = (deviceId: string) => read({ deviceId, on: true }).samples[0]?.device;
    expect(deviceOf('灯 1')).toMatch(/^1-[0-9a-f]{8}$/);
    expect(deviceOf('泵 1')).not.toBe(deviceOf('灯 1'));
    expect(deviceOf('灯')).toMatch(/^device-[0-9a-f]{8}$/);
    expect(deviceOf('Küche/Lampe')).toBe('kuche:lampe');
  });

  test('is the one that several fields agree on', () => {
    expect(read({ deviceId: 'a', dev_eui: 'a', power: 12 }).samples).toEqual([
      { device: 'a', values: { power: 12 } },
    ]);
  });
});

describe('a list whose items belong to different things', () => {
  test.each([
    [
      'id',
      [
        { id: 'a', temp: 20 },
        { id: 'b', temp: 21 },
      ],
    ],
    [
      'sensor',
      [
        { sensor: 'inside', temp: 20 },
        { sensor: 'inside', hum: 40 },
        { sensor: 'outside', temp: 3 },
      ],
    ],
    [
      'slave',
      [
        { slave: 1, u: 230.1, i: 2 },
        { slave: 2, u: 229.8, i: 1 },
      ],
    ],
    [
      'deviceId',
      [
        { deviceId: 'a', ts: HALF_PAST_NINE, temp: 20 },
        { deviceId: 'b', ts: NOW, temp: 21 },
      ],
    ],
  ])('is not stored as one series of the device of the topic: %s', (name, items) => {
    const { samples, rejections } = read(items, 'gateway');
    expect(samples).toEqual([]);
    expect(rejections).toMatchObject([{ reason: 'device-ambiguous', fields: [name] }]);
    expect(rejections[0]?.detail).toMatch(
      new RegExp(`^The items of the list have different values of ${name}, but the same metrics\\.`),
    );
  });

  test.each([
    [
      'times of their own',
      [
        { id: 1, ts: HALF_PAST_NINE, temp: 20 },
        { id: 2, ts: NOW, temp: 21 },
      ],
    ],
    [
      'one identity',
      [
        { id: 'a', temp: 20 },
        { id: 'a', temp: 21 },
      ],
    ],
    [
      'other metrics',
      [
        { id: 1, temp: 20 },
        { id: 2, hum: 40 },
      ],
    ],
    [
      'devices of their own',
      [
        { device: 'x', id: 1, temp: 20 },
        { device: 'y', id: 2, temp: 21 },
      ],
    ],
    ['no identity', [{ temp: 20 }, { temp: 21 }]],
  ])('is stored if the items have %s', (_, items) => {
    const { samples, rejections } = read(items, 'gateway');
    expect(samples).toHaveLength(2);
    expect(rejections).toEqual([]);
  });
});

describe('the time of a flat message', () => {
  test.each([
    ['time', '2026-11-21T09:30:00Z'],
    ['Time', '2026-11-21T09:30:00'],
    ['datetime', '2026-11-21 09:30:00'],
    ['date_time', '1795253400'],
    ['reported_at', 1_795_253_400],
    ['measuredAt', 1_795_253_400_000],
    ['last_seen', 1_795_253_400_000],
    ['created_at', '2026-11-21T09:30:00Z'],
  ])('is the field %s: %j', (name, time) => {
    expect(read({ [name]: time, power: 12 }, 'm').samples).toEqual([
      { device: 'm', ts: HALF_PAST_NINE, values: { power: 12 } },
    ]);
  });

  test('is a date and a time of day in two fields', () => {
    const [date, time] = ['2026-11-21', '09:30:00'];
    expect(read({ date, time, power: 12 }, 'm').samples).toEqual([
      { device: 'm', ts: HALF_PAST_NINE, values: { power: 12 } },
    ]);
    // In 2027: not plausible, so both stay metrics.
    expect(read({ date: '2027-11-21', time, power: 12 }, 'm').samples).toEqual([
      { device: 'm', values: { date: '2027-11-21', time, power: 12 } },
    ]);
  });

  test.each([
    ['time', '21.11.2026 10:30:00'],
    ['timestamp', '21.11.2026 10:30'],
    ['Timestamp', '11/21/2026 10:30:00 AM'],
    ['datetime', 'Sat, 21 Nov 2026 09:30:00 EST'],
    ['time', '20261121T093000Z'],
  ])('in another notation is asked for, and the time of receipt is not used: %s %s', (name, value) => {
    const { samples, rejections } = read({ [name]: value, power: 12 }, 'm');
    expect(samples).toEqual([]);
    expect(rejections).toMatchObject([
      { reason: 'invalid-ts', metrics: expect.arrayContaining([name, 'power']) },
    ]);
    expect(rejections[0]?.detail).toContain(`${name}: “${value}” is not a time that Penstock reads.`);
    expect(read({ [name]: value, ts: NOW, power: 12 }, 'm').samples).toMatchObject([{ ts: NOW }]);
  });

  test.each([
    ['time', 'soon'],
    ['time', '09:30:00'],
    ['time', 43_200],
    // Milliseconds since the start of a device, eleven days ago. As seconds they would be in 2001.
    ['time', 1_000_000_000],
    ['Time', '1970-01-01T00:00:12'],
    ['datetime', '2026-11-21T10:30:00Z'],
  ])('is not the field %s if its value %j is no plausible time: it stays a metric', (name, value) => {
    expect(read({ [name]: value, power: 12 }, 'm')).toMatchObject({
      samples: [{ device: 'm', values: { [name]: value, power: 12 } }],
      rejections: [],
    });
  });

  test('is “ts” or “timestamp” before all others', () => {
    for (const name of ['ts', 'timestamp'])
      expect(read({ [name]: 1_795_253_400, time: '2026-11-21T09:00:00Z', power: 12 }, 'm').samples).toEqual([
        { device: 'm', ts: HALF_PAST_NINE, values: { power: 12 } },
      ]);
  });

  test('is the finer one of two that agree to the second', () => {
    expect(
      read({ time: 1_795_253_400, reported_at: '2026-11-21T09:30:00.250Z', power: 12 }, 'm').samples,
    ).toEqual([{ device: 'm', ts: HALF_PAST_NINE + 250, values: { power: 12 } }]);
  });

  test.each([
    { created_at: '2026-11-21T09:00:00Z', last_seen: '2026-11-21T09:30:00Z' },
    // The day on which the device was installed: all samples would have the same time.
    { created_at: '2024-03-01T12:00:00Z' },
    { last_seen: 1_764_580_000 },
  ])('is not guessed from records that differ or are old, which are no metrics either: %o', (record) => {
    expect(read({ ...record, power: 12 }, 'm').samples).toEqual([{ device: 'm', values: { power: 12 } }]);
  });

  test('is that of a nested object for its values, and that of a header for all', () => {
    const at = '2026-11-21T09:30:00Z';
    expect(read({ gps: { time: at, speed: 3 }, power: 12 }, 'm').samples).toEqual([
      { device: 'm', values: { power: 12 } },
      { device: 'm', ts: HALF_PAST_NINE, values: { 'gps.speed': 3 } },
    ]);
    expect(read({ head: { time: at }, body: { power: 12 } }, 'm').samples).toEqual([
      { device: 'm', ts: HALF_PAST_NINE, values: { 'body.power': 12 } },
    ]);
  });

  test.each([
    '2026/11/21 09:30:00',
    '2026-11-21T09:30',
    '2026-11-21T10:30:00+0100',
    '2026-11-21 09:30:00 UTC',
  ])('can be written as devices do: %s', (time) => {
    expect(read({ time, power: 12 }, 'm').samples).toEqual([
      { device: 'm', ts: HALF_PAST_NINE, values: { power: 12 } },
    ]);
  });

  test('applies to each object of a list', () => {
    const messages = [
      { sensor_id: 'a', time: 1_795_253_400, power: 1 },
      { sensor_id: 'b', power: 2 },
    ];
    expect(read(messages).samples).toEqual([
      { device: 'a', ts: HALF_PAST_NINE, values: { power: 1 } },
      { device: 'b', values: { power: 2 } },
    ]);
  });
});

describe('fields that contradict each other', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());
  const preview = async (body: object) =>
    (await service.request('POST', '/v1/pipelines/preview', { body: { type: 'http', ...body } })).body;
  const recent = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();

  test('are named by Preview, with an expression that chooses the device', async () => {
    const message = JSON.stringify({ deviceId: 'a', dev_eui: '0004a30b001c0530', power: 12, extra: null });
    const { format, samples, unnamed, rejections } = await preview({ message });
    expect([format, samples, unnamed]).toEqual(['flat', [], []]);
    expect(rejections).toEqual([
      {
        reason: 'device-ambiguous',
        detail: expect.stringMatching(
          /^The fields deviceId and dev_eui name different devices\. Send “device”, or choose/,
        ),
        expression: expect.any(String),
        fields: ['deviceId', 'dev_eui'],
      },
    ]);
    const mapping = { format: 'expression', expression: rejections[0].expression };
    expect((await preview({ message, mapping })).samples).toMatchObject([
      { device: 'a', values: { power: 12 } },
    ]);
    const list = `[${message}, {"deviceId": "b", "dev_eui": "c", "power": 3}]`;
    expect((await preview({ message: list, mapping })).samples).toMatchObject([
      { device: 'a', values: { power: 12 } },
      { device: 'b', values: { power: 3 } },
    ]);
  });

  test.each([
    '{ "deviceId": "a", "power": 12, "nested": { "x": 1 } }',
    '[{ "device": "b", "power": 1 }, { "device": "c", "power": { "now": 2 } }]',
    '[{ "bn": "urn:dev:mac:1:", "n": "t", "u": "Cel", "v": 21 }]',
    'up{job="a"} 1\n',
    'not json',
  ])('get expressions that leave other messages to the detection: %s', async (other) => {
    const times = { time: recent(5), measured_at: recent(15) };
    for (const ambiguous of [
      { deviceId: 'a', dev_eui: 'b', power: 1 },
      { device: 'm', power: 1, ...times },
    ]) {
      const { rejections } = await preview({ message: JSON.stringify(ambiguous) });
      const [{ expression }] = rejections;
      expect(expression).toMatch(/ : \$$/);
      const mapping = { format: 'expression', expression };
      expect(await preview({ message: other, mapping })).toEqual(await preview({ message: other }));
    }
  });

  test.each([
    ['7.11.2026 9:05:00', '2026-11-07T08:05:00Z'],
    ['17/11/2026 09:05', '2026-11-17T08:05:00Z'],
    ['10/27/2026, 9:05:00 PM', '2026-10-27T20:05:00Z'],
  ])('of a date whose year is last get an expression that reads it: %s', async (sent, iso) => {
    const message = JSON.stringify({ time: sent, temp: { in: 21 } });
    const { rejections } = await preview({ message, device: 'm' });
    const mapping = { format: 'expression', expression: rejections[0].expression };
    const config = { timeZone: 'Europe/Berlin' };
    expect((await preview({ message, device: 'm', mapping, config })).samples).toEqual([
      { device: 'm', ts: Date.parse(iso), values: { 'temp.in': 21 } },
    ]);
    const later = (time: string) =>
      preview({ message: JSON.stringify({ time, power: 12 }), device: 'm', mapping, config });
    expect((await later('2026-11-07T08:06:00Z')).samples).toMatchObject([
      { ts: Date.parse('2026-11-07T08:06:00Z') },
    ]);
    for (const unread of ['7 November 2026 9:07', '31.02.2026 10:00:00', '29/02/2026 10:00'])
      expect(await later(unread)).toMatchObject({ samples: [], rejections: [{ reason: 'invalid-ts' }] });
  });

  test('of a date with the day or the month first get no expression, but the way to choose', async () => {
    const message = JSON.stringify({ time: '03/04/2026 17:55', power: 12 });
    const { rejections } = await preview({ message, device: 'm' });
    expect(rejections).toMatchObject([
      { expression: null, detail: expect.stringMatching(/day or the month first: .* the role “Time”/) },
    ]);
  });

  test('are named by Preview, with an expression that chooses the time', async () => {
    const [time, measured_at] = [recent(5), recent(15)];
    const message = JSON.stringify({ time, measured_at, power: 12 });
    const { samples, rejections } = await preview({ message, device: 'm' });
    expect(samples).toEqual([]);
    expect(rejections).toEqual([
      {
        reason: 'ts-ambiguous',
        detail: expect.stringMatching(
          /^The fields time and measured_at contain different timestamps\. Send “ts”, or choose/,
        ),
        expression: expect.any(String),
        fields: ['time', 'measured_at'],
      },
    ]);
    const mapping = { format: 'expression', expression: rejections[0].expression };
    expect((await preview({ message, device: 'm', mapping })).samples).toMatchObject([
      { device: 'm', ts: Date.parse(time), values: { power: 12 } },
    ]);
  });

  test('reject each sample of the message, which the ledger counts', async () => {
    const { body: pipeline } = await service.request('POST', '/v1/pipelines', {
      body: { name: 'Ambiguous', type: 'http', interval: 10, destination: 'telemetry' },
    });
    const message = { time: recent(5), measured_at: recent(15), power: 12 };
    const { body } = await service.request('POST', `/v1/pipelines/${pipeline.id}/messages?device=m`, {
      body: message,
    });
    expect(body).toMatchObject({ received: 3, rejected: 3, skipped: 0 });
    const { body: rejections } = await service.request('GET', `/v1/pipelines/${pipeline.id}/rejections`);
    expect(rejections.data).toMatchObject([{ reason: 'ts-ambiguous', samples: 3, device: 'm' }]);
  });

  test('are read in the time zone of the pipeline, which Preview shows', async () => {
    const time = new Date(Date.now() - 3_600_000).toISOString().slice(0, 19);
    expect(
      await preview({
        message: JSON.stringify({ Time: time, power: 12 }),
        device: 'm',
        config: { timeZone: 'Etc/GMT+1' },
      }),
    ).toMatchObject({
      timeZone: 'Etc/GMT+1',
      samples: [{ ts: Date.parse(`${time}Z`) + 3_600_000, values: { power: 12 } }],
    });
  });
});

test.each([
  ['{"t":21,"h":40,"t":22}', 't', { t: 22, h: 40 }],
  ['{"a":{"x y":1,"x\\u0020y":2},"b":"{\\"t\\":1,\\"t\\":2}"}', 'x y', { 'a.x_y': 2, 'b.t': 2 }],
  ['[{"t":21,"t":22}]', 't', { t: 22 }],
])('a name that an object has twice is a rejection: %s', (text, name, values) => {
  const { samples, rejections } = readToSamples({ bytes: Buffer.from(text), device: 'm' }, { nowMs: NOW });
  expect(samples).toEqual([{ device: 'm', values }]);
  expect(rejections).toMatchObject([{ reason: 'duplicate-metric', samples: 1 }]);
  expect(rejections[0]?.detail).toContain(`has the name “${name}” twice`);
});

test.each(['{"a":{"t":1},"b":{"t":2}}', '[{"t":1,"s":"\\":{"},{"t":2}]', '{"":1,"e":{},"l":[[],{}]}'])(
  'names of different objects are not the same name: %s',
  (text) => {
    const message = { bytes: Buffer.from(text), device: 'm' };
    expect(readToSamples(message, { nowMs: NOW }).rejections).toEqual([]);
  },
);
