import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { problemSchema, type Problem } from '#contract/problem.ts';
import { createApp } from '#service/app.ts';
import type { TelemetryStore } from '#service/telemetry/store/telemetry-store.ts';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const TIMEOUTS = { headersMs: 300, requestMs: 600, silenceMs: 1_000, checkEveryMs: 50, handshakeMs: 300 };

let test: TestService;
let mqttPort: number;
const logged: string[] = [];
beforeAll(async () => {
  mqttPort = await freePort();
  test = await startTestService({
    timeouts: TIMEOUTS,
    logTo: { write: (line) => void logged.push(line) },
    env: { MQTT_PORT: String(mqttPort) },
  });
});
afterAll(() => test.close());

type Line = { socket: Socket; closed: Promise<string>; openedMs: number };

/** A connection that sends `text`, and then what the test sends. `closed`: all that it received. */
const dial = (port: number, text: string): Line => {
  const socket = connect(port, '127.0.0.1');
  // Before the connection is established: what the test sends comes after it, even on a busy machine.
  socket.write(text);
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  socket.on('error', () => undefined);
  return {
    socket,
    openedMs: performance.now(),
    closed: new Promise((resolve) => socket.once('close', () => resolve(received))),
  };
};
const http = (...lines: string[]) => dial(Number(new URL(test.url).port), lines.join('\r\n'));

/** Says one more byte each 20 ms, for as long as it is listened to. */
const drip = ({ socket }: Line): void => {
  const timer = setInterval(() => void socket.write('x'), 20);
  socket.once('close', () => clearInterval(timer));
  onTestFinished(() => clearInterval(timer));
};

const problemIn = (answer: string): Problem =>
  problemSchema.parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)));

const host = () => `Host: ${new URL(test.url).host}`;
const bearer = () => `Authorization: Bearer ${test.token}`;

describe('a slow request is disconnected', () => {
  it.each([
    ['headers that never end', () => ['GET /v1/devices HTTP/1.1', host(), 'X-Slow: '], true],
    ['headers that stop', () => ['GET /v1/devices HTTP/1.1', host()], false],
    [
      'a body of a byte at a time',
      () => [
        'POST /v1/devices HTTP/1.1',
        host(),
        bearer(),
        'Content-Type: application/json',
        'Content-Length: 9000',
        '',
        '',
      ],
      true,
    ],
    [
      'a body that stops',
      () => [
        'POST /v1/devices HTTP/1.1',
        host(),
        bearer(),
        'Content-Type: application/json',
        'Content-Length: 9000',
        '',
        '{',
      ],
      false,
    ],
    [
      'a body without a token, of which no more is wanted',
      () => [
        'POST /v1/sessions HTTP/1.1',
        host(),
        'Content-Type: application/json',
        'Content-Length: 9000',
        '',
        '{',
      ],
      true,
    ],
  ])('%s', async (_, lines, isDripping) => {
    const line = http(...lines());
    if (isDripping) drip(line);
    const answer = await line.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toMatch(/\r\ncontent-security-policy: default-src 'none'/i);
    const problem = problemIn(answer);
    expect(problem).toMatchObject({ code: 'request-timeout', status: 408 });
    expect(answer).toContain(`x-request-id: ${problem.requestId}`);
  });

  it('leaves no line in the log', () => {
    expect(logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('a connection without a request is closed without a response', async () => {
    expect(await http().closed).toBe('');
  });

  it('other requests are answered meanwhile', async () => {
    const slow = Array.from({ length: 50 }, () => http('GET /v1/devices HTTP/1.1', host(), 'X-Slow: '));
    slow.forEach(drip);
    expect((await test.request('GET', '/v1/devices')).status).toBe(200);
    await Promise.all(slow.map(({ closed }) => closed));
  });

  it('invalid HTTP ends a connection without interrupting a response', async () => {
    const line = http('GET /v1/stream HTTP/1.1', host(), bearer(), '', '');
    await new Promise((resolve) => line.socket.once('data', resolve));
    line.socket.write('this is no request\r\n\r\n');
    expect((await line.closed).match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe('a stop', () => {
  it('does not wait for requests that are still arriving', async () => {
    // Only the stop ends the request before the test times out.
    const stopping = await startTestService({ timeouts: { stopMs: 100, requestMs: 600_000 } });
    const { port, host: name } = new URL(stopping.url);
    const head = ['POST /v1/devices HTTP/1.1', `Host: ${name}`, `Authorization: Bearer ${stopping.token}`];
    const lines = [...head, 'Content-Type: application/json', 'Content-Length: 9000', '', '{'];
    const line = dial(Number(port), lines.join('\r\n'));
    drip(line);
    await expect.poll(() => line.socket.bytesWritten).toBeGreaterThan(lines.join('\r\n').length);
    await stopping.close();
    await line.closed;
  });
});

describe('a client that does not read its response', () => {
  it('is disconnected, and only a few pages are read for it', async () => {
    // With the usual timeouts: on a busy machine, storing the long sample takes longer than those of this file.
    const own = await startTestService();
    onTestFinished(() => own.close());
    const { parts } = own.service;
    const values = Object.fromEntries(Array.from({ length: 200 }, (_, m) => [`m${m}`, 'x'.repeat(1_000)]));
    await own.request('POST', '/v1/telemetry', { body: { samples: [{ device: 'long', values }] } });
    let pages = 0;
    const scan: TelemetryStore['scan'] = async (selection, limit) => {
      pages += 1;
      // The same page again and again: an export that never ends.
      const { series } = await parts.telemetry.scan(selection, limit);
      return { series, next: { device: '', metric: '', ts: pages } };
    };
    const timeouts = { ...parts.timeouts, ...TIMEOUTS };
    const app = await createApp({ ...parts, timeouts, telemetry: { ...parts.telemetry, scan } }, undefined);
    onTestFinished(() => app.close());
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const asking = [
      'GET /v1/telemetry/export?from=0&to=now HTTP/1.1',
      `Host: ${new URL(own.url).host}`,
      `Authorization: Bearer ${own.token}`,
      '',
      '',
    ];
    const line = dial(port, asking.join('\r\n'));
    await new Promise((resolve) => line.socket.once('data', resolve));
    line.socket.pause();
    const open = () =>
      new Promise((resolve) => app.server.getConnections((_, connections) => resolve(connections)));
    await expect.poll(open).toBe(0);
    // 200 kB each: what the sockets of both sides hold, and no more.
    expect(pages).toBeLessThan(100);
  });
});

describe('an MQTT connection', () => {
  it.each([
    ['that says nothing', ''],
    ['that stops in the middle of its CONNECT', '\x10\x20\x00\x04MQ'],
  ])('%s is closed', async (_, text) => {
    expect(await dial(mqttPort, text).closed).toBe('');
  });

  it('with a too large CONNECT is closed before the packet arrives', async () => {
    const line = dial(mqttPort, '');
    // Remaining length 268,435,455: the largest that there is (MQTT 3.1.1, 2.2.3).
    line.socket.write(Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]));
    expect(await line.closed).toBe('');
  });
});
