import type { DevicePayload } from './device-payload.ts';

const AT = '2026-11-21T09:30:00Z';
const ts = Date.parse(AT);

/** Messages of cloud and industrial platforms, and of tools in which users choose the names. */
export const platformPayloads: readonly DevicePayload[] = [
  {
    name: 'the standard template of the IoT Gateway of KEPServerEX',
    source: 'https://www.ptc.com/en/support/help/kepware/iot_gateway',
    format: 'records',
    topic: 'kep/line-1/iotgateway',
    level: 'line-1',
    payload: {
      timestamp: ts,
      values: [
        { id: 'Simulation Examples.Functions.Ramp1', v: 37, q: true, t: ts - 20 },
        { id: 'Channel1.Device1.Tag1', v: 21.5, q: true, t: ts - 20 },
      ],
    },
    samples: [
      {
        device: 'line-1',
        ts: ts - 20,
        values: { 'Simulation_Examples.Functions.Ramp1': 37, 'Channel1.Device1.Tag1': 21.5 },
      },
    ],
  },
  {
    name: 'the standard template of KEPServerEX without a device',
    source: 'https://www.ptc.com/en/support/help/kepware/iot_gateway',
    format: 'records',
    topic: 'iotgateway',
    payload: { timestamp: ts, values: [{ id: 'Channel1.Device1.Tag2', v: 42, q: true, t: ts }] },
    samples: [],
    rejections: ['device-missing'],
  },
  {
    name: 'an advanced template of KEPServerEX',
    source: 'https://docs.clarify.io/developers/tools/mqtt-broker/formats/kepserver',
    format: 'records',
    level: 'plant',
    topic: 'kepserver/plant',
    payload: [
      { tagname: 'Group A.Device C - D.Tag 42', timestamp: ts, value: 1_291 },
      { tagname: 'Group B.Device A - F.Tag 7', timestamp: ts + 159, value: 185.2 },
    ],
    samples: [
      { device: 'plant', ts, values: { 'Group_A.Device_C_-_D.Tag_42': 1_291 } },
      { device: 'plant', ts: ts + 159, values: { 'Group_B.Device_A_-_F.Tag_7': 185.2 } },
    ],
  },
  {
    name: 'data points of a connector of Siemens Industrial Edge',
    source: 'https://docs.industrial-operations-x.siemens.cloud/r/en-us/common-databus-payload-format',
    format: 'records',
    topic: 'ie/d/j/simatic/v1/s7c1/dp/r/PLC_1/default',
    level: 'PLC_1',
    payload: {
      seq: 3,
      vals: [
        { id: '101', qc: 3, ts: AT, val: 23.7 },
        { id: '102', qc: 3, ts: AT, val: true },
      ],
    },
    samples: [{ device: 'PLC_1', ts, values: { 101: 23.7, 102: true } }],
  },
  {
    name: 'the values format of EMQX Neuron',
    source: 'https://docs.emqx.com/en/neuron/latest/configuration/north-apps/mqtt/api.html',
    format: 'neuron',
    topic: '/neuron/mqtt',
    payload: {
      timestamp: ts,
      node: 'modbus',
      group: 'grp',
      values: { tag0: 123 },
      errors: { tag1: 2_014 },
      metas: {},
    },
    samples: [{ device: 'modbus', ts, values: { 'grp.tag0': 123 } }],
  },
  {
    name: 'the tags format of EMQX Neuron',
    source: 'https://docs.emqx.com/en/neuron/v2.7/configuration/north-apps/mqtt/api.html',
    format: 'records',
    topic: '/neuron/mqtt/modbus/grp',
    payload: {
      timestamp: ts,
      node: 'modbus',
      group: 'grp',
      tags: [
        { name: 'tag0', value: 123 },
        { name: 'tag1', error: 2_014 },
      ],
    },
    samples: [{ device: 'modbus', ts, values: { 'grp.tag0': 123 } }],
  },
  {
    name: 'an event of Particle, whose data is JSON as text',
    source: 'https://docs.particle.io/reference/cloud-apis/webhooks/',
    format: 'flat',
    payload: {
      event: 'temp',
      data: '{"temp":21.5,"humidity":48}',
      published_at: AT,
      coreid: '0123456789abcdef01234567',
    },
    samples: [
      {
        device: '0123456789abcdef01234567',
        ts,
        values: { event: 'temp', 'data.temp': 21.5, 'data.humidity': 48 },
      },
    ],
  },
  {
    name: 'an event of Particle with a number as text',
    source: 'https://docs.particle.io/reference/device-os/api/cloud-functions/particle-publish/',
    format: 'flat',
    payload: { event: 'battery', data: '88.4', published_at: AT, coreid: '0123456789abcdef01234567' },
    samples: [{ device: '0123456789abcdef01234567', ts, values: { event: 'battery', data: '88.4' } }],
  },
  {
    name: 'a state of Losant',
    source: 'https://docs.losant.com/devices/state/',
    format: 'flat',
    topic: 'losant/575ecf887ae143cd83dc4aa2/state',
    level: '575ecf887ae143cd83dc4aa2',
    payload: { data: { temperature: 78.4, voltage: 4.87, active: true } },
    samples: [
      {
        device: '575ecf887ae143cd83dc4aa2',
        values: { 'data.temperature': 78.4, 'data.voltage': 4.87, 'data.active': true },
      },
    ],
  },
  {
    name: 'several states of Losant with their times',
    source: 'https://docs.losant.com/mqtt/overview/',
    format: 'flat',
    topic: 'losant/575ecf887ae143cd83dc4aa2/state',
    level: '575ecf887ae143cd83dc4aa2',
    payload: [
      { time: ts - 60_000, data: { voltage: 4.9 } },
      { time: ts, data: { voltage: 4.8 } },
    ],
    samples: [
      { device: '575ecf887ae143cd83dc4aa2', ts: ts - 60_000, values: { 'data.voltage': 4.9 } },
      { device: '575ecf887ae143cd83dc4aa2', ts, values: { 'data.voltage': 4.8 } },
    ],
  },
  {
    name: 'variables of Ubidots',
    source: 'https://docs.ubidots.com/v1.6/reference/mqtt',
    format: 'flat',
    topic: '/v1.6/devices/weather-station',
    level: 'weather-station',
    payload: { temperature: 10, humidity: 90 },
    samples: [{ device: 'weather-station', values: { temperature: 10, humidity: 90 } }],
  },
  {
    name: 'a variable of Ubidots with its time and context',
    source: 'https://docs.ubidots.com/v1.6/reference/mqtt',
    format: 'flat',
    topic: '/v1.6/devices/weather-station',
    level: 'weather-station',
    payload: { temperature: { value: 10, timestamp: ts, context: { machine: '1st floor' } } },
    samples: [
      {
        device: 'weather-station',
        ts,
        values: { 'temperature.value': 10, 'temperature.context.machine': '1st floor' },
      },
    ],
  },
  {
    name: 'variables of Ubidots with different times',
    source: 'https://docs.ubidots.com/v1.6/reference/http-send-data-to-device',
    format: 'flat',
    level: 'weather-station',
    topic: '/v1.6/devices/weather-station',
    payload: { temperature: { value: 10, timestamp: ts }, humidity: { value: 90, timestamp: ts - 5_000 } },
    samples: [
      { device: 'weather-station', ts, values: { 'temperature.value': 10 } },
      { device: 'weather-station', ts: ts - 5_000, values: { 'humidity.value': 90 } },
    ],
  },
  {
    name: 'values of a variable of Ubidots with their times',
    source: 'https://docs.ubidots.com/v1.6/reference/http-send-data-to-device',
    format: 'flat',
    level: 'weather-station',
    topic: '/v1.6/devices/weather-station',
    payload: {
      temperature: [
        { value: 10, timestamp: ts - 60_000 },
        { value: 11, timestamp: ts },
      ],
    },
    samples: [
      { device: 'weather-station', ts: ts - 60_000, values: { 'temperature.value': 10 } },
      { device: 'weather-station', ts, values: { 'temperature.value': 11 } },
    ],
  },
  {
    name: 'an update of ThingSpeak',
    source: 'https://www.mathworks.com/help/thingspeak/bulkwritejsondata.html',
    format: 'flat',
    topic: 'channels/1417/publish',
    level: '1417',
    payload: { created_at: '2026-11-22T09:30:00Z', field1: 1.12, field2: 2.34, status: 'well' },
    samples: [
      {
        device: '1417',
        ts: Date.parse('2026-11-22T09:30:00Z'),
        values: { field1: 1.12, field2: 2.34, status: 'well' },
      },
    ],
  },
  {
    name: 'feeds of ThingSpeak',
    source: 'https://www.mathworks.com/help/thingspeak/readdata.html',
    format: 'flat',
    level: 'river',
    topic: 'feeds/river',
    payload: {
      feeds: [
        { created_at: AT, timestamp: AT, entry_id: 1, field1: 3.5 },
        { created_at: AT, timestamp: '2026-11-21T09:31:00Z', entry_id: 2, field1: 3.6 },
      ],
    },
    samples: [
      {
        device: 'river',
        ts,
        values: { 'feeds.entry_id': 1, 'feeds.field1': 3.5 },
      },
      {
        device: 'river',
        ts: ts + 60_000,
        values: { 'feeds.entry_id': 2, 'feeds.field1': 3.6 },
      },
    ],
  },
  {
    name: 'a measurement of Datacake',
    source: 'https://docs.datacake.de/device/http',
    format: 'flat',
    payload: { serial: 'PUMP-0007', temperature: 21.5, humidity: 48 },
    samples: [{ device: 'PUMP-0007', values: { temperature: 21.5, humidity: 48 } }],
  },
  {
    name: 'an object of an injected message of Node-RED',
    source: 'https://nodered.org/docs/user-guide/messages',
    format: 'flat',
    topic: 'nodered/boiler',
    level: 'boiler',
    payload: { payload: { temperature: 61.2, pump: true }, topic: 'boiler', _msgid: '7f1b3b2d.5c2d4c' },
    samples: [
      {
        device: 'boiler',
        values: {
          'payload.temperature': 61.2,
          'payload.pump': true,
          topic: 'boiler',
          _msgid: '7f1b3b2d.5c2d4c',
        },
      },
    ],
  },
  {
    name: 'a message that a rule of EMQX forwards',
    source: 'https://docs.emqx.com/en/emqx/latest/data-integration/rule-sql-events-and-fields.html',
    format: 'flat',
    payload: {
      clientid: 'c_emqx',
      username: 'u_emqx',
      topic: 't/a',
      qos: 1,
      payload: '{"msg": "hello", "temp": 20}',
      timestamp: ts,
    },
    samples: [
      {
        device: 'c_emqx',
        ts,
        values: { username: 'u_emqx', topic: 't/a', qos: 1, 'payload.msg': 'hello', 'payload.temp': 20 },
      },
    ],
  },
  {
    name: 'telemetry of an AWS IoT thing',
    source: 'https://docs.aws.amazon.com/iot/latest/developerguide/iot-sql-reference.html',
    format: 'flat',
    payload: {
      deviceid: 'iot123',
      temp: 54.98,
      humidity: 32.43,
      coords: { latitude: 47.615694, longitude: -122.3359976 },
    },
    samples: [
      {
        device: 'iot123',
        values: {
          temp: 54.98,
          humidity: 32.43,
          'coords.latitude': 47.615694,
          'coords.longitude': -122.3359976,
        },
      },
    ],
  },
  {
    name: 'the sample of the Raspberry Pi simulator of Azure',
    source: 'https://learn.microsoft.com/en-us/azure/iot-hub/raspberry-pi-get-started',
    format: 'flat',
    payload: { messageId: 1, deviceId: 'Raspberry Pi Web Client', temperature: 27.4, humidity: 73.9 },
    samples: [
      { device: 'raspberry-pi-web-client', values: { messageId: 1, temperature: 27.4, humidity: 73.9 } },
    ],
    deviceNames: { 'raspberry-pi-web-client': 'Raspberry Pi Web Client' },
  },
  {
    name: 'OTLP as JSON, which has an address of its own',
    source: 'https://github.com/open-telemetry/opentelemetry-proto/blob/main/examples/metrics.json',
    format: 'otlp',
    level: 'm',
    topic: 'otel/m',
    payload: {
      resourceMetrics: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'my.service' } }] },
          scopeMetrics: [
            {
              scope: { name: 'my.library' },
              metrics: [
                {
                  name: 'my.gauge',
                  unit: '1',
                  gauge: { dataPoints: [{ asDouble: 10, timeUnixNano: '1544712660300000000' }] },
                },
              ],
            },
          ],
        },
      ],
    },
    samples: [],
    rejections: ['other-address'],
  },
  {
    name: 'records with units, of the sender of a PLC',
    source: 'https://flows.nodered.org/node/node-red-contrib-s7',
    format: 'records',
    level: 'press',
    topic: 'plc/press',
    payload: {
      readings: [
        { name: 'Temperatur', value: 64.5, unit: '°C' },
        { name: 'Drehzahl', value: 1_480, unit: 'rpm' },
      ],
    },
    samples: [{ device: 'press', values: { Temperatur: 64.5, Drehzahl: 1_480 } }],
    units: { 'press/Temperatur': '°C', 'press/Drehzahl': 'rpm' },
  },
  {
    name: 'records of a device of Tuya',
    source: 'https://developer.tuya.com/en/docs/iot/Message-service',
    format: 'records',
    level: 'plug',
    topic: 'tuya/plug',
    payload: {
      properties: [
        { code: 'switch_1', value: true, time: ts },
        { code: 'cur_power', value: 1_234, time: ts },
      ],
    },
    samples: [{ device: 'plug', ts, values: { switch_1: true, cur_power: 1_234 } }],
  },
  {
    name: 'the metrics of The Things Stack in the form of a Cayenne webhook',
    source: 'https://docs.mydevices.com/docs/cayenne-mqtt-api',
    format: 'flat',
    level: 'cayenne',
    topic: 'v1/cayenne/things',
    payload: { channel_1: { type: 'temp', unit: 'c', value: 20.7 } },
    samples: [
      {
        device: 'cayenne',
        values: { 'channel_1.type': 'temp', 'channel_1.unit': 'c', 'channel_1.value': 20.7 },
      },
    ],
  },
];
