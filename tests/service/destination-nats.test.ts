import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiscardPolicy, jetstream, jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startFaultProxy } from './fault-proxy.ts';
import { freePort } from './free-port.ts';
import { findProgram, isInstalled } from './installed.ts';
import { waitForPort } from './mosquitto.ts';
import {
  delivery,
  failureOf,
  numbered,
  openDestination,
  timeoutSignal,
  trustTestCertificate,
} from './open-destination.ts';

const PASSWORD = 'canary-of-nats';
const MAX_PAYLOAD_BYTES = 4_096;

/** A nats-server with JetStream on loopback, whose settings are added to what each needs. */
const startServer = async (settings: string) => {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'penstock-nats-'));
  writeFileSync(
    join(dir, 'nats.conf'),
    `listen: 127.0.0.1:${port}\njetstream { store_dir: "${dir}" }\nmax_payload: ${MAX_PAYLOAD_BYTES}\n${settings}`,
  );
  let child: ChildProcess;
  let exited: Promise<unknown>;
  const start = async () => {
    child = spawn(findProgram('nats-server') ?? '', ['-c', join(dir, 'nats.conf')], { stdio: 'ignore' });
    exited = new Promise((resolve) => child.once('exit', resolve));
    await waitForPort(port);
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  await start();
  return {
    port,
    start,
    kill,
    close: async () => {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

describe.skipIf(!isInstalled('nats-server'))('a destination in NATS JetStream', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  let client: NatsConnection;
  const dial = async () => {
    client = await connect({
      servers: `127.0.0.1:${server.port}`,
      user: 'penstock',
      pass: PASSWORD,
      tls: null,
    });
  };
  beforeAll(async () => {
    server = await startServer(`authorization { users: [
      { user: penstock, password: ${PASSWORD} },
      { user: narrow, password: ${PASSWORD}, permissions: { publish: "plant.>", subscribe: "_INBOX.>" } },
      { user: deaf, password: ${PASSWORD}, permissions: { publish: ">", subscribe: { deny: ">" } } },
    ] }\n`);
    await dial();
    await makeStream({ name: 'PLANT', subjects: ['plant.>'] });
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });

  const makeStream = async (config: Partial<StreamConfig> & { name: string }) =>
    (await jetstreamManager(client)).streams.add(config);
  /** What a stream holds of the subjects below one, in its order. */
  const stored = async (stream: string, subject: string) => {
    const consumer = await jetstream(client).consumers.get(stream, { filter_subjects: `${subject}.>` });
    const { num_pending: count } = await consumer.info();
    const found: { subject: string; body: unknown }[] = [];
    if (count === 0) return found;
    for await (const message of await consumer.consume()) {
      found.push({ subject: message.subject, body: message.json() });
      if (found.length === count) break;
    }
    return found;
  };
  const bodies = async (subject: string, stream = 'PLANT') =>
    (await stored(stream, subject)).map(({ body }) => body);
  const open = (
    subject: string,
    options: Record<string, unknown> = {},
    url = `nats://127.0.0.1:${server.port}`,
  ) =>
    openDestination('nats', {
      url,
      options: { username: 'penstock', password: PASSWORD, subject, ...options },
    });

  it('receives one message per device and timestamp, with unchanged values of each kind', async () => {
    const values = { temperature: 21.5, big: 2 ** 53 - 1, on: false, text: 'an “odd” one\n{device} é 水' };
    const samples = [
      { device: 'line:pump.1', ts: 1_700_000_000_123, values },
      { device: 'line:pump.1', ts: 1_700_000_000_124, values: { small: -1e-300 } },
    ];
    await open('plant.kinds.{device}').deliver(delivery('kinds', samples), timeoutSignal());
    expect(await stored('PLANT', 'plant.kinds')).toEqual(
      samples.map((body) => ({ subject: 'plant.kinds.line:pump_1', body })),
    );
  });

  it('receives all samples in order', async () => {
    const destination = open('plant.order.{device}');
    await destination.deliver(delivery('order-1', numbered(2_000)), timeoutSignal());
    await destination.deliver(delivery('order-2', numbered(500, 2_000)), timeoutSignal());
    expect(await bodies('plant.order')).toEqual(numbered(2_500));
  });

  it('stores a repeated delivery once', async () => {
    const destination = open('plant.again.{device}');
    await destination.deliver(delivery('again', numbered(20)), timeoutSignal());
    await destination.deliver(delivery('again', numbered(20)), timeoutSignal());
    await destination.deliver(delivery('other', numbered(5, 20)), timeoutSignal());
    expect(await bodies('plant.again')).toEqual(numbered(25));
  });

  it('accepts concurrent deliveries', async () => {
    const destination = open('plant.several.{device}');
    await Promise.all(
      [0, 1, 2, 3, 4, 5].map((n) =>
        destination.deliver(delivery(`several-${n}`, numbered(50, n * 50)), timeoutSignal()),
      ),
    );
    expect(await bodies('plant.several')).toHaveLength(300);
  });

  it('names the stream of the subject in a test, and sends nothing', async () => {
    const host = `127.0.0.1:${server.port}`;
    expect(await open('plant.probed.{device}').probe(timeoutSignal())).toBe(
      `Connected to ${host}. plant.probed.* is stored in PLANT.`,
    );
    expect(await open('plant.probed.{device}', { username: 'narrow' }).probe(timeoutSignal())).toBe(
      `Connected to ${host}. Penstock could not check which stream stores plant.probed.*.`,
    );
    expect(await bodies('plant.probed')).toEqual([]);
  });

  it('rejects a wrong password and never quotes it', async () => {
    const destination = open('plant.x', { password: 'canary-of-a-wrong-password' });
    for (const failure of [
      await failureOf(destination.probe(timeoutSignal())),
      await failureOf(destination.deliver(delivery('one', numbered(1)), timeoutSignal())),
    ])
      expect([failure.kind, failure.message]).toEqual([
        'refused',
        `127.0.0.1:${server.port} rejected the credentials.`,
      ]);
  });

  it('also accepts credentials in its URL', async () => {
    const url = `nats://penstock:${PASSWORD}@127.0.0.1:${server.port}`;
    const destination = openDestination('nats', { url, options: { subject: 'plant.x' } });
    expect(await destination.probe(timeoutSignal())).not.toContain(PASSWORD);
  });

  it.each([
    ['publish to elsewhere.pump-0', 'narrow', 'elsewhere.{device}'],
    ['subscribe to _INBOX.', 'deaf', 'plant.deaf.{device}'],
  ])('is refused for a user who cannot %s', async (what, username, subject) => {
    const failure = await failureOf(
      open(subject, { username }).deliver(delivery('one', numbered(1)), timeoutSignal()),
    );
    expect(failure.kind).toBe('refused');
    expect(failure.message).toContain(`127.0.0.1:${server.port} does not allow this user to ${what}`);
  });

  it('reports that no stream stores the subject', async () => {
    const destination = open('nowhere.{device}');
    const host = `127.0.0.1:${server.port}`;
    const [found, sent] = [
      await failureOf(destination.probe(timeoutSignal())),
      await failureOf(destination.deliver(delivery('one', numbered(1)), timeoutSignal())),
    ];
    expect([found.kind, found.message]).toEqual([
      'refused',
      `${host}: no stream stores nowhere.*. Create a stream for it.`,
    ]);
    expect([sent.kind, sent.message]).toEqual([
      'refused',
      `${host}: no stream stores nowhere.pump-0. Create a stream for it.`,
    ]);
  });

  it('rejects a message larger than the limit of the server, with its whole delivery', async () => {
    const large = { device: 'pump-0', ts: 1, values: { text: 'x'.repeat(MAX_PAYLOAD_BYTES) } };
    const failure = await failureOf(
      open('plant.large.{device}').deliver(delivery('large', [...numbered(5), large]), timeoutSignal()),
    );
    expect([failure.kind, failure.message]).toEqual([
      'unacceptable',
      `127.0.0.1:${server.port} accepts messages of at most ${MAX_PAYLOAD_BYTES} bytes.`,
    ]);
    expect(await bodies('plant.large')).toEqual([]);
  });

  it('accepts a message of exactly the limit of the server', async () => {
    const room = MAX_PAYLOAD_BYTES - 'NATS/1.0\r\nNats-Msg-Id: exact-0\r\n\r\n'.length;
    const sample = (text: string) => ({ device: 'p', ts: 1, values: { text } });
    const fits = sample('x'.repeat(room - JSON.stringify(sample('')).length));
    const destination = open('plant.exact.{device}');
    await destination.deliver(delivery('exact', [fits]), timeoutSignal());
    const more = sample(`${fits.values.text}x`);
    expect((await failureOf(destination.deliver(delivery('exact', [more]), timeoutSignal()))).kind).toBe(
      'unacceptable',
    );
    expect(await bodies('plant.exact')).toEqual([fits]);
  });

  it('rejects a message larger than the limit of the stream', async () => {
    await makeStream({ name: 'SMALL', subjects: ['small.>'], max_msg_size: 200 });
    const large = { device: 'pump-0', ts: 1, values: { text: 'x'.repeat(500) } };
    const failure = await failureOf(
      open('small.{device}').deliver(delivery('one', [large]), timeoutSignal()),
    );
    expect(failure.kind).toBe('unacceptable');
    expect(failure.message).toContain('the message is too large for the stream');
  });

  it('waits while the stream is full', async () => {
    await makeStream({ name: 'FULL', subjects: ['full.>'], max_msgs: 10, discard: DiscardPolicy.New });
    const destination = open('full.{device}');
    const failure = await failureOf(destination.deliver(delivery('full', numbered(20)), timeoutSignal()));
    expect(failure.kind).toBe('unavailable');
    expect(failure.message).toContain('maximum messages exceeded');
    await (await jetstreamManager(client)).streams.update('FULL', { max_msgs: 100 });
    await destination.deliver(delivery('full', numbered(20)), timeoutSignal());
    expect(await bodies('full', 'FULL')).toEqual(numbered(20));
  });

  it('retries while the server is away, and delivers when it is back', async () => {
    const destination = open('plant.outage.{device}');
    await destination.deliver(delivery('outage-1', numbered(10)), timeoutSignal());
    await server.kill();
    const failure = await failureOf(
      destination.deliver(delivery('outage-2', numbered(10, 10)), timeoutSignal()),
    );
    expect(failure.kind).toBe('unavailable');
    expect((await failureOf(destination.probe(timeoutSignal()))).message).toBe(
      `127.0.0.1:${server.port} refused the connection.`,
    );
    await server.start();
    await destination.deliver(delivery('outage-2', numbered(10, 10)), timeoutSignal());
    await client.close();
    await dial();
    expect(await bodies('plant.outage')).toEqual(numbered(20));
  });

  it('is blocked at a forbidden address', async () => {
    const destination = openDestination('nats', {
      url: `nats://127.0.0.1:${server.port}`,
      allowedNetworks: [],
    });
    const failure = await failureOf(destination.deliver(delivery('one', numbered(1)), timeoutSignal()));
    expect(failure.kind).toBe('refused');
    expect(failure.message).toContain('ALLOWED_NETWORKS');
  });

  it('is reached over TLS with a verified certificate, and reports a TLS mismatch', async () => {
    const file = (name: string) => join(import.meta.dirname, name);
    const secure = await startServer(
      `tls { cert_file: "${file('test-cert.pem')}", key_file: "${file('test-key.pem')}" }\n`,
    );
    onTestFinished(secure.close);
    const url = `tls://localhost:${secure.port}`;
    const untrusted = await failureOf(openDestination('nats', { url }).probe(timeoutSignal()));
    expect(untrusted).toMatchObject({
      kind: 'unavailable',
      message: `TLS: the certificate of localhost:${secure.port} is self-signed. To trust it, start Penstock with NODE_EXTRA_CA_CERTS=FILE.`,
    });
    trustTestCertificate();
    const missing = await failureOf(
      openDestination('nats', { url }).deliver(delivery('one', numbered(1)), timeoutSignal()),
    );
    expect(missing.message).toContain('no stream stores penstock.pump-0.telemetry');
    const offHere = openDestination('nats', { url: url.replace('tls:', 'nats:') });
    const offThere = open('plant.x', {}, `tls://127.0.0.1:${server.port}`);
    const failures = [
      await failureOf(offHere.probe(timeoutSignal())),
      await failureOf(offThere.probe(timeoutSignal())),
    ];
    expect(failures.map(({ kind, message }) => [kind, message])).toEqual([
      ['refused', `localhost:${secure.port}: the server requires TLS. Use tls://.`],
      ['refused', `127.0.0.1:${server.port}: the server does not support TLS. Use nats://.`],
    ]);
  });

  describe('over a broken connection', () => {
    const openBehind = async (subject: string) => {
      const proxy = await startFaultProxy(server.port);
      onTestFinished(proxy.close);
      return { proxy, destination: open(subject, {}, `nats://127.0.0.1:${proxy.port}`) };
    };

    it.each(['hang', 'drip', 'mute'] as const)('times out while connecting (%s)', async (fault) => {
      const { proxy, destination } = await openBehind('plant.never.{device}');
      proxy.fault = fault;
      const failure = await failureOf(destination.deliver(delivery('one', numbered(1)), timeoutSignal(300)));
      expect(failure).toMatchObject({
        kind: 'unavailable',
        message: `127.0.0.1:${proxy.port} timed out before acknowledging.`,
      });
    });

    it.each(['hang', 'drip', 'mute'] as const)(
      'times out while publishing, and stores each message once with a new connection (%s)',
      async (fault) => {
        const { proxy, destination } = await openBehind(`plant.${fault}.{device}`);
        await destination.deliver(delivery(`${fault}-1`, numbered(3)), timeoutSignal());
        proxy.fault = fault;
        const second = delivery(`${fault}-2`, numbered(300, 3));
        expect((await failureOf(destination.deliver(second, timeoutSignal(300)))).kind).toBe('unavailable');
        await expect.poll(() => proxy.open()).toBe(0);
        proxy.fault = 'pass';
        const before = await bodies(`plant.${fault}`);
        expect(before.length === 3).toBe(fault === 'hang');
        await destination.deliver(second, timeoutSignal());
        expect(await bodies(`plant.${fault}`)).toEqual(numbered(303));
      },
    );

    it('is unavailable if the connection is cut', async () => {
      const { proxy, destination } = await openBehind('plant.reset.{device}');
      await destination.deliver(delivery('reset-1', numbered(3)), timeoutSignal());
      proxy.fault = 'reset';
      const failure = await failureOf(
        destination.deliver(delivery('reset-2', numbered(300, 3)), timeoutSignal()),
      );
      expect([failure.kind, failure.message]).toEqual([
        'unavailable',
        `127.0.0.1:${proxy.port} closed the connection.`,
      ]);
    });
  });
});
