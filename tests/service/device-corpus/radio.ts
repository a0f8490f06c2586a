import type { DevicePayload } from './device-payload.ts';

const rtl433 = 'https://triq.org/rtl_433/DATA_FORMAT.html';
const gateway = 'https://docs.openmqttgateway.com/use/gateway.html';

export const radioPayloads: readonly DevicePayload[] = [
  {
    name: 'an event with local time, on a topic whose + is the host',
    source: rtl433,
    format: 'rtl_433',
    topic: 'rtl_433/pi-attic/events',
    level: 'pi-attic',
    payload: {
      time: '2026-11-21 09:30:00',
      model: 'Acurite-Tower',
      id: 12_345,
      channel: 'A',
      battery_ok: 1,
      temperature_C: 22.4,
      humidity: 40,
      mic: 'CHECKSUM',
    },
    samples: [
      {
        device: 'Acurite-Tower-A-12345',
        ts: Date.parse('2026-11-21T09:30:00Z'),
        values: { battery_ok: 1, temperature_C: 22.4, humidity: 40 },
      },
    ],
    units: { 'Acurite-Tower-A-12345/temperature_C': '°C', 'Acurite-Tower-A-12345/humidity': '%' },
  },
  {
    name: 'a value in a topic of its own',
    source: 'https://triq.org/rtl_433/OPERATION.html#mqtt-output',
    format: 'rtl_433',
    topic: 'rtl_433/pi-attic/devices/Acurite-Tower/A/12345/temperature_C',
    level: 'pi-attic',
    payload: '22.4',
    samples: [{ device: 'Acurite-Tower-A-12345', values: { temperature_C: 22.4 } }],
    units: { 'Acurite-Tower-A-12345/temperature_C': '°C' },
  },
  {
    name: 'the time in a topic of its own',
    source: 'https://triq.org/rtl_433/OPERATION.html#mqtt-output',
    format: 'rtl_433',
    topic: 'rtl_433/pi-attic/devices/Acurite-Tower/A/12345/time',
    payload: '2026-11-21 09:30:00',
    samples: [],
  },
  {
    name: 'a Bluetooth thermometer',
    source: 'https://docs.openmqttgateway.com/use/ble.html',
    format: 'openmqttgateway',
    topic: 'home/OpenMQTTGateway/BTtoMQTT/A4C138AABBCC',
    level: 'OpenMQTTGateway',
    payload: {
      id: 'A4:C1:38:AA:BB:CC',
      name: 'LYWSD03MMC',
      rssi: -67,
      brand: 'Xiaomi',
      model: 'TH Sensor',
      model_id: 'LYWSD03MMC/MJWSD05MMC_PVVX',
      tempc: 21.4,
      hum: 48.2,
      batt: 91,
      volt: 2.9,
    },
    samples: [
      {
        device: 'A4:C1:38:AA:BB:CC',
        values: {
          rssi: -67,
          brand: 'Xiaomi',
          model: 'TH Sensor',
          model_id: 'LYWSD03MMC/MJWSD05MMC_PVVX',
          tempc: 21.4,
          hum: 48.2,
          batt: 91,
          volt: 2.9,
        },
      },
    ],
    deviceNames: { 'A4:C1:38:AA:BB:CC': 'LYWSD03MMC' },
  },
  {
    name: 'a Bluetooth sensor of a version that names it in the topic only',
    source: 'https://docs.openmqttgateway.com/use/ble.html',
    format: 'openmqttgateway',
    topic: 'home/OpenMQTTGateway/BTtoMQTT/4C33A6603C79',
    payload: { hum: '52.6', tempc: '19.2', tempf: '66.56' },
    samples: [{ device: '4C:33:A6:60:3C:79', values: { hum: '52.6', tempc: '19.2', tempf: '66.56' } }],
  },
  {
    name: 'a beacon that is named by its UUID',
    source: 'https://docs.openmqttgateway.com/use/ble.html',
    format: 'openmqttgateway',
    topic: 'home/OpenMQTTGateway/BTtoMQTT/1de4b189115e45f6b44e509352269977',
    payload: {
      id: '1de4b189115e45f6b44e509352269977',
      mac_type: 1,
      rssi: -78,
      distance: 7.85288,
      model_id: 'IBEACON',
      mac: '60:87:57:4C:9B:C2',
    },
    samples: [
      {
        device: '1de4b189115e45f6b44e509352269977',
        values: {
          mac_type: 1,
          rssi: -78,
          distance: 7.85288,
          model_id: 'IBEACON',
          mac: '60:87:57:4C:9B:C2',
        },
      },
    ],
  },
  {
    name: 'a sensor received by the rtl_433 module',
    source: 'https://docs.openmqttgateway.com/use/rf.html',
    format: 'openmqttgateway',
    topic: 'home/OpenMQTTGateway/RTL_433toMQTT/LaCrosse-TX141THBv2/0/86',
    payload: {
      model: 'LaCrosse-TX141THBv2',
      id: 86,
      channel: 0,
      battery_ok: 1,
      temperature_C: 5.6,
      humidity: 73,
      test: 'No',
      mic: 'CRC',
      rssi: -77,
    },
    samples: [
      {
        device: 'LaCrosse-TX141THBv2-0-86',
        values: { battery_ok: 1, temperature_C: 5.6, humidity: 73, test: 'No', rssi: -77 },
      },
    ],
    units: { 'LaCrosse-TX141THBv2-0-86/temperature_C': '°C', 'LaCrosse-TX141THBv2-0-86/humidity': '%' },
  },
  {
    name: 'a code received on 433 MHz',
    source: 'https://docs.openmqttgateway.com/use/rf.html',
    format: 'openmqttgateway',
    topic: 'home/OpenMQTTGateway/433toMQTT',
    payload: { value: 4_534_142, protocol: 6, length: 26, delay: 356 },
    samples: [
      {
        device: 'OpenMQTTGateway',
        values: { '433.value': 4_534_142, '433.protocol': 6, '433.length': 26, '433.delay': 356 },
      },
    ],
  },
  {
    name: 'the state of the gateway',
    source: gateway,
    format: 'openmqttgateway',
    topic: 'home/OpenMQTTGateway/SYStoMQTT',
    payload: {
      uptime: 1_203,
      version: 'v1.7.0',
      freemem: 107_432,
      rssi: -60,
      modules: ['BT', 'HADiscovery'],
    },
    samples: [
      {
        device: 'OpenMQTTGateway',
        values: {
          uptime: 1_203,
          version: 'v1.7.0',
          freemem: 107_432,
          rssi: -60,
        },
      },
    ],
  },
];
