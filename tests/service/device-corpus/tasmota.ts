import type { DevicePayload } from './device-payload.ts';

const source = 'https://tasmota.github.io/docs/MQTT/';
const TIME = '2026-11-21T09:30:00';
const ts = Date.parse(`${TIME}Z`);
const of = (payload: Omit<DevicePayload, 'source' | 'format'> & { source?: string }): DevicePayload => ({
  source,
  format: 'tasmota',
  ...payload,
});

export const tasmotaPayloads: readonly DevicePayload[] = [
  of({
    name: 'SENSOR of an energy meter',
    source: 'https://tasmota.github.io/docs/Power-Monitoring-Calibration/',
    topic: 'tele/plug-1/SENSOR',
    payload: {
      Time: TIME,
      ENERGY: {
        TotalStartTime: '2024-02-13T17:05:56',
        Total: 3.185,
        Yesterday: 0.058,
        Today: 0.043,
        Period: 0,
        Power: 3,
        ApparentPower: 14,
        ReactivePower: 13,
        Factor: 0.25,
        Voltage: 236,
        Current: 0.058,
      },
    },
    samples: [
      {
        device: 'plug-1',
        ts,
        values: {
          'ENERGY.Total': 3.185,
          'ENERGY.Yesterday': 0.058,
          'ENERGY.Today': 0.043,
          'ENERGY.Period': 0,
          'ENERGY.Power': 3,
          'ENERGY.ApparentPower': 14,
          'ENERGY.ReactivePower': 13,
          'ENERGY.Factor': 0.25,
          'ENERGY.Voltage': 236,
          'ENERGY.Current': 0.058,
        },
      },
    ],
    units: {
      'plug-1/ENERGY.Total': 'kWh',
      'plug-1/ENERGY.Yesterday': 'kWh',
      'plug-1/ENERGY.Today': 'kWh',
      'plug-1/ENERGY.Period': 'Wh',
      'plug-1/ENERGY.Power': 'W',
      'plug-1/ENERGY.ApparentPower': 'VA',
      'plug-1/ENERGY.ReactivePower': 'var',
      'plug-1/ENERGY.Voltage': 'V',
      'plug-1/ENERGY.Current': 'A',
    },
  }),
  of({
    name: 'SENSOR of a meter with three phases',
    topic: 'tele/meter/SENSOR',
    payload: { Time: TIME, ENERGY: { Total: 12.5, Power: [3, 4, 5] } },
    samples: [
      {
        device: 'meter',
        ts,
        values: { 'ENERGY.Total': 12.5, 'ENERGY.Power.1': 3, 'ENERGY.Power.2': 4, 'ENERGY.Power.3': 5 },
      },
    ],
    units: {
      'meter/ENERGY.Total': 'kWh',
      'meter/ENERGY.Power.1': 'W',
      'meter/ENERGY.Power.2': 'W',
      'meter/ENERGY.Power.3': 'W',
    },
  }),
  of({
    name: 'SENSOR of a meter with tariffs',
    source: 'https://tasmota.github.io/docs/Power-Monitoring-Calibration/',
    topic: 'tele/meter/SENSOR',
    payload: { Time: TIME, ENERGY: { Total: 0.017, TotalTariff: [0, 0.017], ExportActive: 0, Period: 0 } },
    samples: [
      {
        device: 'meter',
        ts,
        values: {
          'ENERGY.Total': 0.017,
          'ENERGY.TotalTariff.1': 0,
          'ENERGY.TotalTariff.2': 0.017,
          'ENERGY.ExportActive': 0,
          'ENERGY.Period': 0,
        },
      },
    ],
    units: { 'meter/ENERGY.Total': 'kWh', 'meter/ENERGY.Period': 'Wh' },
  }),
  of({
    name: 'SENSOR with a current transformer and a switch',
    source: 'https://tasmota.github.io/docs/JSON-Status-Responses/',
    topic: 'tele/pump/SENSOR',
    payload: {
      Time: TIME,
      Switch1: 'ON',
      ANALOG: { CTEnergy: { Energy: 0.006, Power: 2_068, Voltage: 230, Current: 8.992 } },
    },
    samples: [
      {
        device: 'pump',
        ts,
        values: {
          Switch1: 'ON',
          'ANALOG.CTEnergy.Energy': 0.006,
          'ANALOG.CTEnergy.Power': 2_068,
          'ANALOG.CTEnergy.Voltage': 230,
          'ANALOG.CTEnergy.Current': 8.992,
        },
      },
    ],
  }),
  of({
    name: 'SENSOR of climate sensors with stated units',
    source: 'https://tasmota.github.io/docs/DS18x20/',
    topic: 'tele/cellar/SENSOR',
    payload: {
      Time: TIME,
      'DS18B20-1': { Id: '01131B123456', Temperature: 68.7 },
      BME280: { Temperature: 72.1, Humidity: 45.1, DewPoint: 49.6, Pressure: 1_013.2 },
      PressureUnit: 'hPa',
      TempUnit: 'F',
    },
    samples: [
      {
        device: 'cellar',
        ts,
        values: {
          'DS18B20-1.Id': '01131B123456',
          'DS18B20-1.Temperature': 68.7,
          'BME280.Temperature': 72.1,
          'BME280.Humidity': 45.1,
          'BME280.DewPoint': 49.6,
          'BME280.Pressure': 1_013.2,
        },
      },
    ],
    units: {
      'cellar/DS18B20-1.Temperature': '°F',
      'cellar/BME280.Temperature': '°F',
      'cellar/BME280.Humidity': '%',
      'cellar/BME280.DewPoint': '°F',
      'cellar/BME280.Pressure': 'hPa',
    },
  }),
  of({
    name: 'STATE',
    topic: 'tele/plug-1/STATE',
    level: 'plug-1',
    payload: {
      Time: TIME,
      Uptime: '1T23:46:58',
      UptimeSec: 172_018,
      Heap: 27,
      SleepMode: 'Dynamic',
      Sleep: 50,
      LoadAvg: 19,
      MqttCount: 1,
      POWER: 'ON',
      Wifi: { AP: 1, SSId: 'indebuurt', Channel: 11, RSSI: 78, Signal: -61, Downtime: '0T00:00:03' },
    },
    samples: [
      {
        device: 'plug-1',
        ts,
        values: {
          Uptime: '1T23:46:58',
          UptimeSec: 172_018,
          Heap: 27,
          SleepMode: 'Dynamic',
          Sleep: 50,
          LoadAvg: 19,
          MqttCount: 1,
          POWER: 'ON',
          'Wifi.AP': 1,
          'Wifi.SSId': 'indebuurt',
          'Wifi.Channel': 11,
          'Wifi.RSSI': 78,
          'Wifi.Signal': -61,
          'Wifi.Downtime': '0T00:00:03',
        },
      },
    ],
  }),
  of({
    name: 'STATE in the full topic of older versions, before the clock is set',
    topic: 'plug-1/tele/STATE',
    payload: { Time: '1970-01-01T00:00:12', Vcc: 3.1, POWER: 'OFF' },
    samples: [{ device: 'plug-1', values: { Vcc: 3.1, POWER: 'OFF' } }],
  }),
  of({
    name: 'LWT',
    topic: 'tele/plug-1/LWT',
    payload: 'Online',
    samples: [{ device: 'plug-1', values: { LWT: 'Online' } }],
  }),
  of({
    name: 'the result of a command',
    topic: 'stat/plug-1/RESULT',
    payload: { POWER: 'ON' },
    samples: [{ device: 'plug-1', values: { POWER: 'ON' } }],
  }),
  of({
    name: 'the power of a relay as text',
    topic: 'stat/plug-1/POWER2',
    payload: 'OFF',
    samples: [{ device: 'plug-1', values: { POWER2: 'OFF' } }],
  }),
  of({
    name: 'STATUS10 with sensors',
    topic: 'stat/cellar/STATUS10',
    payload: { StatusSNS: { Time: TIME, AM2301: { Temperature: 24.6, Humidity: 58.2 }, TempUnit: 'C' } },
    samples: [{ device: 'cellar', ts, values: { 'AM2301.Temperature': 24.6, 'AM2301.Humidity': 58.2 } }],
    units: { 'cellar/AM2301.Temperature': '°C', 'cellar/AM2301.Humidity': '%' },
  }),
  of({
    name: 'INFO1',
    topic: 'tele/plug-1/INFO1',
    payload: {
      Info1: { Module: 'Sonoff Basic', Version: '14.2.0(tasmota)', FallbackTopic: 'cmnd/DVES_fb/' },
    },
    samples: [],
  }),
  of({
    name: 'STATUS2',
    topic: 'stat/plug-1/STATUS2',
    payload: { StatusFWR: { Version: '14.2.0(tasmota)', Boot: 31 } },
    samples: [],
  }),
  of({ name: 'a command', topic: 'cmnd/plug-1/POWER', payload: 'TOGGLE', samples: [] }),
];
