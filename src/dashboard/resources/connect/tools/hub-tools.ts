import type { ConnectTool } from './connect-tool.ts';

export const hubTools: readonly ConnectTool[] = [
  {
    id: 'zigbee2mqtt',
    label: 'Zigbee2MQTT',
    group: 'Hubs and flows',
    summary: 'All Zigbee devices of a coordinator, each as a separate device.',
    docs: 'https://www.zigbee2mqtt.io/guide/configuration/mqtt.html',
    via: 'mqtt',
    subscribes: true,
    pipelines: [{ name: 'Zigbee2MQTT', type: 'mqtt', topic: 'zigbee2mqtt/#' }],
    settings: [
      {
        kind: 'code',
        label: 'configuration.yaml',
        code: `mqtt:
  base_topic: zigbee2mqtt
  server: {{mqttUrl}}
  user: zigbee2mqtt
  password: {{key}}
  include_device_information: false
availability:
  enabled: true`,
      },
    ],
    notes: [
      'The friendly name becomes the external ID: Living room/Lamp is living-room:lamp.',
      'If Home Assistant uses another broker, bridge that broker instead: Zigbee2MQTT connects to one broker only.',
    ],
  },
  {
    id: 'home-assistant',
    label: 'Home Assistant',
    group: 'Hubs and flows',
    summary: 'The states of entities, with the MQTT Statestream integration.',
    docs: 'https://www.home-assistant.io/integrations/mqtt_statestream/',
    via: 'mqtt',
    subscribes: true,
    pipelines: [{ name: 'Home Assistant', type: 'mqtt', topic: 'homeassistant/#' }],
    settings: [
      {
        kind: 'fields',
        label: 'Settings → Devices & services → Add integration → MQTT',
        fields: [
          { name: 'Broker', value: '{{host}}' },
          { name: 'Port', value: '{{mqttPort}}' },
          { name: 'Username', value: 'home-assistant' },
          { name: 'Password', value: '{{key}}' },
        ],
      },
      {
        kind: 'code',
        label: 'configuration.yaml',
        code: `mqtt_statestream:
  base_topic: homeassistant
  publish_attributes: true
  publish_timestamps: false
  include:
    domains:
      - sensor
      - binary_sensor
      - climate
      - switch`,
      },
    ],
    notes: [
      'Each entity becomes a device, such as sensor.kitchen_temperature. Restart Home Assistant afterwards.',
      'Home Assistant publishes the name and the unit of an entity after its state. To get both, create the pipeline after Home Assistant has restarted and published its states.',
    ],
  },
  {
    id: 'node-red',
    label: 'Node-RED',
    group: 'Hubs and flows',
    summary: 'A flow that sends samples over HTTP.',
    docs: 'https://nodered.org/docs/user-guide/editor/workspace/import-export',
    via: 'http',
    settings: [
      {
        kind: 'code',
        label: 'Flow: import it with Ctrl-I',
        code: `[
  {
    "id": "penstock-inject", "type": "inject", "name": "Every 10 s",
    "props": [{ "p": "payload" }], "payload": "{\\"temperature\\":21.5}", "payloadType": "json",
    "repeat": "10", "once": true, "onceDelay": "1", "x": 130, "y": 80, "wires": [["penstock-sample"]]
  },
  {
    "id": "penstock-sample", "type": "function", "name": "Sample", "outputs": 1,
    "func": "msg.headers = { authorization: 'Bearer {{key}}' };\\nmsg.payload = { samples: [{ device: '{{device}}', values: msg.payload }] };\\nreturn msg;",
    "x": 300, "y": 80, "wires": [["penstock-write"]]
  },
  {
    "id": "penstock-write", "type": "http request", "name": "Penstock", "method": "POST", "ret": "obj",
    "url": "{{baseUrl}}/v1/telemetry", "x": 460, "y": 80, "wires": [["penstock-response"]]
  },
  {
    "id": "penstock-response", "type": "debug", "name": "Response", "active": true, "tosidebar": true,
    "complete": "payload", "targetType": "msg", "x": 630, "y": 80, "wires": []
  }
]`,
      },
    ],
    notes: ['Connect your own nodes to “Sample”: msg.payload is an object of metrics and values.'],
    suitsOneDevice: true,
  },
];
