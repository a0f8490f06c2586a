import type { DevicePayload } from './device-payload.ts';

const azure = 'https://learn.microsoft.com/en-us/azure/event-grid/event-schema-iot-hub';
const azureRoutes = 'https://learn.microsoft.com/en-us/azure/iot-hub/iot-hub-devguide-messages-d2c';
const helium = 'https://docs.helium.com/console/integrations/json-schema';
const milesight =
  'https://www.milesight.com/development-platform/docs/en/api-reference/event-device-data.html';
const flespi = 'https://flespi.com/kb/messages-basic-information-units';
const teltonika = 'https://wiki.teltonika-gps.com/view/Codec';
const AT = '2026-11-21T09:30:00Z';
const AT_MS = Date.parse(AT);
const AT_S = AT_MS / 1_000;

const telemetryEvent = (body: unknown) => ({
  id: '9af86784-8d40-fe2g-8b2a-bab65e106785',
  topic: '/SUBSCRIPTIONS/ID/RESOURCEGROUPS/RG/PROVIDERS/MICROSOFT.DEVICES/IOTHUBS/HUB',
  subject: 'devices/LogicAppTestDevice',
  eventType: 'Microsoft.Devices.DeviceTelemetry',
  eventTime: '2026-11-21T09:30:05Z',
  data: {
    body,
    properties: { Status: 'Active' },
    systemProperties: {
      'iothub-content-type': 'application/json',
      'iothub-content-encoding': 'utf-8',
      'iothub-connection-device-id': 'LogicAppTestDevice',
      'iothub-connection-auth-generation-id': '637067513842311590',
      'iothub-enqueuedtime': AT,
      'iothub-message-source': 'Telemetry',
    },
  },
  dataVersion: '',
  metadataVersion: '1',
});
const hotspot = { channel: 4, frequency: 904.7, id: '112W', name: 'quick-mint-lion', spreading: 'SF9BW125' };

export const cloudPayloads: readonly DevicePayload[] = [
  {
    name: 'a telemetry event of Azure Event Grid',
    source: azure,
    format: 'azure-iot',
    payload: [telemetryEvent({ Weather: { Temperature: 900 }, Location: 'USA' })],
    samples: [
      { device: 'LogicAppTestDevice', ts: AT_MS, values: { 'Weather.Temperature': 900, Location: 'USA' } },
    ],
  },
  {
    name: 'a telemetry event in the CloudEvents schema, with a body in Base64 that has a timestamp',
    source: azure,
    format: 'azure-iot',
    payload: {
      ...telemetryEvent(Buffer.from(JSON.stringify({ t: 4, timestamp: AT_S - 60 })).toString('base64')),
      eventType: undefined,
      type: 'Microsoft.Devices.DeviceTelemetry',
    },
    samples: [{ device: 'LogicAppTestDevice', ts: AT_MS - 60_000, values: { t: 4 } }],
  },
  {
    name: 'the connection of a device to Azure IoT Hub',
    source: azure,
    format: 'azure-iot',
    payload: [
      {
        id: 'f6bbf8f4-d365-520d-a878-17bf7238abd8',
        subject: 'devices/LogicAppTestDevice',
        eventType: 'Microsoft.Devices.DeviceConnected',
        eventTime: AT,
        data: { hubName: 'HUB', deviceId: 'LogicAppTestDevice', deviceConnectionStateEventInfo: {} },
      },
    ],
    samples: [],
  },
  {
    name: 'a message that Azure IoT Hub routed to a container',
    source: azureRoutes,
    format: 'azure-iot',
    payload: {
      EnqueuedTimeUtc: AT,
      Properties: { level: 'normal' },
      SystemProperties: { connectionDeviceId: 'pump-1', enqueuedTime: AT },
      Body: { pressure: 3.5 },
    },
    samples: [{ device: 'pump-1', ts: AT_MS, values: { pressure: 3.5 } }],
  },
  {
    name: 'an uplink of the Helium Console',
    source: helium,
    format: 'helium',
    payload: {
      app_eui: '6081F9BF908E2EA0',
      decoded: { payload: { Temperature: 21.5, Humidity: 40 }, status: 'success' },
      dev_eui: '6081F9A8ACB0E1F1',
      devaddr: '45000048',
      fcnt: 3,
      hotspots: [
        { ...hotspot, rssi: -101, snr: -3.2, reported_at: AT_MS, status: 'success' },
        { ...hotspot, id: '112X', rssi: -80, snr: 7, reported_at: AT_MS, status: 'success' },
      ],
      id: '69eccc7d-3d0e-4fa4-8a54-7c9d3a4b8e5a',
      metadata: { labels: [], organization_id: 'o' },
      name: 'greenhouse',
      payload: 'SGVsbG8=',
      payload_size: 5,
      port: 2,
      reported_at: AT_MS,
      type: 'uplink',
    },
    samples: [
      {
        device: '6081F9A8ACB0E1F1',
        ts: AT_MS,
        values: { Temperature: 21.5, Humidity: 40, rssi: -80, snr: 7 },
      },
    ],
    deviceNames: { '6081F9A8ACB0E1F1': 'greenhouse' },
  },
  {
    name: 'the properties of a device of the Milesight Development Platform',
    source: milesight,
    format: 'milesight',
    payload: [
      {
        eventId: '1d2f3e4c',
        eventCreatedTime: AT_S,
        eventVersion: '1.0',
        eventType: 'DEVICE_DATA',
        data: {
          deviceProfile: {
            deviceId: '1762345678901',
            sn: '6785D16321900001',
            devEUI: '24E124785D163219',
            name: 'EM300-TH',
            communicationMethod: 'LORAWAN',
            model: 'EM300-TH-868M',
          },
          type: 'PROPERTY',
          tslId: null,
          payload: { temperature: 25.5, humidity: 60, battery: 99 },
          ts: AT_MS,
        },
      },
    ],
    samples: [
      { device: '24E124785D163219', ts: AT_MS, values: { temperature: 25.5, humidity: 60, battery: 99 } },
    ],
    deviceNames: { '24E124785D163219': 'EM300-TH' },
  },
  {
    name: 'an event of the Milesight Development Platform, whose only time is that of the event, as text',
    source: milesight,
    format: 'milesight',
    payload: {
      eventID: '6167cb40',
      eventCreatedTime: String(AT_S),
      eventVersion: '1.0',
      eventType: 'DEVICE_DATA',
      data: {
        deviceProfile: {
          deviceId: '1904371063669395457',
          sn: '6707E04610160001',
          devEUI: '24D124707E046101',
          name: 'Meeting room',
          model: 'AM319-HCHO-IR',
        },
        type: 'PROPERTY',
        tslID: '',
        payload: { co2: 612 },
      },
    },
    samples: [{ device: '24D124707E046101', ts: AT_MS, values: { co2: 612 } }],
    deviceNames: { '24D124707E046101': 'Meeting room' },
  },
  {
    name: 'a telemetry event in the CloudEvents schema, as Event Grid sends it',
    source: azure,
    format: 'azure-iot',
    payload: [
      {
        id: '9af86784',
        source: '/SUBSCRIPTIONS/ID/RESOURCEGROUPS/RG/PROVIDERS/MICROSOFT.DEVICES/IOTHUBS/HUB',
        subject: 'devices/pump-1',
        type: 'Microsoft.Devices.DeviceTelemetry',
        time: '2026-11-21T09:30:05Z',
        data: {
          body: { pressure: 3.5 },
          properties: { Status: 'Active' },
          systemProperties: {
            'iothub-content-type': 'application/json',
            'iothub-connection-device-id': 'pump-1',
            'iothub-connection-auth-method': '{"scope":"device","type":"sas"}',
            'iothub-enqueuedtime': AT,
            'iothub-message-source': 'Telemetry',
          },
        },
        specversion: '1.0',
      },
    ],
    samples: [{ device: 'pump-1', ts: AT_MS, values: { pressure: 3.5 } }],
  },
  {
    name: 'an uplink of a Milesight gateway, in the form of ChirpStack v3',
    source: 'https://support.milesight-iot.com/',
    format: 'chirpstack-v3',
    payload: {
      applicationID: 1,
      applicationName: 'cloud',
      deviceName: 'EM300-TH',
      devEUI: '24e124136b502217',
      time: AT,
      rxInfo: [{ mac: '24e124fffef54321', time: AT, rssi: -55, loRaSNR: 13.8, name: 'Local Gateway' }],
      fCnt: 4,
      fPort: 85,
      data: 'AXVkA2f4AARoZw==',
      object: { battery: 100, temperature: 24.8, humidity: 51.5 },
    },
    samples: [
      {
        device: '24e124136b502217',
        ts: AT_MS,
        values: { battery: 100, temperature: 24.8, humidity: 51.5, rssi: -55, snr: 13.8 },
      },
    ],
    deviceNames: { '24e124136b502217': 'EM300-TH' },
  },
  {
    name: 'messages of a Teltonika tracker from flespi',
    source: flespi,
    format: 'flespi',
    topic: 'flespi/message/gw/channels/1234/352625690000000',
    payload: [
      {
        'channel.id': 1_234,
        'device.id': 99,
        'device.name': 'Van 7',
        ident: '352625690000000',
        'position.latitude': 54.68,
        'position.longitude': 25.28,
        'position.speed': 42,
        'engine.ignition.status': true,
        'protocol.id': 14,
        'server.timestamp': AT_S + 1.5,
        timestamp: AT_S,
      },
    ],
    samples: [
      {
        device: '352625690000000',
        ts: AT_MS,
        values: {
          'position.latitude': 54.68,
          'position.longitude': 25.28,
          'position.speed': 42,
          'engine.ignition.status': true,
        },
      },
    ],
    deviceNames: { '352625690000000': 'Van 7' },
  },
  {
    name: 'a record of a Teltonika tracker as JSON',
    source: teltonika,
    format: 'teltonika',
    topic: '352625690000000/data',
    payload: {
      state: {
        reported: {
          239: 1,
          240: 0,
          66: 12_450,
          ts: AT_MS,
          pr: 0,
          latlng: '54.6,-25.2',
          alt: 120,
          sat: 9,
          sp: 0,
        },
      },
    },
    samples: [
      {
        device: '352625690000000',
        ts: AT_MS,
        values: {
          'io.239': 1,
          'io.240': 0,
          'io.66': 12_450,
          latitude: 54.6,
          longitude: -25.2,
          priority: 0,
          altitude: 120,
          satellites: 9,
          speed: 0,
        },
      },
    ],
  },
];
