import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '#service/config.ts';
import { createAllowedNetworks } from '#service/platform/outbound/allowed-networks.ts';
import { createOutbound, type Lookup } from '#service/platform/outbound/outbound.ts';
import { forbiddenAddresses } from './forbidden-addresses.ts';

let server: Server;
let port: number;
let paths: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    paths.push(request.url ?? '');
    if (request.url === '/away')
      response.writeHead(302, { location: `http://127.0.0.1:${port}/inside` }).end();
    else if (request.url === '/drip') response.writeHead(200).write('a');
    else if (request.url === '/large') response.end('x'.repeat(1_000_000));
    else response.end('here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

type Options = { allowed?: string[]; lookup?: Lookup; ownPorts?: number[]; timeoutMs?: number };

const open = ({ allowed = [], ownPorts = [8080, 1883], ...rest }: Options = {}) => {
  const outbound = createOutbound({
    allowedNetworks: createAllowedNetworks(allowed),
    ownPorts: () => ownPorts,
    ...rest,
  });
  onTestFinished(() => outbound.close());
  return outbound;
};
const LOOPBACK = ['127.0.0.0/8'];
/** The status, or in words why there is none. */
const call = (outbound: ReturnType<typeof open>, url: string) =>
  outbound.call(new URL(url), { method: 'GET' }).then(
    async ({ statusCode, body }) => {
      await body.dump();
      return statusCode;
    },
    (error: unknown) => (error as Error).message,
  );

describe('an address that is not public', () => {
  it.each(forbiddenAddresses)('is rejected as %s, by its text and when it connects', async (url) => {
    const outbound = open({ lookup: async () => [{ address: '8.8.8.8', family: 4 }] });
    expect(outbound.findForbidden(new URL(url))?.reason).toMatch(/ALLOWED_NETWORKS|metadata|Penstock itself/);
    if (!/localhost/i.test(new URL(url).hostname))
      expect(await call(outbound, url)).toMatch(/ALLOWED_NETWORKS|metadata/);
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.1.1',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fe80::1%1',
    'fd00::1',
  ])('is rejected as %s if a name resolves to it', async (address) => {
    const outbound = open({ lookup: async () => [{ address, family: address.includes(':') ? 6 : 4 }] });
    const url = 'http://rebind.example.com/';
    expect(outbound.findForbidden(new URL(url))?.reason).toBeUndefined();
    expect(await call(outbound, url)).toMatch(
      /^rebind\.example\.com resolves to a forbidden address: .* is /,
    );
  });

  it('is rejected for all names of this machine', async () => {
    expect(await call(open(), `http://localhost:${port}/`)).toMatch(/is a loopback address/);
  });

  it('is allowed in every spelling if its network is listed', async () => {
    const outbound = open({ allowed: LOOPBACK });
    expect(outbound.findForbidden(new URL(`http://127.9.9.9:${port}/`))?.reason).toBeUndefined();
    expect(outbound.findForbidden(new URL(`http://[::ffff:127.0.0.1]:${port}/`))?.reason).toBeUndefined();
    for (const url of ['http://10.0.0.1/', 'http://[::1]/', 'http://[::127.0.0.1]/', 'http://0.0.0.0/'])
      expect(outbound.findForbidden(new URL(url))?.reason).toMatch(/ALLOWED_NETWORKS/);
    expect(await call(outbound, `http://127.0.0.1:${port}/`)).toBe(200);
    expect(await call(outbound, `http://localhost:${port}/`)).toBe(200);
  });

  it.each([
    'http://8.8.8.8/',
    'https://1.1.1.1/',
    'http://[2606:4700:4700::1111]/',
    'https://hooks.example.com/',
  ])('is not %s', (url) => {
    expect(open().findForbidden(new URL(url))?.reason).toBeUndefined();
  });
});

describe('a name', () => {
  it('is resolved once per request, and the connection uses the checked address', async () => {
    const answers = ['127.0.0.1', '127.0.0.2', '10.0.0.1'];
    let asked = 0;
    const outbound = open({
      allowed: ['127.0.0.1/32'],
      lookup: async () => [{ address: answers[asked++] ?? '', family: 4 }],
    });
    const url = `http://rebind.example.com:${port}/`;
    expect(await call(outbound, url)).toBe(200);
    expect(asked).toBe(1);
    expect(await call(outbound, url)).toMatch(/127\.0\.0\.2 is a loopback address/);
    expect(await call(outbound, url)).toMatch(/10\.0\.0\.1 is a private address/);
    expect(asked).toBe(3);
  });

  it('with allowed and forbidden addresses uses only allowed ones', async () => {
    const addresses = ['10.0.0.1', '127.0.0.1', '::1'];
    const outbound = open({
      allowed: LOOPBACK,
      lookup: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    });
    expect(await call(outbound, `http://mixed.example.com:${port}/`)).toBe(200);
  });

  it('is reported as unknown if it cannot be resolved', async () => {
    expect(await call(open({ lookup: async () => [] }), 'http://nobody.example.com/')).toBe(
      'The host name nobody.example.com was not found.',
    );
  });
});

describe('the metadata of cloud machines', () => {
  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    '[fd00:ec2::254]',
    '[::ffff:169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::1]',
  ])('is never connected to at %s, whatever is allowed', async (host) => {
    const outbound = open({ allowed: ['0.0.0.0/0', '::/0', '169.254.169.254/32'] });
    expect(outbound.findForbidden(new URL(`http://${host}/`))).toEqual({
      reason: expect.stringMatching(/serves the metadata of cloud machines/),
      allow: undefined,
    });
    expect(await call(outbound, `http://${host}/`)).toMatch(/metadata/);
  });

  it('is never connected to by a name that resolves to it', async () => {
    const lookup = async () => [{ address: '169.254.169.254', family: 4 }];
    const outbound = open({ allowed: ['169.254.0.0/16'], lookup });
    expect(await call(outbound, 'http://metadata.google.internal/')).toMatch(/serves the metadata/);
  });
});

describe('the ports of the service', () => {
  it.each(['127.0.0.1', '127.0.0.2', 'localhost', '[::1]', '0.0.0.0', '[::ffff:127.0.0.1]'])(
    'are never connected to at %s, whatever is allowed',
    async (host) => {
      const outbound = open({ allowed: ['0.0.0.0/0', '::/0'], ownPorts: [port] });
      expect(outbound.findForbidden(new URL(`http://${host}:${port}/`))?.reason).toMatch(/Penstock itself/);
      expect(await call(outbound, `http://${host}:${port}/`)).toMatch(/Penstock itself/);
    },
  );

  it('do not include ports of other programs', async () => {
    expect(await call(open({ allowed: LOOPBACK, ownPorts: [port + 1] }), `http://127.0.0.1:${port}/`)).toBe(
      200,
    );
  });
});

describe('a call', () => {
  it('does not follow a redirect', async () => {
    paths = [];
    expect(await call(open({ allowed: LOOPBACK }), `http://127.0.0.1:${port}/away`)).toBe(302);
    expect(paths).toEqual(['/away']);
  });

  it('uses a new connection, never one that the server just closed', async () => {
    let connections = 0;
    const count = () => void connections++;
    server.on('connection', count);
    const outbound = open({ allowed: LOOPBACK });
    for (const _ of [1, 2, 3]) {
      const { body } = await outbound.call(new URL(`http://127.0.0.1:${port}/`), { method: 'GET' });
      await body.text();
    }
    server.off('connection', count);
    expect(connections).toBe(3);
  });

  it('times out even if the response arrives slowly', async () => {
    const outbound = open({ allowed: LOOPBACK, timeoutMs: 200 });
    const { statusCode, body } = await outbound.call(new URL(`http://127.0.0.1:${port}/drip`), {
      method: 'GET',
    });
    expect(statusCode).toBe(200);
    await expect(body.text()).rejects.toThrow(/timeout/);
  });

  it('reads no more of a response than requested', async () => {
    const { body } = await open({ allowed: LOOPBACK }).call(new URL(`http://127.0.0.1:${port}/large`), {
      method: 'GET',
    });
    await body.dump({ limit: 65_536 });
    expect(body.destroyed).toBe(true);
  });
});

describe('ALLOWED_NETWORKS', () => {
  it('accepts IPv4 and IPv6 networks, separated by commas', () => {
    expect(readConfig({ ALLOWED_NETWORKS: '10.0.0.0/8, fd00::/8' }).allowedNetworks).toEqual([
      '10.0.0.0/8',
      'fd00::/8',
    ]);
    expect(readConfig({}).allowedNetworks).toEqual([]);
  });

  it.each([
    '10.0.0.0',
    '10.0.0.0/33',
    '10.1/8',
    'fd00::/129',
    'localhost',
    '10.0.0.0/8,',
    '10.0.0.0/8;fd00::/8',
  ])('rejects %s and says what is accepted', (value) => {
    expect(() => readConfig({ ALLOWED_NETWORKS: value })).toThrow(
      `ALLOWED_NETWORKS must be networks such as 10.0.0.0/8 or fd00::/8, separated by commas (it is "${value}").`,
    );
  });
});
