import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ExternalTypeName } from '#contract/destination-types.ts';
import { forbiddenAddresses } from './forbidden-addresses.ts';
import { delivery, failureOf, numbered, openDestination, timeoutSignal } from './open-destination.ts';
import { createRotation } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';

type Place = [scheme: string, type: ExternalTypeName, options: Record<string, unknown>];
const places: Place[] = [
  ['postgres', 'postgres', { username: 'me' }],
  ['postgresql', 'postgres', { username: 'me', sslmode: 'require' }],
  ['http', 'influxdb', { database: 'plant' }],
  ['https', 'influxdb', { bucket: 'plant', organization: 'us' }],
  ['mqtt', 'mqtt', {}],
  ['mqtts', 'mqtt', { protocol: '3.1.1' }],
  ['ws', 'mqtt', {}],
  ['wss', 'mqtt', {}],
  ['nats', 'nats', {}],
  ['tls', 'nats', {}],
  ['http', 'webhook', {}],
  ['https', 'webhook', {}],
];

const withScheme = (url: string, scheme: string): string => url.replace(/^https?/, scheme);
/** For schemes other than http, a URL without two slashes has no host. */
const addresses = [
  ...forbiddenAddresses.filter((url) => /^https?:\/\//.test(url)),
  'http://[::FFFF:127.0.0.1]/',
  'http://[::127.1]/',
  'http://0x7f.0x0.0x0.0x1/',
  'http://0177.0.0.0x1/',
  'http://127.0.0.1%00.example.com/',
  'http://[fe80::1%25eth0]/',
  'http://%5B::1%5D/',
  'http://%2Frun%2Fpostgresql/plant',
];

/** Each scheme gets a third of the addresses in `npm test`. */
const [nextToCreate, nextToConnect] = [createRotation(3), createRotation(3)];

/** Accepts and counts connections, and optionally greets them. */
const listen = async (host: string, port: number, onConnection: (socket: Socket) => void) => {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    count: () => sockets.size,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

describe('an address that is not public', () => {
  let test: TestService;
  beforeAll(async () => {
    test = await startTestService();
  });
  afterAll(() => test.close());

  it.each(places)(
    'is refused behind %s:// where a destination of %s is created',
    async (scheme, type, options) => {
      const taken: unknown[] = [];
      for (const address of nextToCreate(addresses)) {
        const url = withScheme(address, scheme);
        const { status, body } = await test.request('POST', '/v1/destinations', {
          body: { name: 'Inside', type, url, options },
        });
        if (status !== 422 || body.errors[0].pointer !== '/url') taken.push([url, status, body]);
      }
      expect(taken).toEqual([]);
    },
  );

  it.each(places)(
    'is not connected to behind %s:// by %s, were it there all the same',
    async (scheme, type, options) => {
      const reached: unknown[] = [];
      for (const address of nextToConnect(addresses)) {
        const url = withScheme(address, scheme);
        if (!URL.canParse(url)) continue;
        const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
        const destination = openDestination(type, { url, options, allowedNetworks: [], lookup });
        for (const failing of [
          destination.probe(timeoutSignal(2_000)),
          destination.deliver(delivery('dlv_1', numbered(1)), timeoutSignal(2_000)),
        ]) {
          const { kind, message } = await failureOf(failing);
          if (kind !== 'refused' || !/ALLOWED_NETWORKS|metadata of cloud/.test(message))
            reached.push([url, kind, message]);
        }
      }
      expect(reached).toEqual([]);
    },
  );
});

it.each([
  ['postgres', 'postgres:///plant', /has no host/],
  ['postgres', 'postgres://%2Frun%2Fpostgresql/plant', /not a valid host name or IP address/],
  ['mqtt', 'mqtt://127.0.0.1%00.example.com', /not a valid host name or IP address/],
  ['nats', 'nats://nats.example.com%20x', /not a valid host name or IP address/],
])('reports an invalid host: %s, %s', async (type, url, words) => {
  const test = await startTestService();
  onTestFinished(() => test.close());
  const { status, body } = await test.request('POST', '/v1/destinations', { body: { name: 'x', type, url } });
  expect([status, body.errors[0].pointer, body.errors[0].detail]).toEqual([
    422,
    '/url',
    expect.stringMatching(words),
  ]);
});

describe('a permitted server', () => {
  let test: TestService;
  let inside: Awaited<ReturnType<typeof listen>>;
  let outside: Awaited<ReturnType<typeof listen>>;
  /** The greeting of the allowed server, and the port that it listens on. */
  let behave: (socket: Socket) => void = (socket) => socket.end();
  /** The addresses of a name, one lookup after another. */
  let answers: string[] = [];
  let asked = 0;
  beforeAll(async () => {
    outside = await listen('127.0.0.1', 0, (socket) => behave(socket));
    inside = await listen('127.0.0.2', outside.port, (socket) => socket.end());
    test = await startTestService({
      env: { ALLOWED_NETWORKS: '127.0.0.1/32' },
      outbound: {
        lookup: async () => {
          const address = answers[Math.min(asked, answers.length - 1)]!;
          asked += 1;
          return [{ address, family: 4 }];
        },
      },
    });
  });
  afterAll(async () => {
    await test.close();
    inside.close();
    outside.close();
  });

  let made = 0;
  const create = async ([scheme, type, options]: Place, host: string) => {
    const url = `${scheme}://${host}:${outside.port}/plant`;
    const { status, body } = await test.request('POST', '/v1/destinations', {
      body: { name: `Outside ${++made}`, type, url, options },
    });
    expect(status).toBe(201);
    return body as { id: string; name: string };
  };
  const detailOf = async (id: string): Promise<string> => {
    const { body } = await test.request('POST', `/v1/destinations/${id}/test`);
    expect(body.ok).toBe(false);
    return body.steps[0].detail;
  };

  it.each(places)(
    'whose name gets another address is connected to the checked address (%s, %s)',
    async (...place) => {
      behave = (socket) => socket.end();
      answers = ['127.0.0.1', '127.0.0.2', '8.8.8.8', '127.0.0.2'];
      asked = 0;
      const { id } = await create(place, 'rebind.example.com');
      const before = outside.count();
      await detailOf(id);
      expect([asked, outside.count()]).toEqual([1, before + 1]);
      expect(await detailOf(id)).toContain('127.0.0.2 is a loopback address');
      expect([asked, outside.count(), inside.count()]).toEqual([2, before + 1, 0]);
    },
  );

  it.each(places)(
    'whose name stands for another one, which is not, gets no delivery (%s, %s)',
    async (...place) => {
      answers = ['127.0.0.2'];
      asked = 0;
      const { id } = await create(place, 'inside.example.com');
      const { body: pipeline } = await test.request('POST', '/v1/pipelines', {
        body: { name: `To ${made}`, type: 'http', interval: 1, destination: `Outside ${made}` },
      });
      await test.request('POST', `/v1/pipelines/${pipeline.id}/messages?device=d`, { body: { n: 1 } });
      const read = async () => (await test.request('GET', `/v1/destinations/${id}`)).body;
      await expect.poll(read).toMatchObject({
        state: 'blocked',
        lastError: { detail: expect.stringContaining('127.0.0.2 is a loopback address') },
      });
      expect(inside.count()).toBe(0);
      await test.request('DELETE', `/v1/pipelines/${pipeline.id}?discard=true`);
    },
  );

  const web = places.filter(([scheme]) => /^(http|ws)$/.test(scheme));
  const redirects = web.flatMap((place) =>
    [301, 302, 303, 307, 308].map((status) => [...place, status] as const),
  );
  it.each(redirects)('leads %s:// of %s (%o) nowhere else by a %i', async (scheme, type, options, status) => {
    const location = `http://127.0.0.2:${outside.port}/plant`;
    behave = (socket) =>
      void socket.once('data', () =>
        socket.end(`HTTP/1.1 ${status} Elsewhere\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
      );
    answers = ['127.0.0.1'];
    const { id } = await create([scheme, type, options], 'redirect.example.com');
    const detail = await detailOf(id);
    if (type !== 'mqtt') expect(detail).toMatch(/Penstock does not follow redirects/);
    expect(inside.count()).toBe(0);
  });

  it('of NATS is not replaced by a server that it names', async () => {
    const info = { server_id: 'x', version: '2.10.0', proto: 1, max_payload: 1_000_000, headers: true };
    const urls = [`127.0.0.2:${outside.port}`];
    behave = (socket) => {
      socket.write(`INFO ${JSON.stringify({ ...info, connect_urls: urls })}\r\n`);
      socket.once('data', () => {
        socket.write('PONG\r\n');
        socket.end(`INFO ${JSON.stringify({ ...info, connect_urls: urls, ldm: true })}\r\n`);
      });
    };
    answers = ['127.0.0.1'];
    const { id } = await create(['nats', 'nats', {}], 'cluster.example.com');
    for (const _ of [1, 2]) await test.request('POST', `/v1/destinations/${id}/test`);
    expect(inside.count()).toBe(0);
  });

  it.each([0x9c, 0x9d])('of MQTT is not replaced by a server that it names (reason %i)', async (code) => {
    const reference = Buffer.from(`127.0.0.2:${outside.port}`);
    const properties = [0x1c, 0, reference.length, ...reference];
    behave = (socket) =>
      void socket.once('data', () =>
        socket.end(Buffer.from([0x20, 3 + properties.length, 0, code, properties.length, ...properties])),
      );
    answers = ['127.0.0.1'];
    await detailOf((await create(['mqtt', 'mqtt', {}], 'moved.example.com')).id);
    expect(inside.count()).toBe(0);
  });
});
