import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { SpooledSamples } from '#service/pipelines/destinations/destination.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { freePort } from './free-port.ts';
import { findProgram, isInstalled } from './installed.ts';
import { PASSWORD, startMosquitto } from './mosquitto.ts';
import {
  delivery,
  failureOf,
  numbered,
  openDestination,
  timeoutSignal,
  trustTestCertificate,
} from './open-destination.ts';

const MAX_PACKET_BYTES = 2_000;
const run = promisify(execFile);

describe.skipIf(!isInstalled('mosquitto') || !isInstalled('mosquitto_sub'))('a destination over MQTT', () => {
  let broker: Awaited<ReturnType<typeof startMosquitto>>;
  let dir: string;
  let readers = 0;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'penstock-acl-'));
    writeFileSync(join(dir, 'acl'), 'user penstock\ntopic readwrite #\ntopic deny closed/#\n', {
      mode: 0o644,
    });
    broker = await startMosquitto([`acl_file ${join(dir, 'acl')}`, `max_packet_size ${MAX_PACKET_BYTES}`]);
  });
  afterAll(async () => {
    await broker.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /**
   * Records messages that are published from now on, also after a restart of the broker, and returns the given number.
   */
  const listen = async (topic: string) => {
    const program = findProgram('mosquitto_sub') ?? '';
    const access = ['-h', '127.0.0.1', '-p', String(broker.port), '-u', 'penstock', '-P', PASSWORD];
    const session = [...access, '-c', '-i', `reader-${readers++}`, '-q', '2', '-t', topic];
    await run(program, [...session, '-E']);
    return async (count: number) => {
      const reading = [...session, '-W', '10', '-C', String(count), '-F', '%q %t %p'];
      const { stdout } = await run(program, reading, { maxBuffer: 100_000_000 });
      return stdout.trimEnd().split('\n');
    };
  };
  const open = (options: Record<string, unknown> = {}, url = `mqtt://127.0.0.1:${broker.port}`) =>
    openDestination('mqtt', { url, options: { username: 'penstock', password: PASSWORD, ...options } });
  const lineOf =
    (prefix: string, qos = 1) =>
    ({ device, ts, values }: SpooledSamples) =>
      `${qos} ${prefix}/${device}/up ${JSON.stringify({ ts, values })}`;

  it('receives one message per device and timestamp, with unchanged values of each kind', async () => {
    const read = await listen('penstock/+/telemetry');
    const values = { temperature: 21.5, big: 2 ** 53 - 1, on: false, text: 'an “odd” one\n{device} é 水' };
    const samples = [
      { device: 'plant:pump.1', ts: 1_700_000_000_123, values },
      { device: 'plant:pump.1', ts: 1_700_000_000_124, values: { small: -1e-300 } },
    ];
    await open().deliver(delivery('one', samples), timeoutSignal());
    expect(await read(2)).toEqual(
      samples.map(
        ({ ts, values: kept }) => `1 penstock/plant:pump.1/telemetry ${JSON.stringify({ ts, values: kept })}`,
      ),
    );
  });

  it('names the device in the message if the topic does not', async () => {
    const read = await listen('all');
    await open({ topic: 'all' }).deliver(delivery('one', numbered(1)), timeoutSignal());
    expect(await read(1)).toEqual(['1 all {"device":"pump-0","ts":1700000000000,"values":{"n":0}}']);
  });

  it.each([
    ['5', 1],
    ['5', 2],
    ['3.1.1', 1],
    ['3.1.1', 2],
  ])('receives all samples in order (MQTT %s, QoS %i)', async (protocol, qos) => {
    const prefix = `order-${protocol}-${qos}`;
    const read = await listen(`${prefix}/+/up`);
    const destination = open({ protocol, qos, topic: `${prefix}/{device}/up` });
    await destination.deliver(delivery('one', numbered(500)), timeoutSignal());
    await destination.deliver(delivery('two', numbered(300, 500)), timeoutSignal());
    expect(await read(800)).toEqual(numbered(800).map(lineOf(prefix, qos)));
  });

  it('accepts concurrent deliveries', async () => {
    const read = await listen('several/+/up');
    const destination = open({ topic: 'several/{device}/up' });
    await Promise.all(
      [0, 1, 2, 3, 4, 5].map((n) =>
        destination.deliver(delivery(`${n}`, numbered(100, n * 100)), timeoutSignal()),
      ),
    );
    expect((await read(600)).toSorted()).toEqual(numbered(600).map(lineOf('several')).toSorted());
  });

  it('is reached over WebSocket, and over TLS with a verified certificate', async () => {
    const read = await listen('ways/+/up');
    const options = { topic: 'ways/{device}/up' };
    const overWebSocket = open(options, `ws://127.0.0.1:${broker.wsPort}/mqtt`);
    await overWebSocket.deliver(delivery('one', numbered(1)), timeoutSignal());
    const url = `mqtts://localhost:${broker.tlsPort}`;
    const failure = await failureOf(
      open(options, url).deliver(delivery('two', numbered(1, 1)), timeoutSignal()),
    );
    expect(failure).toMatchObject({
      kind: 'unavailable',
      message: `TLS: the certificate of localhost:${broker.tlsPort} is self-signed. To trust it, start Penstock with NODE_EXTRA_CA_CERTS=FILE.`,
    });
    trustTestCertificate();
    await open(options, url).deliver(delivery('two', numbered(1, 1)), timeoutSignal());
    expect(await read(2)).toEqual(numbered(2).map(lineOf('ways')));
  });

  it('reports in a test whether it accepts the connection, and sends nothing', async () => {
    const read = await listen('probed/#');
    const destination = open({ topic: 'probed/{device}/up' });
    expect(await destination.probe(timeoutSignal())).toBe(
      `Connected to 127.0.0.1:${broker.port} with MQTT 5 and QoS 1.`,
    );
    await destination.deliver(delivery('one', numbered(1)), timeoutSignal());
    expect(await read(1)).toEqual(numbered(1).map(lineOf('probed')));
  });

  it.each(['5', '3.1.1'])('rejects a wrong password and never quotes it (MQTT %s)', async (protocol) => {
    const destination = open({ protocol, password: 'canary-of-a-wrong-password' });
    for (const failure of [
      await failureOf(destination.probe(timeoutSignal())),
      await failureOf(destination.deliver(delivery('one', numbered(1)), timeoutSignal())),
    ]) {
      expect(failure.kind).toBe('refused');
      expect(failure.message).toContain(`127.0.0.1:${broker.port} rejected the`);
      expect(failure.message).not.toContain('canary');
    }
  });

  it('also accepts credentials in its URL', async () => {
    const { port } = broker;
    const withPassword = openDestination('mqtt', { url: `mqtt://penstock:${PASSWORD}@127.0.0.1:${port}` });
    expect(await withPassword.probe(timeoutSignal())).not.toContain(PASSWORD);
  });

  it('is blocked for a topic that the user cannot publish to', async () => {
    const failure = await failureOf(
      open({ topic: 'closed/{device}' }).deliver(delivery('one', numbered(1)), timeoutSignal()),
    );
    expect([failure.kind, failure.message]).toEqual([
      'refused',
      `127.0.0.1:${broker.port} does not allow this user to publish to closed/pump-0.`,
    ]);
  });

  it('rejects a message larger than the limit of the broker, with its whole delivery', async () => {
    const read = await listen('large/+/up');
    const destination = open({ topic: 'large/{device}/up' });
    const large = { device: 'pump-0', ts: 1, values: { text: 'x'.repeat(MAX_PACKET_BYTES) } };
    const failure = await failureOf(
      destination.deliver(delivery('one', [...numbered(5), large]), timeoutSignal()),
    );
    expect([failure.kind, failure.message]).toEqual([
      'unacceptable',
      `The message is too large for 127.0.0.1:${broker.port}.`,
    ]);
    await destination.deliver(delivery('two', numbered(1, 7)), timeoutSignal());
    expect(await read(1)).toEqual(numbered(1, 7).map(lineOf('large')));
  });

  it('retries while the server is away, and delivers when it is back', async () => {
    const read = await listen('outage/+/up');
    const destination = open({ topic: 'outage/{device}/up' });
    await destination.deliver(delivery('one', numbered(10)), timeoutSignal());
    await broker.stop();
    const failure = await failureOf(destination.deliver(delivery('two', numbered(10, 10)), timeoutSignal()));
    expect(failure.kind).toBe('unavailable');
    expect((await failureOf(destination.probe(timeoutSignal()))).message).toContain('refused the connection');
    await broker.start();
    await destination.deliver(delivery('two', numbered(10, 10)), timeoutSignal());
    expect(await read(20)).toEqual(numbered(20).map(lineOf('outage')));
  });

  it('is blocked at a forbidden address', async () => {
    const destination = openDestination('mqtt', {
      url: `mqtt://127.0.0.1:${broker.port}`,
      allowedNetworks: [],
    });
    const failure = await failureOf(destination.deliver(delivery('one', numbered(1)), timeoutSignal()));
    expect(failure.kind).toBe('refused');
    expect(failure.message).toContain('ALLOWED_NETWORKS');
  });

  describe('over a broken connection', () => {
    const openBehind = async (topic: string) => {
      const proxy = await startFaultProxy(broker.port);
      onTestFinished(proxy.close);
      return { proxy, destination: open({ topic }, `mqtt://127.0.0.1:${proxy.port}`) };
    };

    it.each(['hang', 'drip', 'mute'] as const)('times out while connecting (%s)', async (fault) => {
      const { proxy, destination } = await openBehind('never/{device}/up');
      proxy.fault = fault;
      const failure = await failureOf(destination.deliver(delivery('one', numbered(1)), timeoutSignal(300)));
      expect(failure).toMatchObject({
        kind: 'unavailable',
        message: `127.0.0.1:${proxy.port} timed out before acknowledging.`,
      });
      await expect.poll(() => proxy.open()).toBe(0);
    });

    it.each(['hang', 'drip', 'mute'] as const)(
      'times out while publishing, and continues with a new connection (%s)',
      async (fault) => {
        const read = await listen(`${fault}/+/up`);
        const { proxy, destination } = await openBehind(`${fault}/{device}/up`);
        await destination.deliver(delivery('one', numbered(3)), timeoutSignal());
        proxy.fault = fault;
        const failure = await failureOf(
          destination.deliver(delivery('two', numbered(300, 3)), timeoutSignal(300)),
        );
        expect(failure.kind).toBe('unavailable');
        await expect.poll(() => proxy.open()).toBe(0);
        proxy.fault = 'pass';
        await destination.deliver(delivery('three', numbered(3, 303)), timeoutSignal());
        const lines = fault === 'hang' ? await read(6) : undefined;
        if (lines !== undefined)
          expect(lines).toEqual([...numbered(3), ...numbered(3, 303)].map(lineOf(fault)));
      },
    );

    it('is unavailable if the connection is cut', async () => {
      const { proxy, destination } = await openBehind('reset/{device}/up');
      await destination.deliver(delivery('one', numbered(3)), timeoutSignal());
      proxy.fault = 'reset';
      const failure = await failureOf(
        destination.deliver(delivery('two', numbered(300, 3)), timeoutSignal()),
      );
      expect(failure.kind).toBe('unavailable');
      expect(failure.message).toMatch(/(closed the connection|The connection to \S+ failed)/);
    });

    it('is unavailable without a server', async () => {
      const port = await freePort();
      const failure = await failureOf(open({}, `mqtt://127.0.0.1:${port}`).probe(timeoutSignal()));
      expect(failure).toMatchObject({
        kind: 'unavailable',
        message: `127.0.0.1:${port} refused the connection.`,
      });
    });
  });
});
