import { describe, expect, test } from 'vitest';
import { isDisplayUnit } from '#service/telemetry/write/display-unit.ts';
import { radioPayloads } from './device-corpus/radio.ts';
import { serverPayloads } from './device-corpus/servers.ts';
import { shellyPayloads } from './device-corpus/shelly.ts';
import { tasmotaPayloads } from './device-corpus/tasmota.ts';
import { zigbee2mqttPayloads } from './device-corpus/zigbee2mqtt.ts';
import { readToSamples } from './read-to-samples.ts';

const NOW = Date.parse('2026-11-22T09:37:00Z');
const ts = '2026-11-22T09:30:00Z';

/** Names that every object inherits, or that change what it inherits. */
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
/** An object that cannot become text or a number. */
const UNCONVERTIBLE = { toString: 5, valueOf: 5, toJSON: 5 };

type Payload = { name: string; topic?: string; level?: string; payload: object | string };
const payloads: readonly Payload[] = [
  ...[zigbee2mqttPayloads, tasmotaPayloads, shellyPayloads, radioPayloads, serverPayloads].flat(),
  {
    name: 'Tasmota with units',
    topic: 'tele/x/SENSOR',
    payload: { Time: ts, TempUnit: 'C', AM2301: { Temperature: 5 } },
  },
  { name: 'Penstock', payload: { samples: [{ device: 'd', ts, values: { temp: 21 } }] } },
  { name: 'ThingsBoard', payload: [{ ts, values: { temp: 21 } }] },
  { name: 'a ThingsBoard gateway', payload: { pump: [{ ts, values: { temp: 21 } }] } },
  {
    name: 'SenML',
    payload: [
      { bn: 'pump/', n: 'temp', u: 'Cel', v: 21 },
      { n: 'on', vb: true },
    ],
  },
  {
    name: 'ChirpStack',
    payload: {
      deviceInfo: { devEui: 'e1', deviceName: 'Pump' },
      time: ts,
      object: { temp: 21 },
      rxInfo: [{ rssi: -57, snr: 9 }],
      fPort: 2,
    },
  },
  {
    name: 'The Things Stack',
    payload: {
      end_device_ids: { device_id: 'pump' },
      received_at: ts,
      uplink_message: { decoded_payload: { temp: 21 }, rx_metadata: [{ rssi: -57, snr: 9 }] },
    },
  },
  { name: 'flat JSON', payload: { deviceId: 'pump', timestamp: ts, room: { temp: 21 } } },
  {
    name: 'flat JSON with another time',
    payload: { device: 'pump', measuredAt: ts, createdAt: ts, temp: 21 },
  },
  {
    name: 'flat JSON with a date and a time',
    payload: { device: 'pump', date: '2026-11-22', time: '09:30:00', temp: 21 },
  },
  { name: 'a topic value', topic: 'plants/1/temp', level: '1', payload: '21' },
  { name: 'Prometheus', payload: 'temp{room="a"} 21\n' },
];

/** The copies of a value that differ in one place. */
function* variantsOf(value: unknown): Generator {
  yield UNCONVERTIBLE;
  if (typeof value !== 'object' || value === null) return;
  const build = (entries: [string, unknown][]) =>
    Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
  const entries = Object.entries(value);
  for (const [at, [key, inner]] of entries.entries()) {
    for (const variant of variantsOf(inner)) yield build(entries.with(at, [key, variant]));
    if (typeof inner === 'string') for (const name of NAMES) yield build(entries.with(at, [key, name]));
    if (!Array.isArray(value)) for (const name of NAMES) yield build(entries.with(at, [name, inner]));
  }
  if (!Array.isArray(value)) for (const name of NAMES) yield build([...entries, [name, 5]]);
}

/** The messages that differ from a message in one place where a name stands, or in one value. */
function* hostileMessagesOf({ topic, payload, level }: Payload) {
  const levels = topic?.split('/') ?? [];
  for (const at of levels.keys())
    for (const name of NAMES) yield { topic: levels.with(at, name).join('/'), payload, level };
  if (typeof payload === 'string')
    for (const name of NAMES)
      for (const text of [name, payload.replaceAll(/[a-z]+/g, name)]) yield { topic, payload: text, level };
  else for (const variant of variantsOf(payload)) yield { topic, payload: variant, level };
}

describe('names of object properties and values without a text', () => {
  test.each(payloads.map((payload) => [payload.name, payload] as const))(
    'are accepted as they are or rejected: %s',
    (_, message) => {
      const wrong = [...hostileMessagesOf(message)].flatMap(({ topic, payload, level }) => {
        const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
        const { samples, units } = readToSamples(
          { bytes: Buffer.from(text), topic: topic ?? null, device: level },
          { nowMs: NOW, topicFilter: 'plants/+/temp' },
        );
        const sent = text.replaceAll('\\"', '"');
        const values = samples.flatMap((sample) => Object.values(sample.values));
        const isWrong =
          !values.every((value) => sent.includes(String(value).replaceAll('\\"', '"'))) ||
          ![...units.values()].every(isDisplayUnit);
        return isWrong ? [{ topic, text, values, units }] : [];
      });
      expect(wrong).toEqual([]);
    },
  );
});
