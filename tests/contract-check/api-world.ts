import { rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { vi } from 'vitest';
import { scopes, type Scope } from '#contract/scope.ts';
import { startReceiver } from '#tests/service/receiver.ts';
import { startTestService } from '#tests/service/start-test-service.ts';
import type { Operation } from './api-document.ts';

export type TestRequest = {
  method?: string;
  path?: string;
  query?: readonly (readonly [string, string])[];
  headers?: Record<string, string | undefined>;
  /** Text and bytes are sent unchanged, other values as JSON. */
  body?: unknown;
  /** The address that it comes from. */
  from?: string;
};
export type TestResponse = { status: number; code: string | undefined; body: unknown };

/** A response that is not JSON has only its status. */
const readBody = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** A service with at least one resource of each kind, and a client that can send malformed requests. */
export const createApiWorld = async () => {
  let clockMs = Date.now();
  const receiver = await startReceiver();
  const test = await startTestService({
    now: () => clockMs,
    env: { ALLOWED_NETWORKS: '127.0.0.0/8' },
    outbound: { timeoutMs: 2_000 },
    // Hundreds of pipelines are created, and no test waits for their states.
    timeouts: { pipelineTickMs: 500 },
  });
  const agent = new Agent({ keepAlive: true });

  const send = ({
    method = 'GET',
    path = '/',
    query = [],
    headers = {},
    body,
    from,
  }: TestRequest): Promise<TestResponse> =>
    new Promise((resolve, reject) => {
      // A restart changes the port.
      const { host, port } = new URL(test.url);
      const text = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
      const bytes =
        body === undefined || typeof body === 'string' || body instanceof Uint8Array
          ? body
          : JSON.stringify(body);
      const given = {
        host,
        authorization: `Bearer ${test.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      };
      const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const request = httpRequest(
        {
          port,
          host: '127.0.0.1',
          method,
          path: text === '' ? path : `${path}?${text}`,
          headers: sent,
          agent: from === undefined ? agent : false,
          ...(from === undefined ? {} : { localAddress: from }),
        },
        (response) => {
          const status = response.statusCode ?? 0;
          if (response.headers['content-type']?.includes('event-stream') === true) {
            request.destroy();
            return resolve({ status, code: undefined, body: undefined });
          }
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const parsed = readBody(Buffer.concat(chunks).toString());
            const code = status < 400 ? undefined : (parsed as { code?: string }).code;
            resolve({ status, code, body: parsed });
          });
        },
      );
      request.on('error', reject);
      request.end(bytes);
    });

  let made = 0;
  const unique = (word: string): string => `${word} ${++made}`;
  const uniqueAddress = (): string => `10.0.${++made >> 8}.${made & 255}`;
  const make = async (path: string, body: object): Promise<string> => {
    const { body: answer } = await send({ method: 'POST', path, body });
    return (answer as { id: string }).id;
  };
  const makers: Record<string, () => Promise<string>> = {
    devices: () => make('/v1/devices', { name: unique('Device') }),
    pipelines: () =>
      make('/v1/pipelines', {
        name: unique('Pipeline'),
        type: 'http',
        interval: 60,
        destination: 'telemetry',
      }),
    destinations: () =>
      make('/v1/destinations', {
        name: unique('Destination'),
        type: 'mqtt',
        url: receiver.url.replace('http', 'mqtt'),
      }),
    webhooks: () =>
      make('/v1/webhooks', { name: unique('Webhook'), url: receiver.url, events: ['device.offline'] }),
    'api-keys': () => make('/v1/api-keys', { name: unique('Key'), scopes: ['devices:read'] }),
    networks: () => make('/v1/networks', { network: uniqueAddress() }),
  };
  const kindOf = ({ path }: Operation): string => path.split('/')[2] ?? '';

  await send({
    method: 'PUT',
    path: '/v1/devices/by-external-id/boiler-7',
    body: { type: 'boiler', tags: { site: 'north' } },
  });
  await send({
    method: 'PUT',
    path: '/v1/devices/by-external-id/boiler-8',
    body: { tags: { site: 'north' } },
  });
  const samples = ['boiler-7', 'boiler-8'].map((device) => ({
    device,
    values: { temperature: 71.5, burning: true },
  }));
  const sendSamples = () => send({ method: 'POST', path: '/v1/telemetry', body: { samples } });
  await sendSamples();

  const mint = async (held: readonly Scope[], more: object = {}): Promise<{ id: string; secret: string }> =>
    (
      await send({
        method: 'POST',
        path: '/v1/api-keys',
        body: { name: unique('Key'), scopes: held, ...more },
      })
    ).body as { id: string; secret: string };
  const revoked = await mint(scopes);
  await send({ method: 'DELETE', path: `/v1/api-keys/${revoked.id}` });
  const expired = await mint(scopes, { expiresAt: new Date(clockMs + 1_000).toISOString() });
  clockMs += 2_000;
  const builtIn = (await send({ path: '/v1/destinations?q=telemetry' })).body as { data: { id: string }[] };
  const boiler = (await send({ path: '/v1/devices?q=boiler-7' })).body as { data: { id: string }[] };

  return {
    test,
    send,
    unique,
    uniqueAddress,
    mint,
    receiver,
    revoked,
    expired,
    kindOf,
    /** The id of a device that has telemetry. */
    boilerId: boiler.data[0]?.id ?? '',
    /** The id of the built-in destination. */
    builtInId: builtIn.data[0]?.id ?? '',
    /** Sends samples of the devices `boiler-7` and `boiler-8` again. */
    sendSamples,
    /** Resolves once the service considers its disk writable. */
    waitUntilWritable: () =>
      vi.waitUntil(() => test.service.parts.disk.state() === 'writable', { timeout: 20_000 }),
    /** Restarts the service without the file of the built-in store. */
    restartWithoutTelemetry: async (): Promise<void> => {
      await sendSamples();
      await test.restart(() => {
        for (const end of ['', '-wal', '-shm'])
          rmSync(join(test.dataDir, `telemetry.db${end}`), { force: true });
      });
    },
    /** Creates a resource of the kind that an operation acts on. Resolves with its ID, or '' if it acts on none. */
    makeFor: (operation: Operation): Promise<string> => makers[kindOf(operation)]?.() ?? Promise.resolve(''),
    close: async () => {
      agent.destroy();
      await test.close();
      await receiver.close();
    },
  };
};
export type ApiWorld = Awaited<ReturnType<typeof createApiWorld>>;
