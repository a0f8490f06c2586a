import type { DevicePayload } from './device-payload.ts';

const chirpstack = 'https://www.chirpstack.io/application-server/integrations/events/';
const telegraf = 'https://docs.influxdata.com/telegraf/v1/data_formats/output/json/';
const shadow = 'https://docs.aws.amazon.com/iot/latest/developerguide/device-shadow-mqtt.html';
const uplink = {
  applicationID: '123',
  applicationName: 'temperature-sensor',
  deviceName: 'garden-sensor',
  rxInfo: [
    { gatewayID: 'AwMDAwMDAwM=', time: '2019-11-08T13:59:25.048445Z', rssi: -48, loRaSNR: 9 },
    { gatewayID: 'BAQEBAQEBAQ=', time: null, rssi: -90, loRaSNR: 2 },
  ],
  txInfo: { frequency: 868_100_000, modulation: 'LORA' },
  adr: true,
  dr: 0,
  fCnt: 10,
  fPort: 5,
};
const decoded = { temperatureSensor: { 1: 25 }, humiditySensor: { 1: 32 } };
const ofUplink = { 'temperatureSensor.1': 25, 'humiditySensor.1': 32, rssi: -48, snr: 9 };

export const serverPayloads: readonly DevicePayload[] = [
  {
    name: 'an uplink of ChirpStack v3 as JSON',
    source: chirpstack,
    format: 'chirpstack-v3',
    payload: { ...uplink, devEUI: '0202020202020202', data: 'AQ==', object: decoded },
    samples: [{ device: '0202020202020202', ts: Date.parse('2019-11-08T13:59:25.048Z'), values: ofUplink }],
    deviceNames: { '0202020202020202': 'garden-sensor' },
  },
  {
    name: 'an uplink of ChirpStack v3 as Protocol Buffers JSON, with its time of publication',
    source: chirpstack,
    format: 'chirpstack-v3',
    payload: {
      ...uplink,
      devEUI: 'AgICAgICAgI=',
      data: 'AQ==',
      objectJSON: JSON.stringify(decoded),
      publishedAt: '2019-11-08T13:59:26Z',
    },
    samples: [{ device: '0202020202020202', ts: Date.parse('2019-11-08T13:59:26Z'), values: ofUplink }],
    deviceNames: { '0202020202020202': 'garden-sensor' },
  },
  {
    name: 'a status of ChirpStack v3',
    source: chirpstack,
    format: 'chirpstack-v3',
    payload: {
      applicationID: '123',
      applicationName: 'temperature-sensor',
      deviceName: 'garden-sensor',
      devEUI: 'AgICAgICAgI=',
      margin: 6,
      externalPowerSource: false,
      batteryLevelUnavailable: false,
      batteryLevel: 75.5,
    },
    samples: [{ device: '0202020202020202', values: { margin: 6, battery: 75.5, externalPower: false } }],
    deviceNames: { '0202020202020202': 'garden-sensor' },
  },
  {
    name: 'an uplink of The Things Network v2',
    source: 'https://www.thethingsnetwork.org/docs/applications/mqtt/api/',
    format: 'things-stack-v2',
    payload: {
      app_id: 'my-app-id',
      dev_id: 'my-dev-id',
      hardware_serial: '0102030405060708',
      port: 1,
      counter: 2,
      is_retry: false,
      confirmed: false,
      payload_raw: 'AQIDBA==',
      payload_fields: { temperature: 1 },
      metadata: {
        time: '2019-11-08T13:59:25Z',
        frequency: 868.1,
        modulation: 'LORA',
        gateways: [{ gtw_id: 'ttn-herengracht-ams', timestamp: 12_345, channel: 0, rssi: -25, snr: 5 }],
      },
    },
    samples: [
      {
        device: 'my-dev-id',
        ts: Date.parse('2019-11-08T13:59:25Z'),
        values: { temperature: 1, rssi: -25, snr: 5 },
      },
    ],
  },
  {
    name: 'a metric of Telegraf',
    source: telegraf,
    format: 'telegraf',
    topic: 'telegraf/raynor/docker',
    level: 'telegraf',
    payload: {
      fields: { field_1: 30, field_2: 4, field_N: 59, n_images: 660 },
      name: 'docker',
      tags: { host: 'raynor' },
      timestamp: 1_458_229_140,
    },
    samples: [
      {
        device: 'raynor',
        ts: 1_458_229_140_000,
        values: { 'docker.field_1': 30, 'docker.field_2': 4, 'docker.field_N': 59, 'docker.n_images': 660 },
      },
    ],
  },
  {
    name: 'a batch of Telegraf',
    source: telegraf,
    format: 'telegraf',
    payload: {
      metrics: [
        { fields: { free: 12 }, name: 'disk', tags: { host: 'pi', path: '/' }, timestamp: 1_458_229_140 },
        { fields: { used: 41.2 }, name: 'mem', tags: { host: 'pi' }, timestamp: 1_458_229_140 },
      ],
    },
    samples: [
      { device: 'pi', ts: 1_458_229_140_000, values: { 'disk.path./.free': 12 } },
      { device: 'pi', ts: 1_458_229_140_000, values: { 'mem.used': 41.2 } },
    ],
    units: { 'pi/disk.path./.free': 'B', 'pi/mem.used': 'B' },
  },
  {
    name: 'the accepted update of a shadow',
    source: shadow,
    format: 'aws-shadow',
    topic: '$aws/things/myLightBulb/shadow/update/accepted',
    payload: {
      state: { reported: { color: 'red', power: { watts: 8.5 } } },
      metadata: { reported: { color: { timestamp: 1_591_156_493 } } },
      version: 10,
      timestamp: 1_591_156_493,
    },
    samples: [{ device: 'myLightBulb', ts: 1_591_156_493_000, values: { color: 'red', 'power.watts': 8.5 } }],
  },
  {
    name: 'the documents of an update of a named shadow',
    source: shadow,
    format: 'aws-shadow',
    topic: '$aws/things/myLightBulb/shadow/name/light/update/documents',
    payload: {
      previous: { state: { reported: { color: 'green' } }, version: 9 },
      current: { state: { desired: { color: 'red' }, reported: { color: 'red' } }, version: 10 },
      timestamp: 1_591_156_493,
    },
    samples: [{ device: 'myLightBulb', ts: 1_591_156_493_000, values: { color: 'red' } }],
  },
  {
    name: 'the difference of a shadow',
    source: shadow,
    format: 'aws-shadow',
    topic: '$aws/things/myLightBulb/shadow/update/delta',
    payload: { version: 10, timestamp: 1_591_156_493, state: { color: 'red' } },
    samples: [],
  },
];
