import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageFull } from '#service/platform/storage/store-errors.ts';
import { freePort } from './free-port.ts';
import { findProgram, isInstalled } from './installed.ts';
import { waitForPort } from './mosquitto.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const PASSWORD = 'canary-of-nats';
const FROM = 1_700_000_000_000;

describe.skipIf(!isInstalled('nats-server'))('a pipeline from NATS', () => {
  let test: TestService;
  let port: number;
  let dir: string;
  let server: ChildProcess;
  let client: NatsConnection;
  let exited: Promise<unknown>;
  const start = async () => {
    server = spawn(findProgram('nats-server') ?? '', ['-c', join(dir, 'nats.conf')], { stdio: 'ignore' });
    exited = new Promise((resolve) => server.once('exit', resolve));
    await waitForPort(port);
    client = await connect({ servers: `127.0.0.1:${port}`, user: 'penstock', pass: PASSWORD, tls: null });
  };
  const kill = async () => {
    server.kill('SIGKILL');
    await exited;
    await client.close();
  };
  beforeAll(async () => {
    port = await freePort();
    dir = mkdtempSync(join(tmpdir(), 'penstock-nats-'));
    writeFileSync(
      join(dir, 'nats.conf'),
      `listen: 127.0.0.1:${port}\njetstream { store_dir: "${dir}" }\nauthorization { user: penstock, password: ${PASSWORD} }\n`,
    );
    await start();
    const manager = await jetstreamManager(client);
    await manager.streams.add({ name: 'PLANT', subjects: ['plant.>'] });
    test = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
  });
  afterAll(async () => {
    await test.close();
    await kill();
    rmSync(dir, { recursive: true, force: true });
  });

  const create = async (name: string, config: Record<string, unknown> = {}) => {
    const { body } = await test.request('POST', '/v1/pipelines', {
      body: {
        name,
        type: 'nats',
        interval: 5,
        destination: 'telemetry',
        config: {
          url: `nats://127.0.0.1:${port}`,
          subject: `plant.${name}.*`,
          username: 'penstock',
          password: PASSWORD,
          ...config,
        },
      },
    });
    return body;
  };
  const read = async (id: string) => (await test.request('GET', `/v1/pipelines/${id}`)).body;
  const publish = (subject: string, n: number) =>
    jetstream(client).publish(subject, JSON.stringify({ ts: FROM + n, values: { n } }));
  const valuesOf = async (device: string): Promise<number[]> => {
    const query = `device=${device}&metric=n&from=${FROM}&to=${FROM + 1_000_000}&points=5000`;
    return (await test.request('GET', `/v1/telemetry?${query}`)).body.series?.[0]?.value ?? [];
  };
  /** It has begun when its consumer is there. */
  const begun = (id: string) =>
    expect
      .poll(async () => {
        const manager = await jetstreamManager(client);
        return manager.consumers.info('PLANT', `penstock-${id}`).then(
          () => true,
          () => false,
        );
      })
      .toBe(true);
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

  it('receives each published message once', async () => {
    const { id, config } = await create('plain');
    expect(config.password).toBe('***');
    await begun(id);
    await Promise.all(numbers(1, 500).map((n) => publish('plant.plain.pump-1', n)));
    await expect.poll(() => valuesOf('pump-1')).toEqual(numbers(1, 500));
    // Samples can be read before their messages are counted.
    await expect
      .poll(() => read(id))
      .toMatchObject({ state: 'running', lastError: null, ledger: { received: 500 } });
    await test.restart();
    await publish('plant.plain.pump-1', 501);
    await expect.poll(async () => (await valuesOf('pump-1')).length).toBe(501);
    await expect.poll(async () => (await read(id)).ledger.received).toBe(501);
  });

  it('keeps a subject with NUL in a form that every database can store', async () => {
    const { id } = await create('odd');
    await begun(id);
    await jetstream(client).publish('plant.odd.a\0b', 'not json');
    await expect.poll(async () => (await read(id)).ledger.rejected).toBe(1);
    const { body } = await test.request('GET', `/v1/pipelines/${id}/rejections`);
    expect(body.data).toMatchObject([{ topic: 'plant.odd.a␀b', defaultDevice: 'a␀b' }]);
  });

  it('that is tested connects, receives nothing, and leaves no consumer behind', async () => {
    const consumers = async () =>
      (await jetstreamManager(client)).streams.info('PLANT').then(({ state }) => state.consumer_count);
    const before = await consumers();
    const attempt = (password: string) =>
      test.request('POST', '/v1/pipelines/test', {
        body: {
          name: 'Tried',
          type: 'nats',
          interval: 5,
          destination: 'telemetry',
          config: {
            url: `nats://127.0.0.1:${port}`,
            subject: 'plant.tried.*',
            username: 'penstock',
            password,
          },
        },
      });
    expect((await attempt(PASSWORD)).body).toMatchObject({ ok: true });
    const { body } = await attempt('wrong');
    expect(body.ok).toBe(false);
    expect(body.steps[1].detail).toContain('rejected the credentials');
    expect(body.steps[1].pointer).toBe('/config/password');
    await expect.poll(consumers).toBe(before);
  });

  it('does not acknowledge messages that it cannot store, and receives them again', async () => {
    const { id } = await create('full');
    await begun(id);
    test.service.parts.ingest.accept = () => Promise.reject(new StorageFull('The disk is full.'));
    for (const n of numbers(1, 5)) await publish('plant.full.pump-2', n);
    await expect
      .poll(() => read(id))
      .toMatchObject({ state: 'degraded', lastError: { detail: 'The disk is full.' } });
    await test.restart();
    await expect.poll(() => valuesOf('pump-2')).toEqual(numbers(1, 5));
  });

  it('waits for an unreachable server, and loses no acknowledged message', async () => {
    const { id } = await create('outage');
    await begun(id);
    for (const n of numbers(1, 50)) await publish('plant.outage.pump-3', n);
    await kill();
    await expect
      .poll(() => read(id))
      .toMatchObject({
        state: 'degraded',
        lastError: { detail: expect.stringContaining(`127.0.0.1:${port}`) },
      });
    await start();
    for (const n of numbers(51, 100)) await publish('plant.outage.pump-3', n);
    await expect.poll(() => valuesOf('pump-3')).toEqual(numbers(1, 100));
  });

  it('is failed with rejected credentials, and works again with valid ones', async () => {
    const { id } = await create('refused', { password: 'wrong' });
    await expect
      .poll(() => read(id))
      .toMatchObject({
        state: 'failed',
        lastError: { detail: `127.0.0.1:${port} rejected the credentials.` },
      });
    await test.request('PATCH', `/v1/pipelines/${id}`, { body: { config: { password: PASSWORD } } });
    await expect.poll(async () => (await read(id)).state).toBe('running');
    await begun(id);
  });

  it('reports a missing stream, and starts when it exists', async () => {
    const { id } = await create('elsewhere', { subject: 'elsewhere.*' });
    await expect
      .poll(() => read(id))
      .toMatchObject({
        state: 'degraded',
        lastError: { detail: `127.0.0.1:${port}: no stream stores elsewhere.*. Create a stream for it.` },
      });
  });

  it('rejects forbidden addresses, and reports an invalid config', async () => {
    const { code, errors } = await create('forbidden', { url: 'nats://10.0.0.5' });
    expect([code, errors[0].pointer]).toEqual(['destination-forbidden', '/config/url']);
    const { state, problems } = await create('wrong', {
      url: 'http://nats.example.com',
      subject: 'a..b',
      stream: 'a.b',
    });
    expect(state).toBe('draft');
    expect(problems.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual([
      '/config/stream',
      '/config/subject',
      '/config/url',
    ]);
  });
});
