import { fork } from 'node:child_process';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { startTestService } from '../service/start-test-service.ts';
import { percentile } from './data/percentile.ts';

/**
 * The delay from a request to its event at each of 450 clients, while samples arrive, with and without 50 more clients
 * that never read. Also the memory of a client. The clients run in a separate process.
 */
const READERS = 450;
const STUCK = 50;
const SECONDS = 10;
const EVENTS_PER_SECOND = 20;
/** Texts of 1,000 characters per second: more than the connections of clients that never read can buffer. */
const TEXTS_PER_SECOND = 2_000;

type Order = { open: number; read: boolean; query: string } | { report: true };
type Report = { delays: number[] };

const nowMs = () => performance.timeOrigin + performance.now();

/** Runs in the other process: opens streams, and records the age of each event on arrival. */
const runClients = (url: string, token: string): void => {
  const { host, hostname, port } = new URL(url);
  let delays: number[] = [];
  const open = (query: string, read: boolean) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    socket.write(
      `GET /v1/stream${query} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`,
    );
    if (!read) return;
    socket.on('data', (part) => {
      const arrivedMs = nowMs();
      for (const [, sentMs] of part.toString('latin1').matchAll(/"name":"at ([\d.]+)"/g))
        delays.push(arrivedMs - Number(sentMs));
    });
  };
  process.on('message', (order: Order) => {
    if ('open' in order) for (let count = 0; count < order.open; count += 1) open(order.query, order.read);
    else {
      process.send?.({ delays } satisfies Report);
      delays = [];
    }
  });
};

const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(1);

const runService = async (): Promise<void> => {
  const test = await startTestService();
  const hub = test.service.parts.streams;
  const { secret } = await test.mintKey(['events:read', 'devices:read', 'telemetry:read']);
  const { body: logger } = await test.request('POST', '/v1/devices', { body: { name: 'Logger' } });
  const clients = fork(import.meta.filename, [test.url, secret]);
  const send = (order: Order) => clients.send(order);
  const openUntil = async (order: Order, count: number) => {
    send(order);
    while (hub.figures().open < count) await wait(50);
  };

  let textTs = Date.now() - 3_600_000;
  const sendTexts = () =>
    test.request('POST', '/v1/telemetry', {
      body: {
        samples: Array.from({ length: TEXTS_PER_SECOND / EVENTS_PER_SECOND }, () => ({
          device: logger.id,
          ts: (textTs += 1),
          values: { line: 'x'.repeat(1_000) },
        })),
      },
    });

  const measure = async (name: string) => {
    const cpu = process.cpuUsage();
    const begun = performance.now();
    const requests: number[] = [];
    for (let round = 0; round < SECONDS * EVENTS_PER_SECOND; round += 1) {
      await wait(Math.max(0, begun + (round * 1_000) / EVENTS_PER_SECOND - performance.now()));
      const sent = performance.now();
      const texts = sendTexts();
      await test.request('POST', '/v1/devices', { body: { name: `at ${nowMs()}` } });
      requests.push(performance.now() - sent);
      await texts;
    }
    await wait(1_000);
    const { user, system } = process.cpuUsage(cpu);
    const busy = (user + system) / 1_000 / (performance.now() - begun);
    send({ report: true });
    const { delays } = await new Promise<Report>((resolve) => clients.once('message', resolve));
    const at = (values: number[], share: number) => percentile(values, share).toFixed(1);
    const complete = delays.length === READERS * SECONDS * EVENTS_PER_SECOND ? 'all' : 'NOT ALL';
    process.stdout.write(
      `| ${name} | ${at(delays, 0.5)} | ${at(delays, 0.99)} | ${at(delays, 1)} | ${complete} of ${delays.length} | ${at(requests, 0.5)} | ${at(requests, 0.99)} | ${(busy * 100).toFixed(0)} % | ${megabytes(process.memoryUsage().rss)} | ${megabytes(hub.figures().waitingBytes)} |\n`,
    );
  };

  process.stdout.write(
    `${EVENTS_PER_SECOND} events and ${TEXTS_PER_SECOND} texts of 1 kB a second for ${SECONDS} s; ${availableParallelism()} cores\n\n` +
      '| clients | delivery ms p50 | p99 | most | delivered | request ms p50 | p99 | CPU of one core | RSS MiB | waiting MiB |\n|---|---|---|---|---|---|---|---|---|---|\n',
  );
  const without = process.memoryUsage().rss;
  await openUntil({ open: READERS, read: true, query: '' }, READERS);
  await wait(1_000);
  const perClient = (process.memoryUsage().rss - without) / READERS / 1_024;
  await measure(`${READERS} reading`);
  await openUntil({ open: STUCK, read: false, query: `?device=${logger.id}` }, READERS + STUCK);
  await measure(`${READERS} reading, ${STUCK} not reading`);
  process.stdout.write(`\nAn idle client costs ${perClient.toFixed(0)} KiB of RSS.\n`);
  clients.kill();
  await test.close();
};

const [, , url, token] = process.argv;
if (process.send === undefined) await runService();
else runClients(url ?? '', token ?? '');
