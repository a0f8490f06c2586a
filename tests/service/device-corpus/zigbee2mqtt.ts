import type { DevicePayload } from './device-payload.ts';

const source = 'https://www.zigbee2mqtt.io/guide/usage/mqtt_topics_and_messages.html';
const LAST_SEEN = '2026-11-21T09:30:00.000Z';
const LAST_SEEN_MS = Date.parse(LAST_SEEN);
const of = (payload: Omit<DevicePayload, 'source' | 'format'>): DevicePayload => ({
  source,
  format: 'zigbee2mqtt',
  ...payload,
});

export const zigbee2mqttPayloads: readonly DevicePayload[] = [
  of({
    name: 'the state of a sensor with last_seen as text',
    topic: 'zigbee2mqtt/my_sensor',
    payload: {
      temperature: 27.34,
      humidity: 44.72,
      battery: 100,
      linkquality: 86,
      update_available: null,
      last_seen: LAST_SEEN,
    },
    samples: [
      {
        device: 'my_sensor',
        ts: LAST_SEEN_MS,
        values: { temperature: 27.34, humidity: 44.72, battery: 100, linkquality: 86 },
      },
    ],
  }),
  of({
    name: 'the state of a bulb whose friendly name has blanks and slashes, with last_seen in ms and device information',
    topic: 'zigbee2mqtt/Living room/Ceiling lamp',
    payload: {
      state: 'ON',
      brightness: 215,
      color_temp: 325,
      color: { x: 0.41, y: 0.39 },
      update: { state: 'idle', installed_version: 587_806_257 },
      last_seen: LAST_SEEN_MS,
      device: {
        friendlyName: 'Living room/Ceiling lamp',
        ieeeAddr: '0x00158d0001dc1dec',
        networkAddress: 6_769,
      },
    },
    samples: [
      {
        device: 'living-room:ceiling-lamp',
        ts: LAST_SEEN_MS,
        values: {
          state: 'ON',
          brightness: 215,
          color_temp: 325,
          'color.x': 0.41,
          'color.y': 0.39,
          'update.state': 'idle',
          'update.installed_version': 587_806_257,
        },
      },
    ],
    deviceNames: { 'living-room:ceiling-lamp': 'Living room/Ceiling lamp' },
  }),
  of({
    name: 'the state of a device that the + of the filter matches',
    topic: 'zigbee2mqtt/Kitchen plug',
    level: 'Kitchen plug',
    payload: { state: 'OFF', power: 0 },
    samples: [{ device: 'kitchen-plug', values: { state: 'OFF', power: 0 } }],
    deviceNames: { 'kitchen-plug': 'Kitchen plug' },
  }),
  of({
    name: 'the state of a device whose name begins with the level that the + matches',
    topic: 'zigbee2mqtt/kitchen/plug',
    level: 'kitchen',
    payload: { state: 'OFF' },
    samples: [{ device: 'kitchen:plug', values: { state: 'OFF' } }],
    deviceNames: { 'kitchen:plug': 'kitchen/plug' },
  }),
  of({
    name: 'the state below a base topic with a prefix',
    topic: 'site-7/zigbee2mqtt/my_sensor',
    payload: { occupancy: true },
    samples: [{ device: 'my_sensor', values: { occupancy: true } }],
  }),
  of({
    name: 'availability as JSON',
    topic: 'zigbee2mqtt/Living room/Ceiling lamp/availability',
    payload: { state: 'online' },
    samples: [{ device: 'living-room:ceiling-lamp', values: { availability: 'online' } }],
    deviceNames: { 'living-room:ceiling-lamp': 'Living room/Ceiling lamp' },
  }),
  of({
    name: 'availability as text, of version 1',
    topic: 'zigbee2mqtt/my_sensor/availability',
    payload: 'offline',
    samples: [{ device: 'my_sensor', values: { availability: 'offline' } }],
  }),
  of({
    name: 'an attribute in a topic of its own',
    topic: 'zigbee2mqtt/my_sensor/temperature',
    payload: '27.34',
    samples: [{ device: 'my_sensor', values: { temperature: 27.34 } }],
  }),
  of({
    name: 'an action as text',
    topic: 'zigbee2mqtt/my_switch/action',
    payload: 'single',
    samples: [{ device: 'my_switch', values: { action: 'single' } }],
  }),
  of({
    name: 'the state of the bridge',
    topic: 'zigbee2mqtt/bridge/state',
    payload: { state: 'online' },
    samples: [],
  }),
  of({
    name: 'the list of devices of the bridge',
    topic: 'zigbee2mqtt/bridge/devices',
    payload: [
      { ieee_address: '0x00158d00018255df', type: 'Router', network_address: 29_159, supported: true },
    ],
    samples: [],
  }),
  of({ name: 'a command', topic: 'zigbee2mqtt/my_bulb/set', payload: { state: 'ON' }, samples: [] }),
  of({
    name: 'a command for an attribute',
    topic: 'zigbee2mqtt/my_bulb/set/state',
    payload: 'ON',
    samples: [],
  }),
  of({
    name: 'the cleared state of a removed device',
    topic: 'zigbee2mqtt/my_bulb',
    payload: '',
    samples: [],
  }),
];
