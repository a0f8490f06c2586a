import { describe, expect, test } from 'vitest';
import { readToSamples } from './read-to-samples.ts';

const read = (message: unknown) => readToSamples({ bytes: Buffer.from(JSON.stringify(message)) });

// Examples of https://www.chirpstack.io/docs/chirpstack/integrations/events.html
const deviceInfo = {
  tenantId: '52f14cd4-c6f1-4fbd-8f87-4025e1d49242',
  tenantName: 'ChirpStack',
  applicationId: '17c82e96-be03-4f38-aef3-f83d48582d97',
  applicationName: 'Test application',
  deviceProfileId: '14855bf7-d10d-4aee-b618-ebfcb64dc7ad',
  deviceProfileName: 'Test device-profile',
  deviceName: 'Test device',
  devEui: '0101010101010101',
  tags: { key: 'value' },
};
const up = {
  deduplicationId: '3ac7e3c4-4401-4b8d-9386-a5c902f9202d',
  time: '2022-07-18T09:34:15.775023242+00:00',
  deviceInfo,
  devAddr: '00189440',
  dr: 1,
  fPort: 1,
  data: 'qg==',
  rxInfo: [
    {
      gatewayId: '0016c001f153a14c',
      uplinkId: 4_217_106_255,
      rssi: -36,
      snr: 10.5,
      context: 'E3OWOQ==',
      metadata: { region_name: 'eu868', region_common_name: 'EU868' },
    },
  ],
  txInfo: {
    frequency: 867_100_000,
    modulation: { lora: { bandwidth: 125_000, spreadingFactor: 11, codeRate: 'CR_4_5' } },
  },
};
const sent = { device: '0101010101010101', ts: Date.parse('2022-07-18T09:34:15.775Z') };

describe('ChirpStack v4', () => {
  test('an uplink is the decoded object, rssi and snr of the device by its devEui and name', () => {
    // The object as a Dragino LHT65N is decoded.
    const object = {
      BatV: 3.297,
      TempC_SHT: 24.73,
      Bat_status: 3,
      Node_type: 'LHT65N',
      alarm: { high: true },
    };
    const { format, samples, deviceNames, rejections } = read({ ...up, object });
    expect(format).toBe('chirpstack');
    expect(samples).toEqual([
      {
        ...sent,
        values: {
          BatV: 3.297,
          TempC_SHT: 24.73,
          Bat_status: 3,
          Node_type: 'LHT65N',
          'alarm.high': true,
          rssi: -36,
          snr: 10.5,
        },
      },
    ]);
    expect([...deviceNames]).toEqual([['0101010101010101', 'Test device']]);
    expect(rejections).toEqual([]);
  });

  test('an undecoded uplink yields its reception, and reports the missing codec', () => {
    const { samples, rejections } = read(up);
    expect(samples).toEqual([{ ...sent, values: { rssi: -36, snr: 10.5 } }]);
    expect(rejections).toEqual([
      {
        reason: 'payload-not-decoded',
        detail: 'The payload is not decoded. Set a codec in the device profile in ChirpStack.',
        samples: 1,
      },
    ]);
  });

  test('the best reception counts, and rssi of the payload stays', () => {
    const rxInfo = [{ rssi: -102, snr: -12 }, { rssi: -80, snr: 4 }, { gatewayId: 'deaf' }];
    expect(read({ ...up, rxInfo, object: { t: 1 } }).samples).toMatchObject([
      { values: { t: 1, rssi: -80, snr: 4 } },
    ]);
    expect(read({ ...up, rxInfo, object: { rssi: 7 } }).samples).toMatchObject([
      { values: { rssi: 7, snr: 4 } },
    ]);
  });

  test('a status yields margin and battery', () => {
    const status = {
      deduplicationId: 'bf2a9746-1c8b-49be-a92e-f0b89c8534e4',
      time: '2022-07-18T09:35:06.927172638+00:00',
      deviceInfo,
      margin: 10,
      batteryLevel: 88.3,
    };
    expect(read(status).samples).toEqual([
      { device: '0101010101010101', ts: Date.parse(status.time), values: { margin: 10, battery: 88.3 } },
    ]);
    expect(
      read({ ...status, externalPowerSource: true, batteryLevelUnavailable: true, batteryLevel: 0 }).samples,
    ).toMatchObject([{ values: { margin: 10, externalPower: true } }]);
  });

  test('a location yields its coordinates', () => {
    const location = { latitude: 37.344214, longitude: -8.839375, altitude: 2 };
    expect(read({ deviceInfo, location }).samples).toEqual([
      {
        device: '0101010101010101',
        values: { 'location.latitude': 37.344214, 'location.longitude': -8.839375, 'location.altitude': 2 },
      },
    ]);
  });

  test.each([
    ['join', { devAddr: '00189440' }],
    ['ack', { queueItemId: '1bbcab1d-6ec6-4136-b3f5-d63be1dc08de', acknowledged: true, fCntDown: 3 }],
    [
      'txack',
      { downlinkId: 3_461_958_127, queueItemId: '42cb6459', gatewayId: '0016c001f153a14c', txInfo: {} },
    ],
    ['log', { level: 'ERROR', code: 'UPLINK_MIC', description: 'MIC of join-request is invalid' }],
    ['integration', { integrationName: 'loracloud', eventType: 'modem_UplinkResponse', object: {} }],
  ])('the event %s is detected and rejected as one value', (event, fields) => {
    const { format, samples, rejections } = read({ time: up.time, deviceInfo, ...fields });
    expect([format, samples]).toEqual(['chirpstack', []]);
    expect(rejections).toEqual([
      {
        reason: 'no-values',
        detail: `Events of the type ${event} have no values. Subscribe to the events up, status and location: application/+/device/+/event/up.`,
        samples: 1,
      },
    ]);
  });

  test('a decoded value that is not an object is rejected, and its reception stored', () => {
    const { samples, rejections } = read({ ...up, object: [1, 2] });
    expect(samples).toMatchObject([{ values: { rssi: -36 } }]);
    expect(rejections).toMatchObject([{ reason: 'invalid-value', samples: 1 }]);
  });

  test('a message without an EUI is not from ChirpStack', () => {
    expect(read({ deviceInfo: { deviceName: 'x' }, temp: 1, device: 'd' }).format).toBe('flat');
  });
});

// The example of https://www.thethingsindustries.com/docs/integrations/data-formats/
const ids = {
  device_id: 'dev1',
  application_ids: { application_id: 'app1' },
  dev_eui: '0004A30B001C0530',
  join_eui: '800000000000000C',
  dev_addr: '00BCB929',
};
const uplink = {
  end_device_ids: ids,
  correlation_ids: ['as:up:01E0WZGT6Y7657CPFPE5WEYDSQ', 'gs:conn:01E0WDEC6T5T4XXBAX7S1VMFKE'],
  received_at: '2020-02-12T15:15:46.014773143Z',
  uplink_message: {
    session_key_id: 'AXA50tHUGUucuzS/bCGMNw==',
    f_cnt: 1,
    frm_payload: 'gkHe',
    decoded_payload: { temperature: 1.0, luminosity: 0.64 },
    rx_metadata: [
      {
        gateway_ids: { gateway_id: 'gtw1', eui: '9C5C8E00001A05C4' },
        time: '2020-02-12T15:15:45.787Z',
        timestamp: 2_463_457_000,
        rssi: -35,
        channel_rssi: -35,
        snr: 5,
        uplink_token: 'ChIKEAoEZ3R3MRIInFyOAAAaBcQQ6L3Vlgk=',
        channel_index: 2,
      },
    ],
    settings: {
      data_rate: { lora: { bandwidth: 125_000, spreading_factor: 7 } },
      coding_rate: '4/6',
      frequency: '868300000',
    },
    consumed_airtime: '0.056576s',
    received_at: '2020-02-12T15:15:45.789585559Z',
  },
};

describe('The Things Stack v3', () => {
  test('an uplink yields the decoded payload, rssi and snr with the time of reception', () => {
    expect(read(uplink)).toMatchObject({
      format: 'things-stack',
      samples: [
        {
          device: 'dev1',
          ts: Date.parse('2020-02-12T15:15:45.789Z'),
          values: { temperature: 1, luminosity: 0.64, rssi: -35, snr: 5 },
        },
      ],
      rejections: [],
    });
  });

  test('an undecoded uplink reports the missing formatter', () => {
    const { decoded_payload: _, ...rest } = uplink.uplink_message;
    const { samples, rejections } = read({ ...uplink, uplink_message: rest });
    expect(samples).toMatchObject([{ values: { rssi: -35, snr: 5 } }]);
    expect(rejections).toMatchObject([{ reason: 'payload-not-decoded', samples: 1 }]);
  });

  test('a normalized uplink yields its measurement', () => {
    const { uplink_message: _, ...envelope } = uplink;
    const uplink_normalized = { normalized_payload: { air: { temperature: 21.5 } }, frm_payload: 'gkHe' };
    expect(read({ ...envelope, uplink_normalized }).samples).toEqual([
      { device: 'dev1', ts: Date.parse(envelope.received_at), values: { 'air.temperature': 21.5 } },
    ]);
  });

  test('a solved location yields its coordinates', () => {
    const { uplink_message: _, ...envelope } = uplink;
    const location_solved = {
      service: 'lora-cloud',
      location: { latitude: 37.9, longitude: 23.7, altitude: 10, source: 'SOURCE_GPS' },
    };
    expect(read({ ...envelope, location_solved }).samples).toMatchObject([
      { values: { 'location.latitude': 37.9, 'location.longitude': 23.7, 'location.altitude': 10 } },
    ]);
  });

  test.each(['join_accept', 'downlink_ack', 'downlink_failed'])(
    'a message of %s is rejected as one value',
    (event) => {
      const { uplink_message: _, ...envelope } = uplink;
      expect(read({ ...envelope, [event]: { session_key_id: 'AXBSH1Pk6Z0G166RlH16CQ==' } })).toMatchObject({
        format: 'things-stack',
        samples: [],
        rejections: [
          {
            reason: 'no-values',
            detail: expect.stringContaining(`Events of the type ${event} have`),
            samples: 1,
          },
        ],
      });
    },
  );
});
