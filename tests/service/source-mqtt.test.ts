import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StorageFull } from '#service/platform/storage/store-errors.ts';
import { MAIN } from './built-service.ts';
import { freePort } from './free-port.ts';
import { isInstalled } from './installed.ts';
import { PASSWORD, startMosquitto } from './mosquitto.ts';
import { programEnv } from './program-env.ts';
import { signinTokenIn } from './signin-token.ts';
import { startTestService, type Reply, type TestService } from './start-test-service.ts';

const CERT = join(import.meta.dirname, 'test-cert.pem');
const FROM = 1_700_000_000_000;

type Request = (method: string, path: string, body?: unknown) => Promise<Reply['body']>;

const connectTo = async (port: number) =>
  mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username: 'penstock', password: PASSWORD });

describe.skipIf(!isInstalled('mosquitto'))('a pipeline from an external broker', () => {
  let test: TestService;
  let broker: Awaited<ReturnType<typeof startMosquitto>>;
  let publisher: mqtt.MqttClient;
  beforeAll(async () => {
    broker = await startMosquitto();
    test = await startTestService({
      env: { ALLOWED_NETWORKS: '127.0.0.0/8', PENSTOCK_BROKER: PASSWORD, PENSTOCK_BROKER_HOSTS: '127.0.0.1' },
    });
    publisher = await connectTo(broker.port);
  });
  afterAll(async () => {
    await publisher.endAsync(true);
    await test.close();
    await broker.close();
  });

  const create = async (name: string, config: Record<string, unknown>) => {
    const { body } = await test.request('POST', '/v1/pipelines', {
      body: {
        name,
        type: 'mqtt',
        interval: 5,
        destination: 'telemetry',
        config: { username: 'penstock', password: PASSWORD, topic: `${name}/+/up`, ...config },
      },
    });
    return body;
  };
  const read = async (id: string) => (await test.request('GET', `/v1/pipelines/${id}`)).body;
  const valuesOf = async (device: string): Promise<number[]> => {
    const { body } = await test.request(
      'GET',
      `/v1/telemetry?device=${device}&metric=n&from=${FROM}&to=${FROM + 1_000_000}&points=5000`,
    );
    return body.series?.[0]?.value ?? [];
  };
  const publish = (topic: string, n: number) =>
    publisher.publishAsync(topic, JSON.stringify({ ts: FROM + n, values: { n } }), { qos: 1 });
  /** Received messages are the only sign that the source has subscribed. */
  const subscribed = async (name: string) => {
    await expect
      .poll(
        async () => {
          await publish(`${name}/${name}-0/up`, 0);
          return valuesOf(`${name}-0`);
        },
        { interval: 100 },
      )
      .toEqual([0]);
  };

  it.each([
    ['mqtt5', () => ({ url: `mqtt://127.0.0.1:${broker.port}` })],
    ['mqtt3', () => ({ url: `mqtt://127.0.0.1:${broker.port}`, protocol: '3.1.1' })],
    ['qos2', () => ({ url: `mqtt://127.0.0.1:${broker.port}`, qos: 2 })],
    ['qos0', () => ({ url: `mqtt://127.0.0.1:${broker.port}`, qos: 0 })],
    ['websocket', () => ({ url: `ws://127.0.0.1:${broker.wsPort}/mqtt` })],
    ['variable', () => ({ url: `mqtt://127.0.0.1:${broker.port}`, password: '${env:PENSTOCK_BROKER}' })],
  ])('receives messages of devices (%s)', async (name, config) => {
    const { id } = await create(name, config());
    await subscribed(name);
    const count = 200;
    for (let n = 0; n < count; n += 20)
      await Promise.all(Array.from({ length: 20 }, (_, i) => publish(`${name}/${name}/up`, n + i)));
    await expect.poll(async () => (await valuesOf(name)).length).toBe(count);
    expect(await valuesOf(name)).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(await read(id)).toMatchObject({ state: 'running', lastError: null });
  });

  it('shares messages with other subscribers of its group', async () => {
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const topic = 'shared/+/up';
    const config = { url, topic, sharedGroup: 'console' };
    const [one, other] = [await create('one', config), await create('other', config)];
    let published = 0;
    await expect
      .poll(async () => {
        await publish('shared/shared/up', 0);
        published += 1;
        return (await read(one.id)).ledger.received > 0 && (await read(other.id)).ledger.received > 0;
      })
      .toBe(true);
    for (let n = 1; n <= 20; n++) await publish('shared/shared/up', n);
    published += 20;
    await expect.poll(async () => (await valuesOf('shared')).filter((n) => n > 0)).toHaveLength(20);
    const received = (await read(one.id)).ledger.received + (await read(other.id)).ledger.received;
    expect(received, 'no message is received by both').toBeLessThanOrEqual(published);
  });

  it('waits for an unreachable broker, and receives the messages that the broker kept', async () => {
    const { id } = await create('outage', { url: `mqtt://127.0.0.1:${broker.port}` });
    await subscribed('outage');
    await broker.kill();
    await expect
      .poll(async () => read(id))
      .toMatchObject({ state: 'degraded', lastError: { detail: expect.stringMatching(/closed|refused/) } });
    await broker.start();
    await expect.poll(() => publisher.connected).toBe(true);
    for (let n = 1; n <= 50; n++) await publish('outage/outage/up', n);
    await expect.poll(async () => (await valuesOf('outage')).length).toBe(50);
  });

  it('keeps its session on the broker while the service is down', async () => {
    await create('down', { url: `mqtt://127.0.0.1:${broker.port}` });
    await subscribed('down');
    await test.restart(async () => {
      for (let n = 1; n <= 50; n++) await publish('down/down/up', n);
    });
    await expect.poll(async () => (await valuesOf('down')).length).toBe(50);
  });

  it.each([
    ['full-1', { qos: 1 }],
    ['full-2', { qos: 2 }],
    ['full-3', { qos: 1, protocol: '3.1.1' }],
  ])(
    'does not acknowledge messages that it cannot store, and receives them again (%s)',
    async (name, more) => {
      const { id } = await create(name, { url: `mqtt://127.0.0.1:${broker.port}`, ...more });
      await subscribed(name);
      const { ingest } = test.service.parts;
      ingest.accept = () => Promise.reject(new StorageFull('The disk is full.'));
      for (let n = 1; n <= 5; n++)
        await publisher.publishAsync(`${name}/${name}/up`, JSON.stringify({ ts: FROM + n, values: { n } }), {
          qos: 2,
        });
      await expect
        .poll(async () => read(id))
        .toMatchObject({ state: 'degraded', lastError: { detail: 'The disk is full.' } });
      await test.restart();
      await expect.poll(async () => valuesOf(name)).toEqual([1, 2, 3, 4, 5]);
    },
  );

  it.each([
    ['the password', { username: 'penstock', password: 'wrong' }, '/config/password'],
    ['the user name, if there is none', {}, '/config/username'],
  ])('a test names the field that the broker rejects: %s', async (_, config, pointer) => {
    const { body } = await test.request('POST', '/v1/pipelines/test', {
      body: {
        name: 'Trial',
        type: 'mqtt',
        interval: 5,
        destination: 'telemetry',
        config: {
          url: `mqtt://127.0.0.1:${broker.port}`,
          topic: 'trial/+/up',
          ...config,
        },
      },
    });
    expect(body.steps[1]).toMatchObject({ step: 'source', ok: false, pointer });
  });

  it('is failed with rejected credentials, and works again with valid ones', async () => {
    for (const protocol of ['5', '3.1.1']) {
      const { id } = await create(`refused-${protocol}`, {
        url: `mqtt://127.0.0.1:${broker.port}`,
        password: 'wrong',
        protocol,
        topic: `r${protocol}/+/up`,
      });
      await expect
        .poll(async () => read(id))
        .toMatchObject({
          state: 'failed',
          lastError: { detail: expect.stringContaining('rejected the credentials') },
        });
      const changed = await test.request('PATCH', `/v1/pipelines/${id}`, {
        body: { config: { password: PASSWORD } },
      });
      expect(changed.status).toBe(200);
      await expect.poll(async () => (await read(id)).state).toBe('running');
    }
  });

  it('is never failed by an unreachable address', async () => {
    const { id } = await create('nobody', { url: `mqtt://127.0.0.1:${await freePort()}` });
    await expect
      .poll(async () => read(id))
      .toMatchObject({
        state: 'degraded',
        lastError: { detail: expect.stringContaining('refused the connection') },
      });
  });

  it('rejects forbidden addresses, and reports an invalid config', async () => {
    const forbidden = await test.request('POST', '/v1/pipelines', {
      body: {
        name: 'Forbidden',
        type: 'mqtt',
        interval: 5,
        destination: 'telemetry',
        config: { url: 'mqtt://192.168.0x1.2' },
      },
    });
    expect([forbidden.status, forbidden.body.code, forbidden.body.errors[0].pointer]).toEqual([
      422,
      'destination-forbidden',
      '/config/url',
    ]);
    const { state, problems } = await create('Bad', {
      url: 'http://broker.example.com',
      qos: 3,
      sharedGroup: 'a/b',
      password: '${env:PENSTOCK_NOBODY}',
    });
    expect(state).toBe('draft');
    expect(problems.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual([
      '/config/password',
      '/config/qos',
      '/config/sharedGroup',
      '/config/url',
    ]);
  });

  it('acknowledges messages over TLS after they are on disk, so a kill loses nothing', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'penstock-mqtt-kill-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const port = await freePort();
    let token = '';
    const request: Request = async (method, path, body) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return response.json();
    };
    const start = async () => {
      const child = spawn(process.execPath, [MAIN], {
        env: {
          ...programEnv,
          DATA_DIR: dataDir,
          PORT: String(port),
          MQTT_PORT: '0',
          SEED: 'none',
          ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
          NODE_EXTRA_CA_CERTS: CERT,
        },
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const exited = new Promise((resolve) => child.once('exit', resolve));
      const output = { out: '', log: '' };
      child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (output.log += chunk.toString()));
      await expect.poll(() => output.log).toContain('"listening"');
      const kill = () => (child.kill('SIGKILL'), exited);
      return { readSigninToken: () => signinTokenIn(() => output.out), kill };
    };
    let service = await start();
    ({ token } = await request('POST', '/v1/sessions', { token: await service.readSigninToken() }));
    const { id } = await request('POST', '/v1/pipelines', {
      name: 'Kill',
      type: 'mqtt',
      interval: 5,
      destination: 'telemetry',
      config: {
        url: `mqtts://localhost:${broker.tlsPort}`,
        username: 'penstock',
        password: PASSWORD,
        topic: 'kill/+/up',
      },
    });
    const stored = async (): Promise<number[]> => {
      const query = `device=kill&metric=n&from=${FROM}&to=${FROM + 1_000_000}&points=5000`;
      return (await request('GET', `/v1/telemetry?${query}`)).series?.[0]?.value ?? [];
    };
    await expect
      .poll(async () => {
        await publish('kill/kill/up', 0);
        return (await stored()).length;
      })
      .toBe(1);
    let n = 0;
    /** Publishes so many more; resolves once the broker has them. */
    const publishMore = async (count: number) => {
      for (const until = n + count; n < until; n += 10)
        await Promise.all(Array.from({ length: 10 }, (_, i) => publish('kill/kill/up', n + i + 1)));
    };
    for (let round = 0; round < 2; round++) {
      await publishMore(150);
      const more = publishMore(150);
      await service.kill();
      await more;
      service = await start();
    }
    await expect.poll(async () => (await stored()).length).toBe(n + 1);
    const { ledger } = await request('GET', `/v1/pipelines/${id}`);
    expect(ledger.received).toBe(ledger.delivered + ledger.rejected);
    await service.kill();
  }, 90_000);
});
