import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyLimitOf, type EndpointShape } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import {
  hostileBodies,
  hostilePathOf,
  hostileTelemetry,
  readsTelemetry,
  type HostileBody,
} from './hostile-bodies.ts';
import { startMonitoredService, type MonitoredService } from './monitored-service.ts';
import { createRotation, sized } from './sized.ts';

const MIB = 1_048_576;
/** `stall` in ms of CPU time of a machine of the usual speed, `rss` in bytes. */
const LIMIT = { stall: 100, rss: 768 * MIB };

const REFERENCE_TEXT = `[${'{},'.repeat(200_000)}1]`;
/** How long a machine of the usual speed takes to parse it, in ms of CPU time. */
const REFERENCE_MS = 8;

const parseMs = (): number => {
  const before = process.cpuUsage();
  JSON.parse(REFERENCE_TEXT);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

/** Whether a stall is too long. On a slower machine, the same work takes longer. The speed of virtual machines changes. */
const isTooLong = (stallMs: number): boolean => {
  if (stallMs <= LIMIT.stall) return false;
  const fastestMs = Math.min(...Array.from({ length: 12 }, parseMs));
  return stallMs > LIMIT.stall * Math.max(1, fastestMs / REFERENCE_MS);
};

let service: MonitoredService;
let pipelineId: string;

beforeAll(async () => {
  service = await startMonitoredService({ REGISTRATION_LIMIT: '2000' });
  const created = await service.send(
    'POST',
    '/v1/pipelines',
    JSON.stringify({ name: 'Hostile', type: 'http', interval: 10, destination: 'telemetry' }),
  );
  ({ id: pipelineId } = (await created.json()) as { id: string });
});
afterAll(() => service.close());

/** Sends a body compressed, as an attacker would. */
const send = async (
  endpoint: EndpointShape,
  { text, type = 'application/json' }: HostileBody,
): Promise<number> => {
  const response = await service.send(
    endpoint.method,
    hostilePathOf(endpoint, pipelineId),
    gzipSync(text, { level: 1 }),
    {
      'content-type': type,
      'content-encoding': 'gzip',
    },
  );
  await response.text();
  return response.status;
};

/** A schema rejects a hostile body as a whole, so each endpoint gets a sixth of them in `npm test`. */
const nextWhole = createRotation();
/** Each endpoint for telemetry gets a quarter of the bodies in `npm test`, and one of the two that inflate. */
const [nextTelemetry, nextBombs] = [createRotation(4), createRotation(2)];

const withBody = endpoints.filter(({ body }) => body !== undefined);

/** A body that stalls the event loop does so each time. A host that is busy adds to the CPU time of its guests now and then. */
const MEASUREMENTS = 8;

const measure = async (endpoint: EndpointShape, body: HostileBody) => {
  await service.stalls();
  const status = await send(endpoint, body);
  return { status, ...(await service.stalls()) };
};

const tryAll = async (endpoint: EndpointShape, bodies: readonly HostileBody[]) => {
  const offences: string[] = [];
  for (const body of bodies) {
    const { status, rssBytes, ...first } = await measure(endpoint, body);
    let { longestMs } = first;
    for (let count = 1; count < MEASUREMENTS && isTooLong(longestMs); count += 1)
      longestMs = Math.min(longestMs, (await measure(endpoint, body)).longestMs);
    if (isTooLong(longestMs)) offences.push(`${body.name}: ${Math.round(longestMs)} ms`);
    if (rssBytes > LIMIT.rss) offences.push(`${body.name}: ${Math.round(rssBytes / 1_048_576)} MiB`);
    if (status >= 500 && status !== 503) offences.push(`${body.name}: ${status}`);
  }
  return offences;
};

test.each(
  withBody
    .filter((endpoint) => !readsTelemetry(endpoint))
    .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const),
)(
  'no body of %s stalls the event loop',
  async (_, endpoint) => {
    expect(await tryAll(endpoint, hostileBodies(endpoint, nextWhole))).toEqual([]);
  },
  60_000,
);

const bulk = withBody
  .filter(readsTelemetry)
  .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

test.each(bulk)(
  'no telemetry sent to %s stalls the event loop',
  async (_, endpoint) => {
    expect(await tryAll(endpoint, nextTelemetry(hostileTelemetry(sized(MIB / 8, MIB / 4))))).toEqual([]);
  },
  120_000,
);

test.each(bulk)(
  'no body of %s that inflates to its limit stalls the event loop',
  async (_, endpoint) => {
    const bytes = bodyLimitOf(endpoint) - 100;
    const bombs = ['1,', '{},'].map((piece) => ({
      name: `a list of ${piece}`,
      text: `[${piece.repeat(Math.floor(bytes / piece.length))}1]`,
    }));
    expect(await tryAll(endpoint, nextBombs(bombs))).toEqual([]);
  },
  120_000,
);

test.each(['1d', '1s'])(
  'no export in buckets of %s over a range of 6,000 years stalls the event loop',
  async (bucket) => {
    const device = `ancient-${bucket}`;
    const ancient = -200_000_000_000_000;
    const lines = [ancient, Date.now()].map((ts) => `m,host=${device} v=1 ${ts}`).join('\n');
    // The other tests may have registered as many devices by their messages as one key can.
    const registered = JSON.stringify({ name: device, externalId: device });
    expect((await service.send('POST', '/v1/devices', registered)).status).toBe(201);
    expect((await service.send('POST', '/write?precision=ms&allowOld=true', lines)).status).toBe(204);
    await service.stalls();
    const exported = await service.send(
      'GET',
      `/v1/telemetry/export?device=${device}&from=${ancient}000000&to=now&bucket=${bucket}&timeZone=Europe/Berlin`,
    );
    expect((await exported.text()).trim().split('\r\n')).toHaveLength(3);
    expect((await service.stalls()).longestMs).not.toSatisfy(isTooLong);
  },
);
