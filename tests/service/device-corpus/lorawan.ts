import type { DevicePayload } from './device-payload.ts';

const AT = '2026-11-21T09:30:00Z';
const ts = Date.parse(AT);

type Values = Readonly<Record<string, unknown>>;

const stack = 'https://www.thethingsindustries.com/docs/integrations/data-formats/';
/** An uplink of The Things Stack with a decoded payload. */
const ttn = (
  name: string,
  source: string,
  device: string,
  decoded: object,
  values: Values,
  more: Partial<DevicePayload> = {},
): DevicePayload => ({
  name,
  source,
  format: 'things-stack',
  topic: `v3/app@ttn/devices/${device}/up`,
  payload: {
    end_device_ids: {
      device_id: device,
      application_ids: { application_id: 'app' },
      dev_eui: '70B3D57ED0000001',
      dev_addr: '00BCB929',
    },
    correlation_ids: ['as:up:01E0WZGT6Y7657CPFPE5WEYDSQ'],
    received_at: '2026-11-21T09:30:00.500Z',
    uplink_message: {
      session_key_id: 'AXA50IXAMPLE',
      f_port: 1,
      f_cnt: 1,
      frm_payload: 'gkHe',
      decoded_payload: decoded,
      rx_metadata: [
        {
          gateway_ids: { gateway_id: 'gtw1', eui: '9C5C8E00001A05C4' },
          timestamp: 2_463_457_000,
          rssi: -35,
          channel_rssi: -35,
          snr: 5.2,
        },
      ],
      settings: { data_rate: { lora: { bandwidth: 125_000, spreading_factor: 7 } }, frequency: '868300000' },
      received_at: AT,
    },
  },
  samples: [{ device, ts, values: { ...values, rssi: -35, snr: 5.2 } }],
  ...more,
});

const chirpstackEvents = 'https://www.chirpstack.io/docs/chirpstack/integrations/events.html';
const deviceInfo = {
  tenantId: '52f14cd4-c6f1-4fbd-8f87-4025e1d49242',
  tenantName: 'ChirpStack',
  applicationId: '17c82e96-be03-4f38-aef3-f83d48582d97',
  applicationName: 'Test application',
  deviceProfileName: 'Test device-profile',
  deviceName: 'Test device',
  devEui: '0101010101010101',
  tags: { key: 'value' },
};
/** An event of ChirpStack v4. */
const chirpstack = (
  name: string,
  event: string,
  fields: object,
  values: Values,
  more: Partial<DevicePayload> = {},
): DevicePayload => ({
  name,
  source: chirpstackEvents,
  format: 'chirpstack',
  topic: `application/17c82e96-be03-4f38-aef3-f83d48582d97/device/0101010101010101/event/${event}`,
  payload: {
    deduplicationId: '3ac7e3c4-4401-4b8d-9386-a5c902f9202d',
    time: '2026-11-21T09:30:00.000000000+00:00',
    deviceInfo,
    ...fields,
  },
  samples: Object.keys(values).length === 0 ? [] : [{ device: '0101010101010101', ts, values }],
  deviceNames: { '0101010101010101': 'Test device' },
  ...more,
});

export const lorawanPayloads: readonly DevicePayload[] = [
  ttn(
    'an uplink of The Things Stack',
    stack,
    'dev1',
    { temperature: 1, luminosity: 0.64 },
    { temperature: 1, luminosity: 0.64 },
  ),
  ttn(
    'a Dragino LHT65',
    'https://github.com/dragino/dragino-end-node-decoder/tree/main/LHT65',
    'eui-a84041000181bd22',
    {
      BatV: 3.059,
      Bat_status: 3,
      Ext_sensor: 'Temperature Sensor',
      Hum_SHT: '49.6',
      TempC_DS: '22.69',
      TempC_SHT: '22.86',
    },
    {
      BatV: 3.059,
      Bat_status: 3,
      Ext_sensor: 'Temperature Sensor',
      Hum_SHT: '49.6',
      TempC_DS: '22.69',
      TempC_SHT: '22.86',
    },
  ),
  ttn(
    'a Dragino LSE01 soil sensor',
    'https://github.com/dragino/dragino-end-node-decoder/tree/main/LSE01',
    'soil-1',
    { Bat: 3.34, TempC_DS18B20: '0.00', conduct_SOIL: 27, temp_SOIL: '22.52', water_SOIL: '12.14' },
    { Bat: 3.34, TempC_DS18B20: '0.00', conduct_SOIL: 27, temp_SOIL: '22.52', water_SOIL: '12.14' },
  ),
  ttn(
    'an Elsys ERS',
    'https://www.elsys.se/en/elsys-payload/',
    'elsys-1',
    { temperature: 22.6, humidity: 41, light: 39, motion: 6, vdd: 3_642 },
    { temperature: 22.6, humidity: 41, light: 39, motion: 6, vdd: 3_642 },
  ),
  ttn(
    'an Elsys EMS with a list of accelerations',
    'https://www.elsys.se/en/elsys-payload/',
    'elsys-2',
    { accelerationX: -2, externalTemperature2: [21.5, 22], vdd: 3_600 },
    { accelerationX: -2, 'externalTemperature2.0': 21.5, 'externalTemperature2.1': 22, vdd: 3_600 },
  ),
  ttn(
    'a Decentlab DL-PAR',
    'https://github.com/decentlab/decentlab-decoders',
    'decentlab-1',
    {
      protocol_version: 2,
      device_id: 1_592,
      battery_voltage: { displayName: 'Battery voltage', unit: 'V', value: 2.998 },
      photosynthetically_active_radiation: {
        displayName: 'Photosynthetically active radiation',
        unit: 'µmol⋅m⁻²⋅s⁻¹',
        value: 110.5,
      },
    },
    {
      protocol_version: 2,
      device_id: 1_592,
      'battery_voltage.displayName': 'Battery voltage',
      'battery_voltage.unit': 'V',
      'battery_voltage.value': 2.998,
      'photosynthetically_active_radiation.displayName': 'Photosynthetically active radiation',
      'photosynthetically_active_radiation.unit': 'µmol⋅m⁻²⋅s⁻¹',
      'photosynthetically_active_radiation.value': 110.5,
    },
  ),
  ttn(
    'a Sensative Strips',
    'https://github.com/Sensative/dots',
    'strips-1',
    {
      historySeqNr: 2_345,
      prevHistSeqNr: 2_345,
      battery: { value: 99 },
      doorReport: { value: true },
      tempReport: { value: 21.4 },
    },
    {
      historySeqNr: 2_345,
      prevHistSeqNr: 2_345,
      'battery.value': 99,
      'doorReport.value': true,
      'tempReport.value': 21.4,
    },
  ),
  ttn(
    'a Milesight EM300-TH',
    'https://github.com/Milesight-IoT/SensorDecoders',
    'em300-1',
    { battery: 92, temperature: 30.8, humidity: 56.5 },
    { battery: 92, temperature: 30.8, humidity: 56.5 },
  ),
  ttn(
    'a Milesight WS101 button',
    'https://github.com/Milesight-IoT/SensorDecoders',
    'ws101-1',
    { battery: 100, button_event: { status: 'short press', msgid: 3 } },
    { battery: 100, 'button_event.status': 'short press', 'button_event.msgid': 3 },
  ),
  ttn(
    'a Browan tabs sensor with Cayenne LPP names',
    'https://www.thethingsindustries.com/docs/integrations/payload-formatters/cayenne/',
    'lpp-1',
    {
      temperature_1: 27.2,
      relative_humidity_2: 50,
      digital_in_3: 1,
      gps_4: { latitude: 42.3519, longitude: -87.9094, altitude: 10 },
    },
    {
      temperature_1: 27.2,
      relative_humidity_2: 50,
      digital_in_3: 1,
      'gps_4.latitude': 42.3519,
      'gps_4.longitude': -87.9094,
      'gps_4.altitude': 10,
    },
  ),
  {
    name: 'an uplink of The Things Stack without a decoder',
    source: stack,
    format: 'things-stack',
    topic: 'v3/app@ttn/devices/dev2/up',
    payload: {
      end_device_ids: { device_id: 'dev2' },
      received_at: AT,
      uplink_message: {
        f_port: 1,
        frm_payload: 'AQID',
        rx_metadata: [{ rssi: -35, snr: 5.2 }],
        received_at: AT,
      },
    },
    samples: [{ device: 'dev2', ts, values: { rssi: -35, snr: 5.2 } }],
    rejections: ['payload-not-decoded'],
  },
  {
    name: 'a join of The Things Stack',
    source: stack,
    format: 'things-stack',
    topic: 'v3/app@ttn/devices/dev1/join',
    payload: {
      end_device_ids: { device_id: 'dev1' },
      received_at: AT,
      join_accept: { session_key_id: 'AXBSH1Pk6Z0G166...' },
    },
    samples: [],
    rejections: ['no-values'],
  },
  {
    name: 'a solved location of The Things Stack',
    source: stack,
    format: 'things-stack',
    topic: 'v3/app@ttn/devices/dev1/location/solved',
    payload: {
      end_device_ids: { device_id: 'dev1' },
      received_at: AT,
      location_solved: {
        service: 'lora-cloud-geolocation-v3',
        location: {
          latitude: 52.37,
          longitude: 4.88,
          altitude: 0,
          accuracy: 12,
          source: 'SOURCE_LORA_TDOA_GEOLOCATION',
        },
      },
    },
    samples: [
      {
        device: 'dev1',
        ts,
        values: {
          'location.latitude': 52.37,
          'location.longitude': 4.88,
          'location.altitude': 0,
          'location.accuracy': 12,
        },
      },
    ],
  },
  chirpstack(
    'an uplink of ChirpStack v4',
    'up',
    {
      devAddr: '00189440',
      adr: true,
      dr: 1,
      fCnt: 4,
      fPort: 1,
      confirmed: true,
      data: 'qg==',
      object: { temperatureSensor: { 1: 22.5 } },
      rxInfo: [
        { gatewayId: '0016c001f153a14c', uplinkId: 4_217_106_255, rssi: -36, snr: 10.5, context: 'E3OWOQ==' },
      ],
      txInfo: { frequency: 867_100_000 },
    },
    { 'temperatureSensor.1': 22.5, rssi: -36, snr: 10.5 },
  ),
  chirpstack(
    'a status of ChirpStack v4',
    'status',
    { margin: 7, externalPowerSource: false, batteryLevelUnavailable: false, batteryLevel: 75.59 },
    { margin: 7, battery: 75.59, externalPower: false },
  ),
  chirpstack('a join of ChirpStack v4', 'join', { devAddr: '00189440' }, {}, { rejections: ['no-values'] }),
  chirpstack(
    'an acknowledgement of ChirpStack v4',
    'ack',
    { queueItemId: '24e8ac58-8b3d-4e1e-8f21-bc15d1d1d2a4', acknowledged: true, fCntDown: 2 },
    {},
    { rejections: ['no-values'] },
  ),
  chirpstack(
    'a location of ChirpStack v4',
    'location',
    { location: { latitude: 52.37, longitude: 4.88, altitude: 3, source: 'GEO_RESOLVER_TDOA' } },
    {
      'location.latitude': 52.37,
      'location.longitude': 4.88,
      'location.altitude': 3,
      'location.source': 'GEO_RESOLVER_TDOA',
    },
  ),
  chirpstack(
    'a Dragino sensor through ChirpStack',
    'up',
    { fPort: 2, data: 'AQ==', object: { Hum_SHT: 49.6, TempC_SHT: 22.86, Node_type: 'LHT65' }, rxInfo: [] },
    { Hum_SHT: 49.6, TempC_SHT: 22.86, Node_type: 'LHT65' },
  ),
  {
    name: 'a NB-IoT node of Dragino, which sends its IMEI',
    source:
      'https://wiki.dragino.com/xwiki/bin/view/Main/General%20Configure%20to%20Connect%20to%20IoT%20server%20for%20-NB%20%26%20-NS%20NB-IoT%20models/',
    format: 'flat',
    topic: 'dragino/uplink',
    payload: {
      IMEI: '868411066551234',
      Model: 'S31-NB',
      mod: 1,
      battery: 3.52,
      signal: 24,
      humidity: 51.8,
      temperature: 23.2,
      interrupt: 0,
    },
    samples: [
      {
        device: '868411066551234',
        values: {
          Model: 'S31-NB',
          mod: 1,
          battery: 3.52,
          signal: 24,
          humidity: 51.8,
          temperature: 23.2,
          interrupt: 0,
        },
      },
    ],
  },
  {
    name: 'an undecoded uplink of Loriot',
    source: 'https://docs.loriot.io/space/NMS/6033604/Uplink+Data+Message',
    format: 'flat',
    payload: {
      cmd: 'rx',
      seqno: 1_854,
      EUI: 'BE7A00000000301D',
      ts,
      fcnt: 12,
      port: 2,
      rssi: -97,
      snr: 7.5,
      bat: 255,
      data: '0175640367b700',
    },
    samples: [
      {
        device: 'BE7A00000000301D',
        ts,
        values: {
          cmd: 'rx',
          seqno: 1_854,
          fcnt: 12,
          port: 2,
          rssi: -97,
          snr: 7.5,
          bat: 255,
          data: '0175640367b700',
        },
      },
    ],
  },
  {
    name: 'an Abeeway tracker through ThingPark',
    source: 'https://docs.thingpark.com/thingpark-x/latest/Message/',
    format: 'thingpark',
    payload: {
      DevEUI_uplink: {
        Time: '2026-11-21T10:30:00.000+01:00',
        DevEUI: '20635F0106000B1D',
        FPort: 18,
        payload_hex: '0560',
        LrrRSSI: -58,
        LrrSNR: 9.25,
        payload: { batteryLevel: 97, temperatureMeasure: 23.8 },
      },
    },
    samples: [
      {
        device: '20635F0106000B1D',
        ts,
        values: { batteryLevel: 97, temperatureMeasure: 23.8, rssi: -58, snr: 9.25 },
      },
    ],
  },
];
