import type { Conversation } from './conversation.ts';

const source = 'https://www.home-assistant.io/integrations/mqtt_statestream/';

export const statestreamConversations: readonly Conversation[] = [
  {
    name: 'a light with its attributes, as JSON',
    source,
    messages: [
      ['homeassistant/light/master_bedroom_dimmer/friendly_name', '"Master bedroom"'],
      ['homeassistant/light/master_bedroom_dimmer/state', 'on'],
      ['homeassistant/light/master_bedroom_dimmer/brightness', '255'],
      ['homeassistant/light/master_bedroom_dimmer/rgb_color', '[255, 140, 0]'],
      ['homeassistant/light/master_bedroom_dimmer/color_mode', '"rgb"'],
      ['homeassistant/light/master_bedroom_dimmer/effect', 'null'],
      ['homeassistant/light/master_bedroom_dimmer/supported_color_modes', '["rgb", "hs"]'],
      ['homeassistant/light/master_bedroom_dimmer/last_updated', '"2026-11-21T09:30:00.000000+00:00"'],
    ],
    samples: [
      { state: 'on' },
      { brightness: 255 },
      { 'rgb_color.0': 255, 'rgb_color.1': 140, 'rgb_color.2': 0 },
      { color_mode: 'rgb' },
    ].map((values) => ({ device: 'light.master_bedroom_dimmer', values })),
    deviceNames: { 'light.master_bedroom_dimmer': 'Master bedroom' },
  },
  {
    name: 'a sensor that is unavailable for a while, with its unit',
    source,
    messages: [
      ['homeassistant/sensor/hall_temperature/unit_of_measurement', '"°C"'],
      ['homeassistant/sensor/hall_temperature/device_class', '"temperature"'],
      ['homeassistant/sensor/hall_temperature/state', '21.5'],
      ['homeassistant/sensor/hall_temperature/state', 'unavailable'],
      ['homeassistant/sensor/hall_temperature/state', 'unknown'],
      ['homeassistant/sensor/hall_temperature/state', 'nan'],
      ['homeassistant/sensor/hall_temperature/state', ''],
      ['homeassistant/sensor/hall_temperature/state', '22'],
    ],
    samples: [
      { device: 'sensor.hall_temperature', values: { state: 21.5 } },
      { device: 'sensor.hall_temperature', values: { state: 22 } },
    ],
    units: { 'sensor.hall_temperature/state': '°C' },
    noValues: 4,
  },
  {
    name: 'words and other text',
    source,
    messages: [
      ['homeassistant/climate/hall/state', 'heat_cool'],
      ['homeassistant/climate/hall/current_temperature', '20.5'],
      ['homeassistant/weather/home/state', 'partlycloudy'],
      ['homeassistant/sun/sun/rising', 'true'],
    ],
    samples: [
      { device: 'climate.hall', values: { state: 'heat_cool' } },
      { device: 'climate.hall', values: { current_temperature: 20.5 } },
      { device: 'weather.home', values: { state: 'partlycloudy' } },
      { device: 'sun.sun', values: { rising: true } },
    ],
  },
  {
    name: 'entities of the same name of two installations',
    source,
    messages: [
      ['north/homeassistant/sensor/t/state', '1'],
      ['south/homeassistant/sensor/t/state', '2'],
      ['south/homeassistant/switch/x/set', 'ON'],
    ],
    samples: [
      { device: 'north:sensor.t', values: { state: 1 } },
      { device: 'south:sensor.t', values: { state: 2 } },
    ],
    deviceNames: {
      'north:sensor.t': 'north/sensor.t',
      'south:sensor.t': 'south/sensor.t',
      'south:switch.x': 'south/switch.x',
    },
  },
];
