import type { Conversation } from './conversation.ts';

const source = 'https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery';
const of = (conversation: Omit<Conversation, 'source'>): Conversation => ({ source, ...conversation });

export const homeAssistantConversations: readonly Conversation[] = [
  of({
    name: 'two sensors in one state, with a base topic and abbreviations',
    messages: [
      [
        'homeassistant/sensor/sensorBedroomT/config',
        {
          dev_cla: 'temperature',
          '~': 'home/bedroom',
          stat_t: '~/state',
          unit_of_meas: '°C',
          val_tpl: '{{ value_json.temperature}}',
          uniq_id: 'temp01ae',
          dev: { ids: ['bedroom01ae'], name: 'Bedroom', mf: 'Example sensors Ltd.', sn: '12AE3010545' },
        },
      ],
      [
        'homeassistant/sensor/sensorBedroomH/config',
        {
          device_class: 'humidity',
          state_topic: 'home/bedroom/state',
          unit_of_measurement: '%',
          value_template: '{{ value_json["humidity"] | float | round(1) }}',
          unique_id: 'hum01ae',
          device: { identifiers: 'bedroom01ae', name: 'Bedroom' },
        },
      ],
      ['home/bedroom/state', { temperature: 23.2, humidity: '43.75', battery: 3 }],
    ],
    samples: [
      {
        device: 'bedroom01ae',
        values: { 'sensor.sensorBedroomT': 23.2, 'sensor.sensorBedroomH': 43.8 },
      },
    ],
    units: { 'bedroom01ae/sensor.sensorBedroomT': '°C', 'bedroom01ae/sensor.sensorBedroomH': '%' },
    deviceNames: { bedroom01ae: 'Bedroom' },
  }),
  of({
    name: 'a motion detector without a device',
    messages: [
      [
        'homeassistant/binary_sensor/garden/config',
        { name: null, device_class: 'motion', state_topic: 'homeassistant/binary_sensor/garden/state' },
      ],
      ['homeassistant/binary_sensor/garden/state', 'ON'],
      ['homeassistant/binary_sensor/garden/state', 'OFF'],
      ['homeassistant/binary_sensor/garden/state', 'unavailable'],
      ['homeassistant/binary_sensor/garden/state', 'open'],
    ],
    samples: [
      { device: 'garden', values: { 'binary_sensor.garden': true } },
      { device: 'garden', values: { 'binary_sensor.garden': false } },
    ],
    rejections: ['invalid-value'],
    noValues: 1,
  }),
  of({
    name: 'a device with components',
    messages: [
      [
        'homeassistant/device/0AFFD2/config',
        {
          dev: { ids: 'ea334450945afc', name: 'Kitchen' },
          o: { name: 'bla2mqtt', sw: '2.1' },
          cmps: {
            some_unique_component_id1: {
              p: 'sensor',
              device_class: 'temperature',
              unit_of_measurement: '°C',
              value_template: '{{ value_json.temperature }}',
              unique_id: 'temp01ae_t',
            },
            some_unique_id2: {
              p: 'sensor',
              unit_of_measurement: '%',
              value_template: "{{ value_json['humidity'] }}",
              unique_id: 'temp01ae_h',
            },
            bla1: { p: 'device_automation', automation_type: 'trigger', payload: 'short_press' },
          },
          state_topic: 'sensorBedroom/state',
          qos: 2,
        },
      ],
      ['sensorBedroom/state', { temperature: 20, humidity: null }],
    ],
    samples: [{ device: 'ea334450945afc', values: { 'sensor.some_unique_component_id1': 20 } }],
    units: {
      'ea334450945afc/sensor.some_unique_component_id1': '°C',
      'ea334450945afc/sensor.some_unique_id2': '%',
    },
    deviceNames: { ea334450945afc: 'Kitchen' },
    noValues: 1,
  }),
  of({
    name: 'a switch and a light of Zigbee2MQTT, whose state is not read as Zigbee2MQTT',
    messages: [
      [
        'homeassistant/switch/0x00158d0001/switch/config',
        {
          state_topic: 'zigbee2mqtt/plug',
          command_topic: 'zigbee2mqtt/plug/set',
          payload_on: 'ON',
          payload_off: 'OFF',
          value_template: '{{ value_json.state }}',
          device: { identifiers: ['zigbee2mqtt_0x00158d0001'], name: 'plug' },
        },
      ],
      [
        'homeassistant/light/0x00158d0002/light/config',
        {
          schema: 'json',
          state_topic: 'zigbee2mqtt/lamp',
          brightness: true,
          device: { identifiers: ['zigbee2mqtt_0x00158d0002'], name: 'lamp' },
        },
      ],
      ['zigbee2mqtt/plug', { state: 'ON', power: 3 }],
      ['zigbee2mqtt/lamp', { state: 'OFF', brightness: 254, color: { x: 0.3 } }],
    ],
    samples: [
      { device: 'zigbee2mqtt_0x00158d0001', values: { 'switch.switch': true } },
      {
        device: 'zigbee2mqtt_0x00158d0002',
        values: { 'light.light.state': 'OFF', 'light.light.brightness': 254, 'light.light.color.x': 0.3 },
      },
    ],
    deviceNames: { zigbee2mqtt_0x00158d0001: 'plug', zigbee2mqtt_0x00158d0002: 'lamp' },
  }),
  of({
    name: 'a thermostat with a topic for each value',
    messages: [
      [
        'homeassistant/climate/hall/config',
        {
          '~': 'hvac',
          curr_temp_t: '~/current',
          temp_stat_t: '~/target',
          mode_stat_t: '~/mode',
          mode_stat_tpl: '{{ value }}',
          dev: { cns: [['mac', '02:5b:26:a8:dc:12']] },
        },
      ],
      ['hvac/current', '20.5'],
      ['hvac/mode', 'heat'],
    ],
    samples: [
      { device: '02:5b:26:a8:dc:12', values: { 'climate.hall.current_temperature': 20.5 } },
      { device: '02:5b:26:a8:dc:12', values: { 'climate.hall.mode': 'heat' } },
    ],
  }),
  of({
    name: 'templates that are not understood are never guessed',
    messages: [
      [
        'homeassistant/sensor/a/config',
        { stat_t: 'x/y', val_tpl: '{{ value_json.a if value_json.a else 0 }}' },
      ],
      ['homeassistant/sensor/b/config', { stat_t: 'x/y', val_tpl: '{{ value | multiply(2) }}' }],
      ['homeassistant/sensor/c/config', { stat_t: 'x/y', val_tpl: '{{ value_json.c | int }}' }],
      ['x/y', { a: 5, c: '7.9' }],
    ],
    samples: [{ device: 'c', values: { 'sensor.c': 7 } }],
    rejections: ['unknown-template', 'unknown-template'],
  }),
  of({
    name: 'a number that is none, and a default value that is not in the message',
    messages: [
      [
        'homeassistant/sensor/t/config',
        { stat_t: 'x/t', val_tpl: '{{ value_json.t | float(0) }}', unit_of_meas: 'K' },
      ],
      ['x/t', { t: 'warm' }],
      ['x/t', { other: 1 }],
    ],
    samples: [],
    rejections: ['invalid-value'],
    noValues: 1,
    units: { 't/sensor.t': 'K' },
  }),
  of({
    name: 'a configuration that is replaced, and one that is removed',
    messages: [
      ['homeassistant/sensor/t/config', { stat_t: 'x/t', unit_of_meas: 'K' }],
      ['homeassistant/sensor/t/config', { stat_t: 'x/u', unit_of_meas: '°C' }],
      ['x/u', '21'],
      ['homeassistant/sensor/t/config', ''],
      ['x/u', '{"u":22}'],
    ],
    samples: [{ device: 't', values: { 'sensor.t': 21 } }],
    units: { 't/sensor.t': '°C' },
    rejections: ['device-missing'],
  }),
  of({
    name: 'two configurations of one metric',
    messages: [
      ['homeassistant/sensor/a/t/config', { stat_t: 'x/a', dev: { ids: 'd' } }],
      ['homeassistant/sensor/b/t/config', { stat_t: 'x/b', dev: { ids: 'd' } }],
      ['x/a', '1'],
    ],
    samples: [{ device: 'd', values: { 'sensor.t': '1' } }],
    rejections: ['duplicate-metric'],
  }),
  of({
    name: 'topics that a pipeline must not subscribe to',
    messages: ['#', 'a/+/b', '$SYS/broker', 'v1/devices/boiler-7/telemetry'].map(
      (topic, i) => [`homeassistant/sensor/s${i}/config`, { stat_t: topic }] as const,
    ),
    samples: [],
    rejections: ['invalid-topic', 'invalid-topic', 'invalid-topic', 'invalid-topic'],
  }),
  of({
    name: 'components without values',
    messages: [
      ['homeassistant/button/x/config', { command_topic: 'x/press' }],
      ['homeassistant/camera/x/config', { topic: 'x/image' }],
      ['homeassistant/constructor/x/config', { state_topic: 'x/y' }],
    ],
    samples: [],
  }),
];
