import { gunzipSync } from 'node:zlib';
import { availableParallelism, cpus } from 'node:os';
import { Agent, request as httpRequest } from 'node:http';
import { startRunningService, type RunningService } from '../e2e/running-service.ts';

/**
 * p50 and p99 over HTTP of every list and detail endpoint, with 20 concurrent clients, with 1,000 and with 100,000
 * devices. The service runs in a separate process, as with `npm start`.
 */
const CLIENTS = 20;
const WARM_UP = 100;
const REQUESTS = 1_000;
const SIZES = [1_000, 100_000];
const TYPES = ['pump', 'fan', 'boiler', 'meter'];

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

// oxlint-disable-next-line typescript/no-explicit-any
type Answer = { status: number; json: () => any };

/** Sends requests like a browser: compressed responses over persistent connections. */
const ask = (
  service: RunningService,
  token: string,
  path: string,
  method = 'GET',
  body?: unknown,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = httpRequest(
      `${service.url}${path}`,
      {
        agent,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(method === 'GET' ? { 'accept-encoding': 'gzip' } : {}),
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const read = Buffer.concat(chunks);
          const isZipped = answer.headers['content-encoding'] === 'gzip';
          resolve({
            status: answer.statusCode ?? 0,
            json: () => JSON.parse((isZipped ? gunzipSync(read) : read).toString()),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });

type Call = (path: string, method?: string, body?: unknown) => Promise<Answer>;

const fillDevices = async (call: Call, from: number, to: number): Promise<void> => {
  for (let start = from; start < to; start += 1_000) {
    const items = Array.from({ length: Math.min(1_000, to - start) }, (_, index) => {
      const number = start + index;
      return {
        externalId: `device-${number}`,
        name: `Device ${(number * 7_919) % 1_000_003}`,
        type: TYPES[number % TYPES.length],
        tags: { site: `site-${number % 50}`, serial: `SN-${number}` },
      };
    });
    await call('/v1/devices/batch', 'POST', { operation: 'upsert', items });
  }
};

/**
 * Creates data for the other lists: values of 200 devices, a hundred pipelines (one with rejections), keys and
 * destinations.
 */
const fillOthers = async (call: Call): Promise<void> => {
  for (let device = 0; device < 200; device++) {
    const samples = Array.from({ length: 50 }, (_, index) => ({
      device: `device-${device}`,
      ts: Date.now() - index * 60_000,
      values: { temperature: index, pressure: index / 7, isOpen: index % 2 === 0 },
    }));
    await call('/v1/telemetry', 'POST', { samples });
  }
  for (let number = 0; number < 100; number++) {
    const body = { name: `Pipeline ${number}`, type: 'http', interval: 10, destination: 'telemetry' };
    const { id } = (await call('/v1/pipelines', 'POST', body)).json();
    await call('/v1/api-keys', 'POST', { name: `Key ${number}`, scopes: ['devices:read'] });
    await call('/v1/destinations', 'POST', { name: `Files ${number}`, type: 'file' });
    if (number > 0) continue;
    for (let message = 0; message < 300; message++)
      await call(`/v1/pipelines/${id}/messages`, 'POST', { device: 'device-1', values: { bad: {} } });
  }
};

type Figures = { p50: number; p99: number };
const measure = async (call: Call, path: (round: number) => string): Promise<Figures> => {
  const run = async (rounds: number): Promise<number[]> => {
    const times: number[] = [];
    let next = 0;
    const client = async () => {
      while (next < rounds) {
        const round = next++;
        const begun = performance.now();
        const { status } = await call(path(round));
        times.push(performance.now() - begun);
        if (status !== 200) throw new Error(`${path(round)} answered ${status}.`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return times.toSorted((a, b) => a - b);
  };
  await run(WARM_UP);
  const times = await run(REQUESTS);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
};

const idsOf = async (call: Call, path: string): Promise<string[]> => {
  const { data } = (await call(path)).json() as { data: { id: string }[] };
  return data.map(({ id }) => id);
};

/** The path of a later page. With keyset paging, it costs the same as the first page. */
const middleOf = async (call: Call): Promise<string> => {
  let cursor = '';
  for (let page = 0; page < 3; page++) {
    const after = cursor === '' ? '' : `&cursor=${cursor}`;
    cursor = (await call(`/v1/devices?limit=200${after}`)).json().nextCursor;
  }
  return `/v1/devices?limit=50&cursor=${cursor}`;
};

type Case = (call: Call) => Promise<(round: number) => string>;
const fixed =
  (path: string): Case =>
  async () =>
  () =>
    path;
const eachOf =
  (list: string, path: (id: string) => string): Case =>
  async (call) => {
    const ids = await idsOf(call, list);
    return (round) => path(ids[round % ids.length] ?? '');
  };

const cases: Record<string, Case> = {
  devices: fixed('/v1/devices'),
  'devices, second page': async (call) => {
    const path = await middleOf(call);
    return () => path;
  },
  'devices by last seen': fixed('/v1/devices?sort=-lastSeenAt'),
  'devices in one state': fixed('/v1/devices?state=never-seen'),
  'devices of one type': fixed('/v1/devices?type=pump'),
  'devices with one tag': async () => (round) => `/v1/devices?tag=site:site-${round % 50}`,
  'devices, q of 4 characters': async () => (round) => `/v1/devices?q=${1_000 + (round % 9_000)}`,
  'devices, q that matches all': fixed('/v1/devices?q=device'),
  'devices, q of 1 character *': async () => (round) => `/v1/devices?q=${round % 10}`,
  'devices with total *': fixed('/v1/devices?total=true'),
  'devices of one type with total *': fixed('/v1/devices?type=pump&total=true'),
  'devices silent for a day': fixed('/v1/devices?silentFor=86400'),
  'devices without a tag': fixed('/v1/devices?withoutTag=site'),
  'tag keys': fixed('/v1/devices/facets?by=tag'),
  'types in one state': fixed('/v1/devices/facets?by=type&state=never-seen'),
  'values of a tag, worst first': fixed('/v1/devices/facets?by=tag:site&sort=-offline'),
  'values of a tag by prefix': async () => (round) =>
    `/v1/devices/facets?by=tag:site&prefix=SITE-${round % 10}`,
  'values of a unique tag *': fixed('/v1/devices/facets?by=tag:serial'),
  'values of a tag, q of 4 characters *': async () => (round) =>
    `/v1/devices/facets?by=tag:site&q=${1_000 + (round % 9_000)}`,
  'one device': eachOf('/v1/devices?limit=200', (id) => `/v1/devices/${id}`),
  'metrics of a device': eachOf('/v1/devices?sort=createdAt&limit=200', (id) => `/v1/devices/${id}/metrics`),
  'latest values of a device': async () => (round) => `/v1/telemetry/latest?device=device-${round % 200}`,
  pipelines: fixed('/v1/pipelines'),
  'one pipeline': eachOf('/v1/pipelines', (id) => `/v1/pipelines/${id}`),
  'rejections of a pipeline': eachOf(
    '/v1/pipelines?q=pipeline%200&limit=1',
    (id) => `/v1/pipelines/${id}/rejections`,
  ),
  'API keys': fixed('/v1/api-keys'),
  'one API key': eachOf('/v1/api-keys', (id) => `/v1/api-keys/${id}`),
  webhooks: fixed('/v1/webhooks'),
  destinations: fixed('/v1/destinations'),
  'one destination': eachOf('/v1/destinations', (id) => `/v1/destinations/${id}`),
  events: fixed('/v1/events'),
  'events of one type': fixed('/v1/events?type=device.registered'),
  overview: fixed('/v1/overview'),
};

const service = await startRunningService({ SEED: 'none', LOG_LEVEL: 'info' });
const { token } = (
  await ask(service, '', '/v1/sessions', 'POST', {
    token: service.signinLink.split('=').at(-1),
    remember: false,
  })
).json();
const call: Call = (path, method, body) => ask(service, token, path, method, body);

process.stdout.write(
  `${CLIENTS} concurrent clients, ${REQUESTS} requests per line; ${availableParallelism()} × ${cpus()[0]?.model}; ms\n` +
    'Target: a p99 of 20 ms (100 ms for lines marked *).\n\n' +
    `| request | ${SIZES.map((size) => `${size.toLocaleString('en')}: p50 | p99`).join(' | ')} |\n` +
    `|---|${SIZES.map(() => '---|---|').join('')}\n`,
);
const rows = new Map<string, Figures[]>();
let filled = 0;
for (const size of SIZES) {
  await fillDevices(call, filled, size);
  if (filled === 0) await fillOthers(call);
  filled = size;
  for (const [name, prepare] of Object.entries(cases)) {
    const figures = await measure(call, await prepare(call));
    process.stderr.write(`${size} devices, ${name}: ${figures.p50.toFixed(1)} | ${figures.p99.toFixed(1)}\n`);
    rows.set(name, [...(rows.get(name) ?? []), figures]);
  }
}
for (const [name, figures] of rows)
  process.stdout.write(
    `| ${name} | ${figures.map(({ p50, p99 }) => `${p50.toFixed(1)} | ${p99.toFixed(1)}`).join(' | ')} |\n`,
  );
agent.destroy();
await service.remove();
