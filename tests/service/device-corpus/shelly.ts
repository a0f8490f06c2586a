import type { DevicePayload } from './device-payload.ts';

const firstGeneration = 'https://shelly-api-docs.shelly.cloud/gen1/#shelly1-1pm-mqtt';
const notifications = 'https://shelly-api-docs.shelly.cloud/gen2/General/Notifications';
const gen1 = (topic: string, payload: string, metric: string, value: unknown): DevicePayload => ({
  name: `the topic ${metric}`,
  source: firstGeneration,
  format: 'shelly',
  topic: `shellies/shelly1pm-84CCA8/${topic}`,
  payload,
  samples: [{ device: 'shelly1pm-84CCA8', values: { [metric]: value } }],
});
const ID = 'shellypro4pm-f008d1d8b8b8';
const rpc = (
  name: string,
  method: string,
  params: object,
  samples: DevicePayload['samples'],
): DevicePayload => ({
  name,
  source: notifications,
  format: 'shelly-rpc',
  topic: `${ID}/events/rpc`,
  payload: { src: ID, dst: `${ID}/events`, method, params },
  samples,
});

export const shellyPayloads: readonly DevicePayload[] = [
  gen1('relay/0', 'on', 'relay.0', 'on'),
  gen1('relay/0/power', '12.5', 'relay.0.power', 12.5),
  gen1('relay/0/energy', '172', 'relay.0.energy', 172),
  gen1('temperature', '46.4', 'temperature', 46.4),
  gen1('online', 'true', 'online', true),
  {
    name: 'why a battery device woke up, a list of words',
    source: 'https://shelly-api-docs.shelly.cloud/gen1/#shelly-h-amp-t-mqtt',
    format: 'shelly',
    topic: 'shellies/shellyht-E7D2C5/sensor/act_reasons',
    payload: '["battery","sensor"]',
    samples: [],
  },
  {
    name: 'no reason for which a battery device woke up',
    source: 'https://shelly-api-docs.shelly.cloud/gen1/#shelly-h-amp-t-mqtt',
    format: 'shelly',
    topic: 'shellies/shellyht-E7D2C5/sensor/act_reasons',
    payload: '[]',
    samples: [],
  },
  {
    name: 'the state of a light as JSON',
    source: 'https://shelly-api-docs.shelly.cloud/gen1/#shelly-dimmer-1-2-mqtt',
    format: 'shelly',
    topic: 'shellies/shellydimmer-D47D3E/light/0/status',
    payload: { ison: true, source: 'input', has_timer: false, mode: 'white', brightness: 74, transition: 0 },
    samples: [
      {
        device: 'shellydimmer-D47D3E',
        values: {
          'light.0.ison': true,
          'light.0.source': 'input',
          'light.0.has_timer': false,
          'light.0.mode': 'white',
          'light.0.brightness': 74,
          'light.0.transition': 0,
        },
      },
    ],
  },
  {
    name: 'an event of an input',
    source: 'https://shelly-api-docs.shelly.cloud/gen1/#shelly-button-1-mqtt',
    format: 'shelly',
    topic: 'shellies/shellybutton1-A4CF12/input_event/0',
    payload: { event: 'S', event_cnt: 2 },
    samples: [
      {
        device: 'shellybutton1-A4CF12',
        values: { 'input_event.0.event': 'S', 'input_event.0.event_cnt': 2 },
      },
    ],
  },
  {
    name: 'the whole state',
    source: 'https://shelly-api-docs.shelly.cloud/gen1/#status',
    format: 'shelly',
    topic: 'shellies/shelly1pm-84CCA8/info',
    payload: {
      unixtime: 1_795_253_400,
      relays: [{ ison: true, overpower: false }],
      meters: [{ power: 12.5, counters: [1.5, 2] }],
    },
    samples: [
      {
        device: 'shelly1pm-84CCA8',
        ts: 1_795_253_400_000,
        values: {
          'relays.0.ison': true,
          'relays.0.overpower': false,
          'meters.0.power': 12.5,
          'meters.0.counters.0': 1.5,
          'meters.0.counters.1': 2,
        },
      },
    ],
  },
  {
    name: 'the announcement of a device',
    source: firstGeneration,
    format: 'shelly',
    topic: 'shellies/announce',
    payload: { id: 'shelly1pm-84CCA8', model: 'SHSW-PM', mac: '84CCA8000000', new_fw: false },
    samples: [],
  },
  {
    name: 'a command',
    source: firstGeneration,
    format: 'shelly',
    topic: 'shellies/x/relay/0/command',
    payload: 'off',
    samples: [],
  },
  rpc(
    'NotifyStatus with the changed values of two components',
    'NotifyStatus',
    { ts: 1_631_186_545.04, 'switch:2': { id: 2, apower: 8.9 }, 'switch:3': { id: 3, output: false } },
    [{ device: ID, ts: 1_631_186_545_040, values: { 'switch:2.apower': 8.9, 'switch:3.output': false } }],
  ),
  rpc(
    'NotifyStatus with nested values and lists',
    'NotifyStatus',
    {
      ts: 1_795_253_400,
      'switch:0': {
        id: 0,
        aenergy: { by_minute: [0, 12.5, 3], minute_ts: 1_795_253_340, total: 11.679 },
        temperature: { tC: 53.3, tF: 127.9 },
        errors: null,
      },
    },
    [
      {
        device: ID,
        ts: 1_795_253_400_000,
        values: {
          'switch:0.aenergy.by_minute.0': 0,
          'switch:0.aenergy.by_minute.1': 12.5,
          'switch:0.aenergy.by_minute.2': 3,
          'switch:0.aenergy.total': 11.679,
          'switch:0.temperature.tC': 53.3,
          'switch:0.temperature.tF': 127.9,
        },
      },
    ],
  ),
  rpc(
    'NotifyFullStatus before the clock is set',
    'NotifyFullStatus',
    { ts: 12.3, cloud: { connected: true } },
    [{ device: ID, values: { 'cloud.connected': true } }],
  ),
  rpc(
    'NotifyEvent',
    'NotifyEvent',
    {
      ts: 1_631_266_595.44,
      events: [{ component: 'input:0', id: 0, event: 'single_push', ts: 1_631_266_595.44 }],
    },
    [{ device: ID, ts: 1_631_266_595_440, values: { 'input:0.event': 'single_push' } }],
  ),
  {
    name: 'the status of a component',
    source: 'https://shelly-api-docs.shelly.cloud/gen2/ComponentsAndServices/Mqtt',
    format: 'shelly-rpc',
    topic: `${ID}/status/switch:0`,
    payload: { id: 0, source: 'init', output: true, apower: 8.9, voltage: 237.5 },
    samples: [
      {
        device: ID,
        values: {
          'switch:0.source': 'init',
          'switch:0.output': true,
          'switch:0.apower': 8.9,
          'switch:0.voltage': 237.5,
        },
      },
    ],
  },
];
