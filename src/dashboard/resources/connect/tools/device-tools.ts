import type { ConnectTool } from './connect-tool.ts';

/** On one line, because the console of Tasmota takes one line. Settings that restart the device come last. */
const tasmotaBacklog = [
  ['%plain%%offset%', 'Timezone {{utcOffset}}; '],
  ['%plain%%zone%', ''],
  ['%tls%%offset%', 'Timezone {{utcOffset}}; SetOption103 1; '],
  ['%tls%%zone%', 'SetOption103 1; '],
].map(
  ([conditions, commands]) =>
    `${conditions}Backlog TelePeriod 60; ${commands}Topic {{device}}; MqttHost {{host}}; MqttPort {{mqttPort}}; MqttUser {{device}}; MqttPassword {{key}}`,
);

export const deviceTools: readonly ConnectTool[] = [
  {
    id: 'tasmota',
    label: 'Tasmota',
    group: 'Devices',
    exampleDevice: 'plug-1',
    summary: 'Plugs, switches and sensors with Tasmota firmware, over MQTT.',
    docs: 'https://tasmota.github.io/docs/MQTT/',
    via: 'mqtt',
    pipelines: [
      { name: 'Tasmota', type: 'mqtt', topic: 'tele/#', hasLocalTimes: true },
      { name: 'Tasmota results', type: 'mqtt', topic: 'stat/#', hasLocalTimes: true },
    ],
    settings: [
      {
        kind: 'code',
        label: 'Tasmota console',
        code: tasmotaBacklog.join('\n'),
      },
      {
        kind: 'fields',
        label: 'Or Configuration → Configure MQTT',
        fields: [
          { name: 'Host', value: '{{host}}' },
          { name: 'Port', value: '{{mqttPort}}' },
          { name: 'User', value: '{{device}}' },
          { name: 'Password', value: '{{key}}' },
          { name: 'Topic', value: '{{device}}' },
          { name: 'Full Topic', value: '%prefix%/%topic%/' },
        ],
      },
    ],
    notes: [
      'The topic becomes the external ID of the device: give each device its own.',
      '%offset%Tasmota sends local times. Its Timezone must be {{timeZone}}.',
      '%zone%Tasmota sends local times. Set its Timezone, TimeStd and TimeDst to {{timeZone}}. The Timezone Table of its documentation lists the commands.',
      'Tasmota cannot resolve host names that end in .local. MQTT over TLS needs an ESP32, or a custom build for an ESP8266.',
    ],
    suitsOneDevice: true,
  },
  {
    id: 'shelly',
    label: 'Shelly Plus, Pro, Gen3, Gen4',
    group: 'Devices',
    exampleDevice: 'device-1',
    summary: 'Power, temperature and inputs of Shelly devices, over MQTT.',
    docs: 'https://shelly-api-docs.shelly.cloud/gen2/ComponentsAndServices/Mqtt',
    via: 'mqtt',
    pipelines: [{ name: 'Shelly', type: 'mqtt', topic: '+/events/rpc' }],
    settings: [
      {
        kind: 'fields',
        label: 'Settings → MQTT',
        fields: [
          { name: 'Enable', value: 'on' },
          { name: 'RPC status notifications over MQTT', value: 'on' },
          { name: 'Server', value: '{{host}}:{{mqttPort}}' },
          { name: 'Username', value: '{{device}}' },
          { name: 'Password', value: '{{key}}' },
          { name: 'MQTT prefix', value: '{{device}}' },
        ],
      },
      {
        kind: 'code',
        label: 'Or from a terminal: replace SHELLY with the address of the device',
        code: `curl http://SHELLY/rpc -d '{"id":1,"method":"MQTT.SetConfig","params":{"config":{
  "enable":true,"rpc_ntf":true,"server":"{{host}}:{{mqttPort}}",
%tls%  "ssl_ca":"ca.pem",
  "user":"{{device}}","pass":"{{key}}","topic_prefix":"{{device}}"}}}'
curl http://SHELLY/rpc/Shelly.Reboot`,
      },
    ],
    notes: ['The MQTT prefix becomes the external ID of the device: give each device its own.'],
    suitsOneDevice: true,
  },
  {
    id: 'shelly-gen1',
    label: 'Shelly, first generation',
    group: 'Devices',
    exampleDevice: 'device-1',
    summary: 'Shelly 1, 1PM, Plug, EM and others before Plus, over MQTT.',
    docs: 'https://shelly-api-docs.shelly.cloud/gen1/#mqtt-support',
    via: 'mqtt',
    pipelines: [{ name: 'Shelly, first generation', type: 'mqtt', topic: 'shellies/#' }],
    settings: [
      {
        kind: 'fields',
        label: 'Internet & security → Advanced – developer settings',
        fields: [
          { name: 'Enable action execution via MQTT', value: 'on' },
          { name: 'Username', value: '{{device}}' },
          { name: 'Password', value: '{{key}}' },
          { name: 'Server', value: '{{host}}:{{mqttPort}}' },
        ],
      },
    ],
    notes: [
      'These devices cannot use TLS.',
      'The ID in the topic, such as shelly1pm-84CCA8, becomes the external ID of the device.',
    ],
  },
  {
    id: 'esphome',
    label: 'ESPHome',
    group: 'Devices',
    exampleDevice: 'device-1',
    summary: 'ESP32 and ESP8266 with ESPHome, over MQTT with discovery.',
    docs: 'https://esphome.io/components/mqtt.html',
    via: 'mqtt',
    subscribes: true,
    pipelines: [{ name: 'Home Assistant', type: 'mqtt', topic: 'homeassistant/#' }],
    settings: [
      {
        kind: 'code',
        label: 'YAML of the device',
        code: `mqtt:
  broker: {{host}}
  port: {{mqttPort}}
  username: esphome
  password: "{{key}}"
  discovery: true
  log_topic: null
%tls%  certificate_authority: !secret penstock_ca`,
      },
    ],
    notes: [
      'Discovery names the device, its entities and their units.',
      'Remove the component api: if Home Assistant does not connect to it. Without a client, it restarts the device.',
    ],
  },
];
