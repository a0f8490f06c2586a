import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EndpointShape } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { hostileBodies, type HostileBody } from './hostile-bodies.ts';
import { startMonitoredService, type MonitoredService } from './monitored-service.ts';

/** In ms, and in bytes. */
const LIMIT = { stall: 100, rss: 512 * 1_048_576 };

let service: MonitoredService;

beforeAll(async () => {
  service = await startMonitoredService();
}, 30_000);
afterAll(() => service.close());

const UNKNOWN = '00000000000000000000000001';
const kindOf = (path: string): string =>
  ({ devices: 'dev', pipelines: 'pip', destinations: 'dst', webhooks: 'whk', 'api-keys': 'key' })[
    path.split('/')[2] ?? ''
  ] ?? 'dev';

const pathOf = ({ path }: EndpointShape): string =>
  path
    .replace('{id}', `${kindOf(path)}_${UNKNOWN}`)
    .replace('{externalId}', 'boiler')
    .replace('{metric}', 'temperature');

/** Sends a body as a client does that wants to send much by little. */
const send = async (endpoint: EndpointShape, { text }: HostileBody): Promise<number> => {
  const response = await service.send(endpoint.method, pathOf(endpoint), gzipSync(text, { level: 1 }), {
    'content-encoding': 'gzip',
  });
  await response.text();
  return response.status;
};

const isBulk = (endpoint: EndpointShape) =>
  endpoint.readsBody === true || endpoint.bodyTypes?.includes('*/*');
const withBody = endpoints.filter(({ body }) => body !== undefined);

const tryAll = async (endpoint: EndpointShape, bodies: readonly HostileBody[]) => {
  const offences: string[] = [];
  await service.stalls();
  for (const body of bodies) {
    const status = await send(endpoint, body);
    const { longestMs, rssBytes } = await service.stalls();
    if (longestMs > LIMIT.stall) offences.push(`${body.name}: ${Math.round(longestMs)} ms`);
    if (rssBytes > LIMIT.rss) offences.push(`${body.name}: ${Math.round(rssBytes / 1_048_576)} MiB`);
    if (status >= 500 && status !== 503) offences.push(`${body.name}: ${status}`);
  }
  return offences;
};

test.each(
  withBody
    .filter((endpoint) => !isBulk(endpoint))
    .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const),
)(
  'no body of %s stalls the event loop',
  async (_, endpoint) => {
    expect(await tryAll(endpoint, hostileBodies(endpoint))).toEqual([]);
  },
  60_000,
);
