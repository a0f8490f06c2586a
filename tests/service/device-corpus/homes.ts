import type { DevicePayload } from './device-payload.ts';

const AT = '2026-11-21T09:30:00Z';
const ts = Date.parse(AT);
const seconds = ts / 1_000;

type Values = Readonly<Record<string, unknown>>;
/** A message of one device. */
const of = (
  name: string,
  source: string,
  { topic, level, filter, payload }: Pick<DevicePayload, 'topic' | 'level' | 'filter' | 'payload'>,
  {
    device = level ?? '',
    values,
    at,
    format = 'flat',
  }: { device?: string; values: Values | readonly Values[]; at?: number; format?: string },
  more: Partial<DevicePayload> = {},
): DevicePayload => ({
  name,
  source,
  ...(topic !== undefined && { topic }),
  ...(level !== undefined && { level }),
  ...(filter !== undefined && { filter }),
  payload,
  format,
  samples: (Array.isArray(values) ? (values as Values[]) : [values as Values])
    .filter((own) => Object.keys(own).length > 0)
    .map((own) => ({ device, ...(at !== undefined && { ts: at }), values: own })),
  ...more,
});

const ruuvi = 'https://docs.ruuvi.com/gw-data-formats/mqtt-time-stamped-data-from-bluetooth-sensors';
const awair = 'https://docs.developer.getawair.com/#local-api';
const wled = 'https://kno.wled.ge/interfaces/mqtt/';
const frigate = 'https://docs.frigate.video/integrations/mqtt/';
const nuki = 'https://developer.nuki.io/uploads/short-url/ysLj3dVXHSHZpFUDtMUtPOEF1ye.pdf';
const valetudo = 'https://valetudo.cloud/pages/integrations/mqtt.html';
const owntracks = 'https://owntracks.org/booklet/tech/json/';
const esphome = 'https://esphome.io/components/mqtt.html';
const statestream = 'https://www.home-assistant.io/integrations/mqtt_statestream/';
const rest = 'https://developers.home-assistant.io/docs/api/rest/';

export const homePayloads: readonly DevicePayload[] = [
  of(
    'an advertisement that a Ruuvi Gateway relays',
    ruuvi,
    {
      topic: 'ruuvi/C8:25:2D:8E:9C:2C/DF:3A:4C:11:22:33',
      level: 'DF:3A:4C:11:22:33',
      payload: {
        gw_mac: 'C8:25:2D:8E:9C:2C',
        rssi: -52,
        aoa: [],
        gwts: String(seconds),
        ts: String(seconds),
        data: '0201061BFF9904050F18FFFFFFFFFFF0FFEC0414AA96A8DE8EF7B4D8E6',
        coords: '',
      },
    },
    {
      at: ts,
      values: {
        gw_mac: 'C8:25:2D:8E:9C:2C',
        rssi: -52,
        data: '0201061BFF9904050F18FFFFFFFFFFF0FFEC0414AA96A8DE8EF7B4D8E6',
        coords: '',
      },
    },
  ),
  of(
    'a decoded advertisement of a RuuviTag',
    'https://github.com/Scrin/RuuviBridge',
    {
      topic: 'ruuvitag/DF3A4C112233',
      level: 'DF3A4C112233',
      payload: {
        mac: 'DF3A4C112233',
        name: 'Sauna',
        ts: seconds,
        temperature: 24.3,
        humidity: 53.49,
        pressure: 100_044,
        batteryVoltage: 2.977,
        rssi: -52,
      },
    },
    {
      at: ts,
      values: {
        name: 'Sauna',
        temperature: 24.3,
        humidity: 53.49,
        pressure: 100_044,
        batteryVoltage: 2.977,
        rssi: -52,
      },
    },
  ),
  of(
    'the latest air data of Awair',
    awair,
    {
      topic: 'awair/office',
      level: 'office',
      payload: {
        timestamp: '2026-11-21T09:30:00.123Z',
        score: 88,
        dew_point: 10.55,
        temp: 22.09,
        humid: 47.98,
        abs_humid: 9.36,
        co2: 531,
        co2_est: 518,
        voc: 271,
        voc_baseline: 2_536_770_480,
        pm25: 6,
      },
    },
    {
      at: ts + 123,
      values: {
        score: 88,
        dew_point: 10.55,
        temp: 22.09,
        humid: 47.98,
        abs_humid: 9.36,
        co2: 531,
        co2_est: 518,
        voc: 271,
        voc_baseline: 2_536_770_480,
        pm25: 6,
      },
    },
  ),
  of(
    'the settings of Awair',
    awair,
    {
      topic: 'awair/office',
      level: 'office',
      payload: {
        device_uuid: 'awair-element_5366',
        wifi_mac: '70:88:6B:12:34:56',
        ssid: 'Home',
        fw_version: '1.2.8',
        display: 'score',
        led: { mode: 'auto', brightness: 179 },
      },
    },
    {
      values: {
        ssid: 'Home',
        fw_version: '1.2.8',
        display: 'score',
        'led.mode': 'auto',
        'led.brightness': 179,
      },
    },
  ),
  of(
    'the dashboard data of a Netatmo station, with the time of each',
    'https://dev.netatmo.com/apidocumentation/weather',
    {
      topic: 'netatmo/indoor',
      level: 'indoor',
      payload: {
        _id: '70:ee:50:00:00:00',
        battery_vp: 4_500,
        dashboard_data: {
          time_utc: seconds,
          Temperature: 21.4,
          CO2: 967,
          Humidity: 36,
          Noise: 42,
          temp_trend: 'up',
        },
      },
    },
    {
      values: [
        { _id: '70:ee:50:00:00:00', battery_vp: 4_500 },
        {
          'dashboard_data.Temperature': 21.4,
          'dashboard_data.CO2': 967,
          'dashboard_data.Humidity': 36,
          'dashboard_data.Noise': 42,
          'dashboard_data.temp_trend': 'up',
        },
      ],
    },
    {
      samples: [
        { device: 'indoor', values: { _id: '70:ee:50:00:00:00', battery_vp: 4_500 } },
        {
          device: 'indoor',
          ts,
          values: {
            'dashboard_data.Temperature': 21.4,
            'dashboard_data.CO2': 967,
            'dashboard_data.Humidity': 36,
            'dashboard_data.Noise': 42,
            'dashboard_data.temp_trend': 'up',
          },
        },
      ],
    },
  ),
  of(
    'a state of the REST API of Home Assistant',
    rest,
    {
      payload: {
        entity_id: 'sun.sun',
        state: 'below_horizon',
        last_changed: '2026-05-30T21:43:29.204838+00:00',
        last_updated: AT,
        attributes: { azimuth: 336.34, elevation: -17.67, rising: false, friendly_name: 'Sun' },
      },
    },
    {
      device: 'sun.sun',
      at: ts,
      values: {
        state: 'below_horizon',
        'attributes.azimuth': 336.34,
        'attributes.elevation': -17.67,
        'attributes.rising': false,
        'attributes.friendly_name': 'Sun',
      },
    },
  ),
  of(
    'the state of an entity as Statestream publishes it',
    statestream,
    { topic: 'homeassistant/sensor/outdoor/state', payload: '7.2' },
    { device: 'sensor.outdoor', format: 'statestream', values: { state: 7.2 } },
  ),
  of(
    'a fan that is on',
    statestream,
    { topic: 'homeassistant/fan/bath/state', payload: 'on' },
    { device: 'fan.bath', format: 'statestream', values: { state: 'on' } },
  ),
  of(
    'an entity that is not available',
    statestream,
    { topic: 'homeassistant/sensor/outdoor/state', payload: 'unavailable' },
    { device: 'sensor.outdoor', format: 'statestream', values: {} },
    { noValues: 1 },
  ),
  of(
    'a sensor of ESPHome',
    esphome,
    { topic: 'livingroom/sensor/temperature/state', level: 'livingroom', filter: '+/#', payload: '21.3' },
    { format: 'topic-value', values: { 'sensor.temperature.state': 21.3 } },
  ),
  of(
    'a switch of ESPHome',
    esphome,
    { topic: 'livingroom/switch/relay/state', level: 'livingroom', filter: '+/#', payload: 'ON' },
    { format: 'topic-value', values: { 'switch.relay.state': 'ON' } },
  ),
  of(
    'a sensor of ESPHome without a value',
    esphome,
    { topic: 'livingroom/sensor/temperature/state', level: 'livingroom', filter: '+/#', payload: 'nan' },
    { format: 'topic-value', values: {} },
    { noValues: 1 },
  ),
  of(
    'the birth message of ESPHome',
    esphome,
    { topic: 'livingroom/status', level: 'livingroom', filter: '+/#', payload: 'online' },
    { format: 'topic-value', values: { status: 'online' } },
  ),
  of(
    'the last will of ESPHome',
    esphome,
    { topic: 'livingroom/status', level: 'livingroom', filter: '+/#', payload: 'offline' },
    { format: 'topic-value', values: { status: 'offline' } },
  ),
  of(
    'a light of ESPHome as JSON',
    esphome,
    {
      topic: 'livingroom/light/ceiling/state',
      level: 'livingroom',
      filter: '+/#',
      payload: { effect: 'None', color_mode: 'brightness', state: 'ON', brightness: 126, color: {} },
    },
    { values: { effect: 'None', color_mode: 'brightness', state: 'ON', brightness: 126 } },
  ),
  of(
    'the brightness of WLED',
    wled,
    { topic: 'wled/kitchen/g', level: 'kitchen', filter: 'wled/+/#', payload: '128' },
    { format: 'topic-value', values: { g: 128 } },
  ),
  of(
    'the status of WLED',
    wled,
    { topic: 'wled/kitchen/status', level: 'kitchen', filter: 'wled/+/#', payload: 'online' },
    { format: 'topic-value', values: { status: 'online' } },
  ),
  of(
    'the color of WLED, which is any text',
    wled,
    { topic: 'wled/kitchen/c', level: 'kitchen', filter: 'wled/+/#', payload: '#FFAA00' },
    { format: 'not-json', values: {} },
    { rejections: ['not-json'] },
  ),
  of(
    'the JSON state of WLED',
    'https://kno.wled.ge/interfaces/json-api/',
    {
      topic: 'wled/kitchen/state',
      level: 'kitchen',
      payload: {
        on: true,
        bri: 127,
        transition: 7,
        ps: -1,
        nl: { on: false, dur: 60 },
        seg: [
          {
            id: 0,
            start: 0,
            stop: 20,
            col: [
              [255, 160, 0],
              [0, 0, 0],
              [0, 0, 0],
            ],
            fx: 0,
            sx: 127,
          },
        ],
      },
    },
    {
      values: {
        on: true,
        bri: 127,
        transition: 7,
        ps: -1,
        'nl.on': false,
        'nl.dur': 60,
        'seg.0.id': 0,
        'seg.0.start': 0,
        'seg.0.stop': 20,
        'seg.0.col.0.0': 255,
        'seg.0.col.0.1': 160,
        'seg.0.col.0.2': 0,
        'seg.0.col.1.0': 0,
        'seg.0.col.1.1': 0,
        'seg.0.col.1.2': 0,
        'seg.0.col.2.0': 0,
        'seg.0.col.2.1': 0,
        'seg.0.col.2.2': 0,
        'seg.0.fx': 0,
        'seg.0.sx': 127,
      },
    },
  ),
  of(
    'the number of persons that Frigate detects',
    frigate,
    { topic: 'frigate/front_door/person', level: 'front_door', filter: 'frigate/+/#', payload: '1' },
    { format: 'topic-value', values: { person: 1 } },
  ),
  of(
    'motion that Frigate detects',
    frigate,
    { topic: 'frigate/front_door/motion', level: 'front_door', filter: 'frigate/+/#', payload: 'ON' },
    { format: 'topic-value', values: { motion: 'ON' } },
  ),
  of(
    'the availability of Frigate',
    frigate,
    { topic: 'frigate/available', level: 'available', filter: 'frigate/+/#', payload: 'online' },
    { format: 'not-json', values: {} },
    { rejections: ['not-json'] },
  ),
  of(
    'the statistics of Frigate',
    frigate,
    {
      topic: 'frigate/stats',
      level: 'stats',
      payload: {
        cpu_usages: { 'frigate.full_system': { cpu: '12.0', mem: '31' } },
        detectors: { coral: { detection_start: 0, inference_speed: 9.2, pid: 321 } },
        service: { uptime: 321, version: '0.14.1', last_updated: seconds },
      },
    },
    {
      values: [],
    },
    {
      samples: [
        {
          device: 'stats',
          ts,
          values: {
            'cpu_usages.frigate.full_system.cpu': '12.0',
            'cpu_usages.frigate.full_system.mem': '31',
            'detectors.coral.detection_start': 0,
            'detectors.coral.inference_speed': 9.2,
            'detectors.coral.pid': 321,
          },
        },
        { device: 'stats', ts, values: { 'service.uptime': 321, 'service.version': '0.14.1' } },
      ],
    },
  ),
  of(
    'the lock state of Nuki',
    nuki,
    { topic: 'nuki/45A2F2A/state', level: '45A2F2A', filter: 'nuki/+/#', payload: '1' },
    { format: 'topic-value', values: { state: 1 } },
  ),
  of(
    'the battery of Nuki',
    nuki,
    { topic: 'nuki/45A2F2A/batteryCritical', level: '45A2F2A', filter: 'nuki/+/#', payload: 'false' },
    { format: 'topic-value', values: { batteryCritical: false } },
  ),
  of(
    'the last action of Nuki, which is columns',
    nuki,
    { topic: 'nuki/45A2F2A/lockActionEvent', level: '45A2F2A', filter: 'nuki/+/#', payload: '1,172,0,0,0' },
    { format: 'not-json', values: {} },
    { rejections: ['not-json'] },
  ),
  of(
    'the battery of a robot of Valetudo',
    valetudo,
    {
      topic: 'valetudo/rockrobo/BatteryStateAttribute/level',
      level: 'rockrobo',
      filter: 'valetudo/+/#',
      payload: '96',
    },
    { format: 'topic-value', values: { 'BatteryStateAttribute.level': 96 } },
  ),
  of(
    'the attachments of Valetudo',
    valetudo,
    {
      topic: 'valetudo/rockrobo/AttachmentStateAttribute/mop',
      level: 'rockrobo',
      filter: 'valetudo/+/#',
      payload: 'true',
    },
    { format: 'topic-value', values: { 'AttachmentStateAttribute.mop': true } },
  ),
  of(
    'a location of OwnTracks',
    owntracks,
    {
      topic: 'owntracks/jane/phone',
      level: 'phone',
      payload: {
        _type: 'location',
        acc: 13,
        alt: 165,
        batt: 67,
        bs: 1,
        conn: 'w',
        created_at: seconds + 2,
        lat: 48.856826,
        lon: 2.292713,
        tid: 'ne',
        tst: seconds,
        vac: 4,
        vel: 0,
      },
    },
    {
      at: ts,
      values: {
        _type: 'location',
        acc: 13,
        alt: 165,
        batt: 67,
        bs: 1,
        conn: 'w',
        lat: 48.856826,
        lon: 2.292713,
        tid: 'ne',
        vac: 4,
        vel: 0,
      },
    },
  ),
  of(
    'the last will of OwnTracks',
    owntracks,
    { topic: 'owntracks/jane/phone', level: 'phone', payload: { _type: 'lwt', tst: seconds } },
    { values: { _type: 'lwt' } },
  ),
  of(
    'an advertisement that a Ruuvi Gateway without a clock relays',
    ruuvi,
    {
      topic: 'ruuvi/C8:25:2D:8E:9C:2C/DF:3A:4C:11:22:33',
      level: 'DF:3A:4C:11:22:33',
      payload: { gw_mac: 'C8:25:2D:8E:9C:2C', rssi: -25, aoa: [], cnt: '338', data: '0201061B', coords: '' },
    },
    { values: { gw_mac: 'C8:25:2D:8E:9C:2C', rssi: -25, cnt: '338', data: '0201061B', coords: '' } },
  ),
  of(
    'a transition of OwnTracks',
    owntracks,
    {
      topic: 'owntracks/jane/phone/event',
      level: 'phone',
      payload: {
        _type: 'transition',
        acc: 24.9,
        desc: 'Home',
        event: 'enter',
        lat: 52.3,
        lon: 9.7,
        t: 'b',
        tid: 'ph',
        tst: seconds,
        wtst: 1_380_269_461,
      },
    },
    {
      at: ts,
      values: {
        _type: 'transition',
        acc: 24.9,
        desc: 'Home',
        event: 'enter',
        lat: 52.3,
        lon: 9.7,
        t: 'b',
        tid: 'ph',
        wtst: 1_380_269_461,
      },
    },
  ),
  of(
    'the current weather of OpenWeather',
    'https://openweathermap.org/current',
    {
      topic: 'weather/zocca',
      level: 'zocca',
      payload: {
        coord: { lon: 10.99, lat: 44.34 },
        weather: [{ id: 501, main: 'Rain', description: 'moderate rain', icon: '10d' }],
        base: 'stations',
        main: { temp: 298.48, pressure: 1_015, humidity: 64 },
        visibility: 10_000,
        wind: { speed: 0.62, deg: 349 },
        rain: { '1h': 3.16 },
        dt: seconds,
        timezone: 7_200,
        id: 3_163_858,
        name: 'Zocca',
        cod: 200,
      },
    },
    {
      at: ts,
      values: {
        'coord.lon': 10.99,
        'coord.lat': 44.34,
        'weather.0.id': 501,
        'weather.0.main': 'Rain',
        'weather.0.description': 'moderate rain',
        'weather.0.icon': '10d',
        base: 'stations',
        'main.temp': 298.48,
        'main.pressure': 1_015,
        'main.humidity': 64,
        visibility: 10_000,
        'wind.speed': 0.62,
        'wind.deg': 349,
        'rain.1h': 3.16,
        timezone: 7_200,
        id: 3_163_858,
        name: 'Zocca',
        cod: 200,
      },
    },
  ),
  of(
    'the current weather of Open-Meteo',
    'https://open-meteo.com/en/docs',
    {
      topic: 'weather/berlin',
      level: 'berlin',
      payload: {
        latitude: 52.52,
        longitude: 13.419,
        elevation: 44,
        current_units: { temperature_2m: '°C' },
        current: { time: '2026-11-21T09:30', interval: 900, temperature_2m: 13.3 },
      },
    },
    { values: [] },
    {
      samples: [
        {
          device: 'berlin',
          values: { latitude: 52.52, longitude: 13.419, elevation: 44, 'current_units.temperature_2m': '°C' },
        },
        { device: 'berlin', ts, values: { 'current.interval': 900, 'current.temperature_2m': 13.3 } },
      ],
    },
  ),
  of(
    'a sensor of sensor.community',
    'https://github.com/opendata-stuttgart/meta/wiki/APIs',
    {
      topic: 'air/esp',
      level: 'esp',
      payload: {
        esp8266id: '13597771',
        software_version: 'NRZ-2020-133',
        sensordatavalues: [
          { value_type: 'SDS_P1', value: '4.60' },
          { value_type: 'SDS_P2', value: '2.05' },
        ],
      },
    },
    {
      values: {
        software_version: 'NRZ-2020-133',
        'sensordatavalues.0.value_type': 'SDS_P1',
        'sensordatavalues.0.value': '4.60',
        'sensordatavalues.1.value_type': 'SDS_P2',
        'sensordatavalues.1.value': '2.05',
      },
    },
  ),
  of(
    'a sensor of PurpleAir',
    'https://community.purpleair.com/t/sensor-json-documentation/6917',
    {
      payload: {
        SensorId: '84:f3:eb:12:34:56',
        DateTime: '2026/11/21T09:30:00z',
        Geo: 'PurpleAir-1234',
        Mem: 18_184,
        current_temp_f: 85,
        current_humidity: 40,
        pm2_5_atm: 2.87,
        p25aqic: 'rgb(19,230,0)',
      },
    },
    { device: '84:f3:eb:12:34:56', values: {} },
    {
      samples: [
        {
          device: '84:f3:eb:12:34:56',
          ts,
          values: {
            Geo: 'PurpleAir-1234',
            Mem: 18_184,
            current_temp_f: 85,
            current_humidity: 40,
            pm2_5_atm: 2.87,
            p25aqic: 'rgb(19,230,0)',
          },
        },
      ],
    },
  ),
  of(
    'a Bluetooth thermometer that Theengs Gateway decodes',
    'https://theengs.github.io/gateway/use/use.html',
    {
      topic: 'home/TheengsGateway/BTtoMQTT/A4C138AABB01',
      payload: {
        name: 'LYWSD03MMC',
        id: 'A4:C1:38:AA:BB:01',
        rssi: -71,
        brand: 'Xiaomi',
        model: 'TH Sensor',
        model_id: 'LYWSD03MMC_ATC',
        tempc: 21.9,
        tempf: 71.42,
        hum: 54,
        batt: 65,
      },
    },
    {
      device: 'A4:C1:38:AA:BB:01',
      format: 'openmqttgateway',
      values: {
        rssi: -71,
        brand: 'Xiaomi',
        model: 'TH Sensor',
        model_id: 'LYWSD03MMC_ATC',
        tempc: 21.9,
        tempf: 71.42,
        hum: 54,
        batt: 65,
      },
    },
    { deviceNames: { 'A4:C1:38:AA:BB:01': 'LYWSD03MMC' } },
  ),
  of(
    'beacons that a gateway of Minew lists',
    'https://docs.beaconyun.com/Gateway/G1_E_Json_Document/',
    {
      topic: 'gw/ac233fc00001/status',
      payload: [
        { timestamp: AT, type: 'Gateway', mac: 'AC233FC00001', gatewayFree: 99, gatewayLoad: 0.1 },
        {
          timestamp: AT,
          type: 'S1',
          mac: 'AC233FA00002',
          rssi: -53,
          battery: 100,
          temperature: 24.4,
          humidity: 51.2,
        },
      ],
    },
    { values: {} },
    {
      samples: [
        { device: 'AC233FC00001', ts, values: { type: 'Gateway', gatewayFree: 99, gatewayLoad: 0.1 } },
        {
          device: 'AC233FA00002',
          ts,
          values: { type: 'S1', rssi: -53, battery: 100, temperature: 24.4, humidity: 51.2 },
        },
      ],
    },
  ),
  of(
    'devices that a gateway lists in an envelope',
    'https://docs.kbeacon.com/gateway-mqtt',
    {
      payload: {
        gatewayId: 'gw-1',
        readings: [
          { mac: 'AC233FA00003', rssi: -60 },
          { mac: 'AC233FA00004', rssi: -70 },
        ],
      },
    },
    { values: {} },
    {
      samples: [
        { device: 'AC233FA00003', values: { 'readings.rssi': -60 } },
        { device: 'AC233FA00004', values: { 'readings.rssi': -70 } },
      ],
      rejections: ['device-missing'],
    },
  ),
  of(
    'the state of a Homebridge accessory',
    'https://github.com/arachnetech/homebridge-mqttthing',
    { topic: 'home/lamp/getOn', level: 'lamp', filter: 'home/+/#', payload: 'true' },
    { format: 'topic-value', values: { getOn: true } },
  ),
  of(
    'a weather station of Ecowitt through ecowitt2mqtt',
    'https://github.com/bachya/ecowitt2mqtt',
    {
      topic: 'ecowitt/garden',
      level: 'garden',
      payload: {
        tempin: 20.8,
        humidityin: 54,
        baromrel: 29.8,
        winddir: 196,
        runtime: 319_206,
        dateutc: '2026-11-21 09:30:00',
      },
    },
    { at: ts, values: { tempin: 20.8, humidityin: 54, baromrel: 29.8, winddir: 196, runtime: 319_206 } },
  ),
  of(
    'an observation of a WeatherFlow Tempest, through weewx',
    'https://github.com/weewx/weewx/wiki/mqtt',
    {
      topic: 'weather/loop',
      level: 'loop',
      payload: { dateTime: `${seconds}.000000`, outTemp_C: '21.5', windSpeed_mps: '2.1' },
    },
    { at: ts, values: { outTemp_C: '21.5', windSpeed_mps: '2.1' } },
  ),
  of(
    'a room with a name in Japanese',
    'https://www.home-assistant.io/integrations/mqtt/',
    { payload: { deviceId: '居間', 温度: 21.5, 湿度: 48 } },
    { values: {} },
    {
      samples: [{ device: 'device-e7bd704c', values: { 温度: 21.5, 湿度: 48 } }],
      deviceNames: { 'device-e7bd704c': '居間' },
    },
  ),
  of(
    'names with blanks and units in brackets',
    'https://www.tinytronics.nl/',
    {
      topic: 'x/greenhouse',
      level: 'greenhouse',
      payload: { 'Air Temp (°C)': 21.5, 'Humidity %': 48, 'Soil moisture': 31 },
    },
    { values: { Air_Temp_C: 21.5, Humidity: 48, Soil_moisture: 31 } },
  ),
  of(
    'a list of text and a long list, which are left out',
    'https://zigbee2mqtt.io/guide/usage/exposes.html',
    {
      topic: 'x/scope',
      level: 'scope',
      payload: { peak: 4.2, channels: ['a', 'b'], curve: Array.from({ length: 100 }, (_, i) => i) },
    },
    { values: { peak: 4.2 } },
  ),
];
