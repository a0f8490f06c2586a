import type { ConnectTool } from './connect-tool.ts';

export const lorawanTools: readonly ConnectTool[] = [
  {
    id: 'chirpstack',
    label: 'ChirpStack',
    group: 'LoRaWAN',
    summary: 'Uplinks of all devices of an application, with the HTTP integration.',
    docs: 'https://www.chirpstack.io/docs/chirpstack/integrations/http.html',
    via: 'http',
    pipelines: [
      {
        name: 'ChirpStack',
        type: 'http',
        mapping: {
          format: 'expression',
          // Joins, acknowledgements and logs hold no samples.
          expression: '$exists(rxInfo) or $exists(margin) or $exists(location) ? $',
        },
      },
    ],
    settings: [
      {
        kind: 'fields',
        label: 'Application → Integrations → HTTP',
        fields: [
          { name: 'Payload encoding', value: 'JSON' },
          { name: 'Event endpoint URL(s)', value: '{{pipelineUrl}}' },
          { name: 'Header', value: 'Authorization' },
          { name: 'Value of the header', value: 'Bearer {{key}}' },
        ],
      },
    ],
    notes: [
      'The devEUI becomes the external ID, and the device name the name of the device.',
      'Values come from the codec of the device profile. Without a codec, only rssi and snr are stored.',
    ],
  },
  {
    id: 'ttn',
    label: 'The Things Network',
    group: 'LoRaWAN',
    summary: 'Uplinks of an application of The Things Stack, with a webhook.',
    docs: 'https://www.thethingsindustries.com/docs/integrations/webhooks/creating-webhooks/',
    via: 'http',
    pipelines: [{ name: 'The Things Network', type: 'http' }],
    settings: [
      {
        kind: 'fields',
        label: 'Application → Integrations → Webhooks → Add webhook → Custom webhook',
        fields: [
          { name: 'Webhook ID', value: 'penstock' },
          { name: 'Webhook format', value: 'JSON' },
          { name: 'Base URL', value: '{{pipelineUrl}}' },
          { name: 'Additional header', value: 'Authorization' },
          { name: 'Value of the header', value: 'Bearer {{key}}' },
          { name: 'Enabled event types', value: 'Uplink message' },
        ],
      },
    ],
    notes: [
      'The Things Network must reach this address from the internet. Otherwise create an MQTT pipeline that connects to its broker.',
      'The device ID becomes the external ID. Values come from the payload formatter.',
    ],
  },
];
