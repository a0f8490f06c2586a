import { describe, expect, test } from 'vitest';
import { bytesOf, corpusPayloads } from './device-corpus/corpus.ts';
import { readToSamples } from './read-to-samples.ts';

/** A day after the payloads. */
const NOW = Date.parse('2026-11-22T09:37:00Z');
const read = (
  topic: string | null,
  payload: object | string,
  nowMs = NOW,
  device?: string,
  topicFilter?: string,
) => readToSamples({ bytes: bytesOf(payload), topic, device }, { nowMs, topicFilter });

describe.each(corpusPayloads)('%s', (_, payloads) => {
  test.each(payloads.map((payload) => [payload.name, payload] as const))(
    'is read in the form that its documentation describes: %s',
    (_, { topic = null, level, filter, payload, format, samples, rejections = [], ...others }) => {
      const { units = {}, deviceNames = {}, noValues = 0 } = others;
      const result = read(topic, payload, NOW, level, filter);
      const isSkipped = samples.length + rejections.length + noValues === 0;
      expect(result).toMatchObject({ format: format === 'not-json' ? null : format, isSkipped });
      expect(result.rejections.map(({ reason }) => reason)).toEqual(rejections);
      expect(result.samples).toEqual(samples);
      expect(Object.fromEntries(result.units)).toEqual(units);
      expect(Object.fromEntries(result.deviceNames)).toEqual(deviceNames);
    },
  );
});

describe('a message that only resembles these', () => {
  test.each([
    ['plants/tele/SENSOR2', { Time: 'x', a: 1 }],
    ['tele/plug-1/SENSOR', { a: 1 }],
    ['stat/pump/STATUS', { temp: 21 }],
    ['stat/pump/STATUS', { Status: 3 }],
    ['tele/pump/INFO1', { temp: 21 }],
    ['tele/pump/LOGGING', { temp: 21 }],
    ['plant/cmnd/x', { temp: 21 }],
    ['shellies/pump', { temp: 21 }],
    ['$aws/things/pump/shadow/get', { temp: 21 }],
    ['$aws/things/pump/shadow/update/accepted', { temp: 21 }],
    ['home/status/switch:0', { id: 1, a: 1 }],
    ['x/events/rpc', { method: 'Switch.Set', params: { id: 0, on: true } }],
    ['home/zigbee2mqtt-old/x', { a: 1 }],
    ['a/b', { metrics: [{ name: 'x' }], power: 1 }],
    ['a/b', { devEUI: 'x', applicationID: 1, power: 1 }],
    ['a/b', { app_id: 'x', dev_id: 'y', power: 1 }],
    ['radio/events', { model: 'Acurite-Tower', id: 7, temperature_C: 3 }],
    ['a/b', { metric: 'power', timestamp: 1_795_253_400, value: 3 }],
    ['a/b', { metric: 'power', timestamp: 1_795_253_400, value: 3, tags: { host: 'x' }, unit: 'W' }],
    ['a/b', { host: 'x', plugin: 'cpu', values: { idle: 3 }, time: 1_795_253_400, type: 'cpu' }],
    ['a/b', { eventType: 'DEVICE_DATA', data: { t: 4 } }],
    ['a/b', { dev_eui: 'x', app_eui: 'y', power: 4 }],
    ['a/b', { ident: 'x', timestamp: 1_795_253_400, power: 4 }],
    ['a/b', { state: { reported: { ts: 1_795_253_400, power: 4 } } }],
    ['a/b', { type: 'Microsoft.Devices', data: { t: 4 } }],
    ['a/b', { Body: { t: 4 }, SystemProperties: { level: 3 } }],
  ])('stays flat JSON: %s', (topic, payload) => {
    expect(read(topic, payload, NOW, 'm').format).toBe('flat');
  });

  test.each([
    ['zigbee2mqtt/x', '{"temperature": 21'],
    ['tele/plug-1/SENSOR', 'temp=21'],
    ['plants/1/mode', 'heating'],
    ['plants/1/mode', ''],
  ])('that cannot be read is rejected: %s %s', (topic, payload) => {
    const { format, samples, rejections } = read(topic, payload, NOW, 'm');
    expect([format, samples]).toEqual([null, []]);
    expect(rejections).toMatchObject([{ reason: payload === '' ? 'empty-message' : 'not-json', samples: 1 }]);
  });
});

describe('a part of a message', () => {
  test.each([
    ['a.b 1 1795253400\nnot a line\n', ['invalid-line'], 1],
    [
      'put a.b 1795253400 1 host=x\nput a.b 1795253400 2 host=x\nput a.b',
      ['invalid-line', 'duplicate-metric'],
      1,
    ],
    [
      JSON.stringify(
        [1, 2].map((value) => ({ metric: 'a', timestamp: 1_795_253_400, value, tags: { host: 'x' } })),
      ),
      ['duplicate-metric'],
      1,
    ],
    [
      JSON.stringify({
        EnqueuedTimeUtc: '2026-11-21T09:30:00Z',
        SystemProperties: { connectionDeviceId: 'x' },
        Body: 'YQ==',
      }),
      ['payload-not-decoded'],
      0,
    ],
  ])('that is invalid is rejected: %s', (payload, reasons, samples) => {
    const result = read(null, payload, NOW, 'm');
    expect(result.rejections.map(({ reason }) => reason)).toEqual(reasons);
    expect(result.samples).toHaveLength(samples);
  });

  test('names metrics with different tags differently', () => {
    const point = (tags: object) => ({ metric: 'a', timestamp: 1_795_253_400, value: 1, tags });
    const { samples, rejections } = read(null, [point({ b: 'c/d:e' }), point({ b: 'c', d: 'e' })], NOW, 'm');
    expect(rejections).toEqual([]);
    expect(Object.keys(samples[0]?.values ?? {})).toHaveLength(2);
  });
});

test.each([
  ['tele/plug-1/STATE', (Time: unknown) => ({ Time, POWER: 'ON' })],
  ['rtl_433/pi/events', (time: unknown) => ({ time, model: 'X', id: 1, temperature_C: 2 })],
  ['shellies/pump/info', (unixtime: unknown) => ({ unixtime, uptime: 3 })],
  [
    'x/events/rpc',
    (ts: unknown) => ({ src: 'pump', method: 'NotifyStatus', params: { ts, sys: { uptime: 3 } } }),
  ],
])('a clock that is not set, and a time that is none: %s', (topic, withTime) => {
  for (const unset of [null, 0, '1970-01-01T00:00:09Z'])
    expect(read(topic, withTime(unset))).toMatchObject({ samples: [{ values: {} }], rejections: [] });
  expect(read(topic, withTime('today'))).toMatchObject({
    samples: [],
    rejections: [{ reason: 'invalid-ts' }],
  });
});

describe('a local time that is hours from the time of receipt', () => {
  const at = Date.parse('2026-11-21T14:30:02Z');
  test.each([
    ['tele/plug-1/STATE', { Time: '2026-11-21T09:30:00', POWER: 'ON' }],
    ['rtl_433/pi/events', { time: '2026-11-21 09:30:00', model: 'X', id: 1, temperature_C: 2 }],
  ])('is rejected, because the pipeline has another time zone: %s', (topic, payload) => {
    const { samples, rejections } = read(topic, payload, at);
    expect(samples).toEqual([]);
    expect(rejections).toMatchObject([
      { reason: 'ts-zone', samples: 1, detail: expect.stringContaining('5 h behind the time of receipt') },
    ]);
  });

  test('is accepted if the message was merely delayed', () => {
    expect(read('tele/plug-1/STATE', { Time: '2026-11-21T09:27:31', POWER: 'ON' }, at).samples).toHaveLength(
      1,
    );
  });
});
