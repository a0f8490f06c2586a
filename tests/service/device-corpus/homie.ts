import type { Conversation } from './conversation.ts';

const v4 = 'https://homieiot.github.io/specification/spec-core-v4_0_0/';
const v5 = 'https://homieiot.github.io/specification/';

const superCar: Conversation['messages'] = [
  ['homie/super-car/$homie', '4.0.0'],
  ['homie/super-car/$name', 'Super car'],
  ['homie/super-car/$nodes', 'wheels,engine,lights'],
  ['homie/super-car/$implementation', 'esp8266'],
  ['homie/super-car/engine/$name', 'Car engine'],
  ['homie/super-car/engine/$type', 'V8'],
  ['homie/super-car/engine/$properties', 'speed,direction,temperature'],
  ['homie/super-car/engine/temperature/$name', 'Engine temperature'],
  ['homie/super-car/engine/temperature/$settable', 'false'],
  ['homie/super-car/engine/temperature/$unit', '°C'],
  ['homie/super-car/engine/temperature/$datatype', 'float'],
  ['homie/super-car/engine/temperature/$format', '-20:120'],
];

export const homieConversations: readonly Conversation[] = [
  {
    name: 'an array and statistics of version 3',
    source: 'https://homieiot.github.io/specification/spec-core-v3_0_1/',
    messages: [
      ['homie/super-car/$homie', '3.0.1'],
      ['homie/super-car/$nodes', 'engine,lights[]'],
      ['homie/super-car/$localip', '192.168.0.10'],
      ['homie/super-car/$stats', 'uptime,cputemp'],
      ['homie/super-car/$stats/uptime', '120'],
      ['homie/super-car/lights/$array', '0-1'],
      ['homie/super-car/lights/intensity/$datatype', 'integer'],
      ['homie/super-car/lights_0/$name', 'Back lights'],
      ['homie/super-car/lights_0/intensity', '0'],
      ['homie/super-car/lights_1/intensity', '100'],
      ['homie/$broadcast/alert', 'Intruder detected'],
    ],
    samples: [
      { device: 'super-car', values: { 'stats.uptime': 120 } },
      { device: 'super-car', values: { 'lights_0.intensity': 0 } },
      { device: 'super-car', values: { 'lights_1.intensity': 100 } },
    ],
  },
  {
    name: 'the device of the specification of version 4',
    source: v4,
    messages: [
      ...superCar,
      ['homie/super-car/engine/temperature', '21.5'],
      ['homie/super-car/$state', 'ready'],
    ],
    samples: [
      { device: 'super-car', values: { 'engine.temperature': 21.5 } },
      { device: 'super-car', values: { state: 'ready' } },
    ],
    units: { 'super-car/engine.temperature': '°C' },
    deviceNames: { 'super-car': 'Super car' },
  },
  {
    name: 'values of all types',
    source: v4,
    messages: (
      [
        ['power', 'boolean', 'true'],
        ['count', 'integer', '-1'],
        ['volume', 'float', '2.5e1'],
        ['serial', 'string', '007'],
        ['words', 'string', 'temp 21'],
        ['mode', 'enum', 'heat'],
        ['color', 'color', '0,50,100'],
        ['since', 'datetime', '2026-11-21T09:30:00Z'],
      ] as const
    ).flatMap(([property, datatype, value]) => [
      [`homie/d/n/${property}/$datatype`, datatype] as const,
      [`homie/d/n/${property}`, value] as const,
    ]),
    samples: [true, -1, 25, '007', 'temp 21', 'heat', '0,50,100', '2026-11-21T09:30:00Z'].map((value, i) => ({
      device: 'd',
      values: {
        [`n.${['power', 'count', 'volume', 'serial', 'words', 'mode', 'color', 'since'][i]}`]: value,
      },
    })),
  },
  {
    name: 'values that are not of their type',
    source: v4,
    messages: [
      ['homie/d/n/power/$datatype', 'boolean'],
      ['homie/d/n/power', 'on'],
      ['homie/d/n/t/$datatype', 'float'],
      ['homie/d/n/t', 'warm'],
      ['homie/d/n/t', ''],
    ],
    samples: [],
    rejections: ['invalid-value', 'invalid-value'],
    noValues: 1,
  },
  {
    name: 'values before their attributes',
    source: v4,
    messages: [
      ['homie/d/n/t', '21.5'],
      ['homie/d/n/on', 'false'],
      ['homie/d/n/mode', 'heat'],
    ],
    samples: [
      { device: 'd', values: { 'n.t': 21.5 } },
      { device: 'd', values: { 'n.on': false } },
      { device: 'd', values: { 'n.mode': 'heat' } },
    ],
  },
  {
    name: 'commands, broadcasts and statistics',
    source: 'https://homieiot.github.io/specification/spec-core-v3_0_1/',
    messages: [
      ['homie/d/light/power/set', 'true'],
      ['homie/$broadcast/alert', 'Intruder detected'],
      ['homie/d/$stats/interval', '60'],
      ['homie/d/$stats/signal', '24'],
      ['homie/d/$fw/version', '1.0.0'],
      ['homie/d/$localip', '192.168.0.10'],
    ],
    samples: [
      { device: 'd', values: { 'stats.interval': 60 } },
      { device: 'd', values: { 'stats.signal': 24 } },
    ],
  },
  {
    name: 'the description of version 5',
    source: v5,
    messages: [
      ['homie/5/light/$state', 'init'],
      [
        'homie/5/light/$description',
        {
          homie: '5.0',
          version: 7,
          name: 'Kitchen light',
          nodes: {
            light: {
              name: 'Light',
              properties: {
                power: { name: 'Power', datatype: 'boolean', settable: true },
                brightness: { datatype: 'integer', format: '0:100', unit: '%' },
                note: { datatype: 'string' },
              },
            },
          },
        },
      ],
      ['homie/5/light/light/power', 'true'],
      ['homie/5/light/light/brightness', '80'],
      ['homie/5/light/light/note', '80'],
      ['homie/5/light/light/power/$target', 'false'],
      ['homie/5/light/light/power/set', 'false'],
      ['homie/5/light/$log/warn', 'Battery low'],
      ['homie/5/light/$alert/battery', 'Battery low'],
      ['homie/5/light/$state', 'ready'],
    ],
    samples: [
      { device: 'light', values: { state: 'init' } },
      { device: 'light', values: { 'light.power': true } },
      { device: 'light', values: { 'light.brightness': 80 } },
      { device: 'light', values: { 'light.note': '80' } },
      { device: 'light', values: { state: 'ready' } },
    ],
    units: { 'light/light.brightness': '%' },
    deviceNames: { light: 'Kitchen light' },
  },
  {
    name: 'objects and lists of version 5, and the same as declared text',
    source: v5,
    messages: [
      [
        'homie/5/station/$description',
        {
          homie: '5.0',
          version: 1,
          nodes: {
            weather: {
              properties: {
                wind: { datatype: 'json', format: '{"type":"object"}' },
                rain: { datatype: 'json', unit: 'mm' },
                raw: { datatype: 'string' },
              },
            },
          },
        },
      ],
      ['homie/5/station/weather/wind', '{"speed":3.5,"gust":{"speed":7},"from":"NW"}'],
      ['homie/5/station/weather/rain', '[0,1.5]'],
      ['homie/5/station/weather/rain', '[]'],
      ['homie/5/station/weather/raw', '{"a":1}'],
    ],
    samples: [
      {
        device: 'station',
        values: { 'weather.wind.speed': 3.5, 'weather.wind.gust.speed': 7, 'weather.wind.from': 'NW' },
      },
      { device: 'station', values: { 'weather.rain.0': 0, 'weather.rain.1': 1.5 } },
      { device: 'station', values: { 'weather.raw': '{"a":1}' } },
    ],
    units: { 'station/weather.rain.0': 'mm', 'station/weather.rain.1': 'mm' },
    noValues: 1,
  },
  {
    name: 'the last will of a device',
    source: v5,
    messages: [
      ['homie/5/light/$state', 'ready'],
      ['homie/5/light/$state', 'lost'],
    ],
    samples: [
      { device: 'light', values: { state: 'ready' } },
      { device: 'light', values: { state: 'lost' } },
    ],
  },
  {
    name: 'devices of the same name below different levels',
    source: v4,
    messages: [
      ['north/homie/meter/$name', 'North'],
      ['north/homie/meter/power/value/$unit', 'W'],
      ['north/homie/meter/power/value', '1'],
      ['south/homie/meter/power/value', '2'],
    ],
    samples: [
      { device: 'north:meter', values: { 'power.value': 1 } },
      { device: 'south:meter', values: { 'power.value': 2 } },
    ],
    units: { 'north:meter/power.value': 'W' },
    deviceNames: { 'north:meter': 'North', 'south:meter': 'south/meter' },
  },
];
