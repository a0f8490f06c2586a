import type { DevicePayload } from './device-payload.ts';

const AT = '2026-11-21T09:30:00Z';
const ts = Date.parse(AT);
const seconds = ts / 1_000;

const scalar = (
  name: string,
  source: string,
  [topic, level, filter]: [string, string, string],
  payload: object | string,
  values: Readonly<Record<string, unknown>>,
): DevicePayload => ({
  name,
  source,
  topic,
  level,
  filter,
  payload,
  format: 'topic-value',
  samples: Object.keys(values).length === 0 ? [] : [{ device: level, values }],
  ...(Object.keys(values).length === 0 && { noValues: 1 }),
});

const flashmq = 'https://github.com/victronenergy/dbus-flashmq';
const evcc = 'https://docs.evcc.io/en/docs/integrations/mqtt';
const fronius =
  'https://www.fronius.com/en/solar-energy/installers-partners/technical-data/all-products/system-monitoring/open-interfaces/fronius-solar-api-json-';

/** Messages of inverters, meters and chargers. */
export const energyPayloads: readonly DevicePayload[] = [
  scalar(
    'a number of Victron Venus OS',
    flashmq,
    ['N/e0ff50a097c0/system/0/Dc/Battery/Soc', 'e0ff50a097c0', 'N/+/#'],
    { value: 93 },
    { 'system.0.Dc.Battery.Soc': 93 },
  ),
  scalar(
    'a text of Victron Venus OS',
    flashmq,
    ['N/e0ff50a097c0/battery/277/ProductName', 'e0ff50a097c0', 'N/+/#'],
    { value: 'Lynx Smart BMS' },
    { 'battery.277.ProductName': 'Lynx Smart BMS' },
  ),
  scalar(
    'a setting of Victron Venus OS with its limits',
    flashmq,
    ['N/e0ff50a097c0/settings/0/Settings/CGwacs/AcPowerSetPoint', 'e0ff50a097c0', 'N/+/#'],
    { max: 1_000_000, min: -1_000_000, value: 50 },
    {
      'settings.0.Settings.CGwacs.AcPowerSetPoint': 50,
      'settings.0.Settings.CGwacs.AcPowerSetPoint.max': 1_000_000,
      'settings.0.Settings.CGwacs.AcPowerSetPoint.min': -1_000_000,
    },
  ),
  scalar(
    'a value of Victron Venus OS that is not known',
    flashmq,
    ['N/e0ff50a097c0/vebus/276/Ac/ActiveIn/L2/P', 'e0ff50a097c0', 'N/+/#'],
    { value: null },
    {},
  ),
  scalar(
    'the end of a full publication of Victron Venus OS',
    flashmq,
    ['N/e0ff50a097c0/full_publish_completed', 'e0ff50a097c0', 'N/+/#'],
    { value: 1_795_253_400 },
    { full_publish_completed: 1_795_253_400 },
  ),
  scalar('a number of evcc', evcc, ['evcc/site/homePower', 'site', 'evcc/+/#'], '523', { homePower: 523 }),
  scalar('a nested number of evcc', evcc, ['evcc/site/grid/power', 'site', 'evcc/+/#'], '-1200.5', {
    'grid.power': -1_200.5,
  }),
  scalar('a boolean of evcc', evcc, ['evcc/loadpoints/1/charging', 'loadpoints', 'evcc/+/#'], 'false', {
    '1.charging': false,
  }),
  {
    name: 'a mode of evcc, which is any text',
    source: evcc,
    format: 'not-json',
    topic: 'evcc/loadpoints/1/mode',
    level: 'loadpoints',
    filter: 'evcc/+/#',
    payload: 'minpv',
    samples: [],
    rejections: ['not-json'],
  },
  scalar(
    'a number of openWB',
    'https://openwb.de/main/?page_id=151',
    ['openWB/evu/W', 'evu', 'openWB/+/#'],
    '1423',
    { W: 1_423 },
  ),
  scalar(
    'a list of go-eCharger',
    'https://github.com/goecharger/go-eCharger-API-v2/blob/main/mqtt-en.md',
    ['go-eCharger/123456/nrg', '123456', 'go-eCharger/+/#'],
    [230, 231, 229, 0, 6, 6, 6],
    { 'nrg.0': 230, 'nrg.1': 231, 'nrg.2': 229, 'nrg.3': 0, 'nrg.4': 6, 'nrg.5': 6, 'nrg.6': 6 },
  ),
  scalar(
    'the state of go-eCharger',
    'https://github.com/goecharger/go-eCharger-API-v2/blob/main/mqtt-en.md',
    ['go-eCharger/123456/car', '123456', 'go-eCharger/+/#'],
    '2',
    { car: 2 },
  ),
  scalar(
    'a reading of OpenDTU',
    'https://www.opendtu.solar/firmware/mqtt_topics/',
    ['solar/116180212345/0/power', '116180212345', 'solar/+/#'],
    '318.4',
    { '0.power': 318.4 },
  ),
  scalar(
    'a reading of AhoyDTU',
    'https://ahoydtu.de/',
    ['inverter/HM-600/ch0/P_AC', 'HM-600', 'inverter/+/#'],
    '112.70',
    { 'ch0.P_AC': 112.7 },
  ),
  scalar(
    'a reading of mbmd',
    'https://github.com/volkszaehler/mbmd',
    ['mbmd/sdm1-1/Power', 'sdm1-1', 'mbmd/+/#'],
    '1250.500',
    { Power: 1_250.5 },
  ),
  scalar(
    'a reading of vzlogger',
    'https://wiki.volkszaehler.org/software/controller/vzlogger/vzlogger_conf_parameter',
    ['vzlogger/chn0/agg', 'chn0', 'vzlogger/+/#'],
    '245.5',
    { agg: 245.5 },
  ),
  {
    name: 'a reading of vzlogger with its time',
    source: 'https://wiki.volkszaehler.org/software/controller/vzlogger/vzlogger_conf_parameter',
    format: 'topic-value',
    topic: 'vzlogger/chn0/raw',
    level: 'chn0',
    filter: 'vzlogger/+/#',
    payload: { timestamp: ts, value: 245.5 },
    samples: [{ device: 'chn0', ts, values: { raw: 245.5 } }],
  },
  {
    name: 'the realtime data of an inverter of Fronius',
    source: fronius,
    format: 'flat',
    level: 'fronius',
    topic: 'solar/fronius',
    payload: {
      Body: {
        Data: {
          DAY_ENERGY: { Unit: 'Wh', Values: { 1: 6_000 } },
          PAC: { Unit: 'W', Values: { 1: 1_764 } },
          YEAR_ENERGY: { Unit: 'Wh', Values: { 1: 3_300_000 } },
        },
      },
      Head: {
        RequestArguments: { DeviceClass: 'Inverter', Scope: 'System' },
        Status: { Code: 0, Reason: '', UserMessage: '' },
        Timestamp: '2026-11-21T10:30:00+01:00',
      },
    },
    samples: [
      {
        device: 'fronius',
        ts,
        values: {
          'Body.Data.DAY_ENERGY.Unit': 'Wh',
          'Body.Data.DAY_ENERGY.Values.1': 6_000,
          'Body.Data.PAC.Unit': 'W',
          'Body.Data.PAC.Values.1': 1_764,
          'Body.Data.YEAR_ENERGY.Unit': 'Wh',
          'Body.Data.YEAR_ENERGY.Values.1': 3_300_000,
        },
      },
      {
        device: 'fronius',
        ts,
        values: {
          'Head.RequestArguments.DeviceClass': 'Inverter',
          'Head.RequestArguments.Scope': 'System',
          'Head.Status.Code': 0,
          'Head.Status.Reason': '',
          'Head.Status.UserMessage': '',
        },
      },
    ],
  },
  {
    name: 'the power flow of Fronius',
    source: fronius,
    format: 'flat',
    level: 'fronius',
    topic: 'solar/fronius',
    payload: {
      Body: {
        Data: {
          Inverters: { 1: { DT: 1, E_Day: 5_000, P: 2_100 } },
          Site: { Mode: 'meter', P_Grid: -511.99, P_Load: -1_588.01, P_PV: 2_100, P_Akku: null },
        },
      },
      Head: { Status: { Code: 0 }, Timestamp: AT },
    },
    samples: [
      {
        device: 'fronius',
        ts,
        values: {
          'Body.Data.Inverters.1.DT': 1,
          'Body.Data.Inverters.1.E_Day': 5_000,
          'Body.Data.Inverters.1.P': 2_100,
          'Body.Data.Site.Mode': 'meter',
          'Body.Data.Site.P_Grid': -511.99,
          'Body.Data.Site.P_Load': -1_588.01,
          'Body.Data.Site.P_PV': 2_100,
        },
      },
      { device: 'fronius', ts, values: { 'Head.Status.Code': 0 } },
    ],
  },
  {
    name: 'values of an inverter of SMA',
    source: 'https://github.com/sma/ennexos-api',
    format: 'flat',
    level: 'sma',
    topic: 'sma/sma',
    payload: { result: { '0199-xxxxx9BD': { '6100_40263F00': { 1: [{ val: 1_764 }] } } } },
    samples: [{ device: 'sma', values: { 'result.0199-xxxxx9BD.6100_40263F00.1.0.val': 1_764 } }],
  },
  {
    name: 'a reading of SBFspot',
    source: 'https://github.com/SBFspot/SBFspot/wiki/MQTT-in-SBFspot',
    format: 'flat',
    topic: 'sbfspot_2100123456',
    payload: {
      Timestamp: '2026-11-21T09:30:00',
      SerialNumber: 2_100_123_456,
      PACTot: 1_764,
      EToday: 6.032,
      Temperature: 41.2,
    },
    samples: [{ device: '2100123456', ts, values: { PACTot: 1_764, EToday: 6.032, Temperature: 41.2 } }],
  },
  {
    name: 'the telegram of a P1 meter of HomeWizard',
    source: 'https://api-documentation.homewizard.com/docs/v1/measurement/',
    format: 'flat',
    level: 'p1',
    topic: 'homewizard/p1',
    payload: {
      wifi_ssid: 'My Wi-Fi',
      wifi_strength: 100,
      smr_version: 50,
      meter_model: 'ISKRA  2M550T-101',
      unique_id: '00112233445566778899AABBCCDDEEFF',
      active_tariff: 2,
      total_power_import_kwh: 13_779.338,
      active_power_w: -543,
      active_power_l1_w: -676,
      montly_power_peak_timestamp: 230_101_080_010,
      gas_timestamp: 210_606_140_010,
      total_gas_m3: 2_569.646,
      external: [
        {
          unique_id: '00112233445566778899AABBCCDDEEFF',
          type: 'gas_meter',
          timestamp: 210_606_140_010,
          value: 2_569.646,
          unit: 'm3',
        },
      ],
    },
    samples: [
      {
        device: 'p1',
        values: {
          wifi_ssid: 'My Wi-Fi',
          wifi_strength: 100,
          smr_version: 50,
          meter_model: 'ISKRA  2M550T-101',
          active_tariff: 2,
          total_power_import_kwh: 13_779.338,
          active_power_w: -543,
          active_power_l1_w: -676,
          total_gas_m3: 2_569.646,
        },
      },
      {
        device: '00112233445566778899AABBCCDDEEFF',
        values: { 'external.type': 'gas_meter', 'external.value': 2_569.646, 'external.unit': 'm3' },
      },
    ],
  },
  {
    name: 'a telegram of DSMR-reader',
    source: 'https://dsmr-reader.readthedocs.io/en/v5/how-to/mqtt/',
    format: 'flat',
    level: 'p1',
    topic: 'dsmr/p1',
    payload: {
      id: 1_234,
      timestamp: AT,
      electricity_delivered_1: 1_234.567,
      electricity_currently_delivered: 0.532,
      phase_power_current_l1: 2,
      extra_device_timestamp: null,
    },
    samples: [
      {
        device: 'p1',
        ts,
        values: {
          id: 1_234,
          electricity_delivered_1: 1_234.567,
          electricity_currently_delivered: 0.532,
          phase_power_current_l1: 2,
        },
      },
    ],
  },
  {
    name: 'the reading of an electricity meter of Glow',
    source: 'https://docs.glowmarkt.com/',
    format: 'flat',
    topic: 'glow/4C7525D44A50/SENSOR/electricitymeter',
    level: '4C7525D44A50',
    payload: {
      electricitymeter: {
        timestamp: AT,
        energy: {
          export: { cumulative: 0, units: 'kWh' },
          import: {
            cumulative: 2_357.412,
            day: 5.412,
            week: 22.1,
            month: 88,
            units: 'kWh',
            mpan: '1234567890123',
            supplier: 'OVO',
            price: { unitrate: 0.30072, standingcharge: 0.42 },
          },
        },
        power: { value: 0.573, units: 'kW' },
      },
    },
    samples: [
      {
        device: '4C7525D44A50',
        ts,
        values: {
          'electricitymeter.energy.export.cumulative': 0,
          'electricitymeter.energy.export.units': 'kWh',
          'electricitymeter.energy.import.cumulative': 2_357.412,
          'electricitymeter.energy.import.day': 5.412,
          'electricitymeter.energy.import.week': 22.1,
          'electricitymeter.energy.import.month': 88,
          'electricitymeter.energy.import.units': 'kWh',
          'electricitymeter.energy.import.mpan': '1234567890123',
          'electricitymeter.energy.import.supplier': 'OVO',
          'electricitymeter.energy.import.price.unitrate': 0.30072,
          'electricitymeter.energy.import.price.standingcharge': 0.42,
          'electricitymeter.power.value': 0.573,
          'electricitymeter.power.units': 'kW',
        },
      },
    ],
  },
  {
    name: 'the state of Glow itself',
    source: 'https://docs.glowmarkt.com/',
    format: 'flat',
    topic: 'glow/4C7525D44A50/STATE',
    level: '4C7525D44A50',
    payload: {
      software: 'v1.8.12',
      timestamp: AT,
      hardware: 'GLOW-IHD-01-1v4-SMETS2',
      ethmac: '4C7525D44A53',
      zigbee: 'no',
      han: { rssi: -75, status: 'joined', lqi: 100 },
    },
    samples: [
      {
        device: '4C7525D44A50',
        ts,
        values: {
          software: 'v1.8.12',
          hardware: 'GLOW-IHD-01-1v4-SMETS2',
          ethmac: '4C7525D44A53',
          zigbee: 'no',
          'han.rssi': -75,
          'han.status': 'joined',
          'han.lqi': 100,
        },
      },
    ],
  },
  {
    name: 'the status of an Enphase Envoy',
    source:
      'https://enphase.com/download/accessing-iq-gateway-local-apis-or-local-ui-token-based-authentication',
    format: 'flat',
    level: 'envoy',
    topic: 'solar/envoy',
    payload: {
      production: [
        { type: 'inverters', activeCount: 12, readingTime: seconds, wNow: 1_812, whLifetime: 5_010_000 },
      ],
      storage: [{ type: 'acb', activeCount: 0, readingTime: 0, wNow: 0, state: 'idle' }],
    },
    samples: [
      {
        device: 'envoy',
        values: {
          'storage.0.type': 'acb',
          'storage.0.activeCount': 0,
          'storage.0.readingTime': 0,
          'storage.0.wNow': 0,
          'storage.0.state': 'idle',
        },
      },
      {
        device: 'envoy',
        ts,
        values: {
          'production.type': 'inverters',
          'production.activeCount': 12,
          'production.wNow': 1_812,
          'production.whLifetime': 5_010_000,
        },
      },
    ],
  },
  {
    name: 'the inverters of an Enphase Envoy',
    source:
      'https://enphase.com/download/accessing-iq-gateway-local-apis-or-local-ui-token-based-authentication',
    format: 'flat',
    topic: 'solar/inverters',
    payload: [
      {
        serialNumber: '121547058993',
        lastReportDate: seconds,
        devType: 1,
        lastReportWatts: 254,
        maxReportWatts: 256,
      },
      {
        serialNumber: '121547060687',
        lastReportDate: seconds,
        devType: 1,
        lastReportWatts: 251,
        maxReportWatts: 254,
      },
    ],
    samples: [
      { device: '121547058993', ts, values: { devType: 1, lastReportWatts: 254, maxReportWatts: 256 } },
      { device: '121547060687', ts, values: { devType: 1, lastReportWatts: 251, maxReportWatts: 254 } },
    ],
  },
  {
    name: 'a sample of the solar assistant of a Growatt datalogger',
    source: 'https://github.com/johanmeijer/grott/wiki/Grott-MQTT-messages',
    format: 'flat',
    topic: 'energy/growatt',
    level: 'growatt',
    payload: {
      device: 'NLE0123456',
      time: '2026-11-21T09:30:00',
      buffered: 'no',
      values: { pvstatus: 1, pvpowerin: 1_234, pv1voltage: 2_503, pvfrequentie: 5_001 },
    },
    samples: [
      {
        device: 'NLE0123456',
        ts,
        values: {
          buffered: 'no',
          'values.pvstatus': 1,
          'values.pvpowerin': 1_234,
          'values.pv1voltage': 2_503,
          'values.pvfrequentie': 5_001,
        },
      },
    ],
  },
  {
    name: 'the realtime data of a Sonnen battery',
    source: 'https://jlunz.github.io/homeassistant/',
    format: 'flat',
    level: 'sonnen',
    topic: 'solar/sonnen',
    payload: {
      Consumption_W: 403,
      Fac: 50.03,
      GridFeedIn_W: -31,
      Pac_total_W: 372,
      Production_W: 0,
      RSOC: 81,
      Timestamp: '2026-11-21 09:30:00',
      USOC: 78,
      BatteryCharging: false,
    },
    samples: [
      {
        device: 'sonnen',
        ts,
        values: {
          Consumption_W: 403,
          Fac: 50.03,
          GridFeedIn_W: -31,
          Pac_total_W: 372,
          Production_W: 0,
          RSOC: 81,
          USOC: 78,
          BatteryCharging: false,
        },
      },
    ],
  },
];
