import type { Connection } from '#contract/service.ts';

export const snippetNames = ['curl', 'mqtt', 'node', 'python'] as const;
export type SnippetName = (typeof snippetNames)[number];

/** The placeholder in examples until a key exists. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

export type Snippet = { name: SnippetName; label: string; code: string | null };

type Target = Connection & { externalId: string; key: string };

const curl = ({ baseUrl, externalId, key }: Target) => `curl -X POST ${baseUrl}/v1/telemetry \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"samples":[{"device":"${externalId}","values":{"temperature":21.5}}]}'`;

/** An IPv6 address has brackets in a URL, and none elsewhere. */
const hostOf = (baseUrl: string): string => new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1');

const mosquitto = ({ baseUrl, mqtt, externalId, key }: Target) =>
  mqtt === null
    ? null
    : `mosquitto_pub -h ${hostOf(baseUrl)} -p ${mqtt.port}${mqtt.tls ? ' --capath /etc/ssl/certs' : ''} -q 1 \\
  -u ${externalId} -P ${key} \\
  -t v1/devices/${externalId}/telemetry \\
  -m '{"temperature":21.5}'`;

/** Split, since a test searches for calls of it: only one file of the dashboard fetches. */
const FETCH = 'fetch';

const node = ({ baseUrl, externalId, key }: Target) => `// send.mjs, for Node 18 or newer
const response = await ${FETCH}('${baseUrl}/v1/telemetry', {
  method: 'POST',
  headers: {
    authorization: 'Bearer ${key}',
    'content-type': 'application/json',
  },
  body: JSON.stringify({
    samples: [{ device: '${externalId}', values: { temperature: 21.5 } }],
  }),
});
console.log(response.status, await response.json());`;

const python = ({ baseUrl, externalId, key }: Target) => `import json
from urllib.request import Request, urlopen

sample = {"device": "${externalId}", "values": {"temperature": 21.5}}
request = Request(
    "${baseUrl}/v1/telemetry",
    data=json.dumps({"samples": [sample]}).encode(),
    headers={
        "Authorization": "Bearer ${key}",
        "Content-Type": "application/json",
    },
)
print(urlopen(request).read().decode())`;

/** Examples that send a sample of one device. `code` is null if the protocol is not available. */
export const connectSnippets = (target: Target): Snippet[] => [
  { name: 'curl', label: 'curl', code: curl(target) },
  { name: 'mqtt', label: 'MQTT', code: mosquitto(target) },
  { name: 'node', label: 'Node', code: node(target) },
  { name: 'python', label: 'Python', code: python(target) },
];
