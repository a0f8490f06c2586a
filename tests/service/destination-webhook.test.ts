import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { newWebhookSecret } from '#service/webhooks/signing-secrets.ts';
import { startFaultProxy } from './fault-proxy.ts';
import {
  delivery,
  failureOf,
  numbered,
  openDestination,
  timeoutSignal,
  PIPELINE,
} from './open-destination.ts';
import { startReceiver, type Receiver } from './receiver.ts';

const secret = newWebhookSecret();
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const open = (headers: Record<string, string> = {}, url = receiver.url) =>
  openDestination('webhook', { url, options: { headers }, secret });
const host = () => new URL(receiver.url).host;
const one = () => delivery('dlv_1', numbered(1));
/** Answers with a status, headers and a text. */
const answer =
  (status: number, headers: Record<string, string> = {}, text = '') =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(text);

describe('a destination that is called', () => {
  it('receives samples in order, with unchanged values of each kind', async () => {
    const values = { temperature: 21.5, big: 2 ** 53 - 1, on: false, text: 'an “odd” one\né 水' };
    const samples = [
      { device: 'line:pump.1', ts: 1_700_000_000_123, values },
      ...numbered(500).map((sample) => ({ ...sample, device: 'line:pump.1' })),
    ];
    const destination = open();
    await destination.deliver(delivery('dlv_1', samples), timeoutSignal());
    await destination.deliver(delivery('dlv_2', numbered(3)), timeoutSignal());
    expect(receiver.received.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
      {
        pipeline: PIPELINE,
        samples: samples.map((sample) => ({ ...sample, ts: new Date(sample.ts).toISOString() })),
      },
      {
        pipeline: PIPELINE,
        samples: numbered(3).map((sample) => ({ ...sample, ts: new Date(sample.ts).toISOString() })),
      },
    ]);
  });

  it('verifies each request by its signature, and recognises a repeated delivery by its ID', async () => {
    const destination = open();
    receiver.react = 503;
    expect((await failureOf(destination.deliver(one(), timeoutSignal()))).kind).toBe('unavailable');
    receiver.react = 204;
    await destination.deliver(one(), timeoutSignal());
    for (const { headers, text } of receiver.received) {
      expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toEqual(JSON.parse(text));
      expect(headers).toMatchObject({
        'webhook-id': 'dlv_1',
        'idempotency-key': 'dlv_1',
        'content-type': 'application/json',
        'user-agent': 'Penstock/1.2.3',
      });
    }
    expect(receiver.received.map(({ text }) => text)).toEqual([
      receiver.received[0]?.text,
      receiver.received[0]?.text,
    ]);
  });

  it('gets the configured headers, which cannot replace those of the request', async () => {
    const headers = {
      Authorization: 'Bearer canary',
      'X-Plant': 'north',
      'Webhook-Id': 'other',
      'IDEMPOTENCY-KEY': 'other',
      'User-Agent': 'other',
      'content-Type': 'text/plain',
    };
    await open(headers).deliver(one(), timeoutSignal());
    expect(receiver.received[0]?.headers).toMatchObject({
      authorization: 'Bearer canary',
      'x-plant': 'north',
      'webhook-id': 'dlv_1',
      'idempotency-key': 'dlv_1',
      'user-agent': 'Penstock/1.2.3',
      'content-type': 'application/json',
    });
  });

  it('gets the credentials of its URL as Basic authentication', async () => {
    await open({}, receiver.url.replace('//', '//plant:p%40ss@')).deliver(one(), timeoutSignal());
    expect(receiver.received[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('plant:p@ss').toString('base64')}`,
    );
  });

  it('is tested with a signed request without samples', async () => {
    expect(await open().probe(timeoutSignal())).toBe(
      `${host()} answered 204 to a signed request without samples.`,
    );
    const [call] = receiver.received;
    expect(JSON.parse(call?.text ?? '')).toEqual({ pipeline: null, samples: [] });
    expect(
      new Webhook(secret).verify(call?.text ?? '', call?.headers as Record<string, string>),
    ).toBeTruthy();
    receiver.react = 401;
    expect(await failureOf(open().probe(timeoutSignal()))).toMatchObject({
      kind: 'refused',
      message: 'Answered 401 Unauthorized.',
    });
  });
});

describe('an answer', () => {
  it.each([200, 201, 202, 204, 299])('with %i is a success', async (status) => {
    receiver.react = status;
    await open().deliver(one(), timeoutSignal());
  });

  it.each([
    [301, 'refused', /Penstock does not follow redirects/],
    [307, 'refused', /Penstock does not follow redirects/],
    [401, 'refused', /^Answered 401 Unauthorized\.$/],
    [403, 'refused', /^Answered 403 Forbidden\.$/],
    [404, 'refused', /^Answered 404 Not Found\.$/],
    [405, 'refused', /405/],
    [410, 'refused', /^Answered 410 Gone: the receiver accepts no more deliveries\.$/],
    [400, 'unacceptable', /400/],
    [413, 'unacceptable', /413/],
    [415, 'unacceptable', /415/],
    [422, 'unacceptable', /422/],
    [408, 'unavailable', /408/],
    [409, 'unavailable', /409/],
    [425, 'unavailable', /425/],
    [429, 'unavailable', /^Answered 429 Too Many Requests\.$/],
    [500, 'unavailable', /500/],
    [503, 'unavailable', /503/],
  ])('with %i is %s', async (status, kind, words) => {
    receiver.react = answer(status, { location: '/elsewhere' });
    const failure = await failureOf(open().deliver(one(), timeoutSignal()));
    expect([failure.kind, failure.message]).toEqual([kind, expect.stringMatching(words)]);
    expect(receiver.received).toHaveLength(1);
  });

  it.each([
    ['30', 30_000],
    ['0', 0],
    ['86400', 3_600_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['soon', undefined],
  ])('with Retry-After: %s delays the next attempt', async (text, afterMs) => {
    receiver.react = answer(429, { 'retry-after': text });
    expect((await failureOf(open().deliver(one(), timeoutSignal()))).retryAfterMs).toBe(afterMs);
  });

  it('can request the time of the next attempt', async () => {
    receiver.react = answer(503, { 'retry-after': new Date(Date.now() + 120_000).toUTCString() });
    const { retryAfterMs } = await failureOf(open().deliver(one(), timeoutSignal()));
    expect(retryAfterMs).toBeGreaterThan(110_000);
    expect(retryAfterMs).toBeLessThanOrEqual(120_000);
  });

  it('is quoted in one short line if it is plain text', async () => {
    receiver.react = answer(
      422,
      { 'content-type': 'text/plain; charset=utf-8' },
      `no\nsuch plant ${'x'.repeat(500)}`,
    );
    const { message } = await failureOf(open().deliver(one(), timeoutSignal()));
    expect(message).toBe(
      `Answered 422 Unprocessable Entity. Response: “no such plant ${'x'.repeat(200 - 'no such plant '.length)}…”.`,
    );
  });

  it.each([
    ['no text', 'application/json', '{"error":"canary"}'],
    ['longer than is read', 'text/plain', 'canary'.repeat(20_000)],
  ])('is not quoted if it is %s', async (_, type, text) => {
    receiver.react = answer(500, { 'content-type': type }, text);
    expect((await failureOf(open().deliver(one(), timeoutSignal()))).message).toBe(
      'Answered 500 Internal Server Error.',
    );
  });

  it('is quoted without a secret that it repeats', async () => {
    const url = `${receiver.url.replace('//', '//plant:canary-4@')}/canary-5?key=canary-6`;
    const text = `no canary-1 ${secret} Bearer canary-1, canary-2 canary-4 for /hook/canary-5?key=canary-6 canary-6`;
    receiver.react = answer(401, { 'content-type': 'text/plain' }, text);
    const headers = { authorization: 'Bearer canary-1', 'x-key': 'canary-2' };
    for (const failing of [
      open(headers, url).deliver(one(), timeoutSignal()),
      open(headers, url).probe(timeoutSignal()),
    ]) {
      const { message } = await failureOf(failing);
      expect(message).toContain('Response: “no ***');
      expect(message).not.toMatch(/canary|whsec/);
    }
  });

  it('is a success with 200 even if it is long', async () => {
    receiver.react = answer(200, {}, 'x'.repeat(200_000));
    await open().deliver(one(), timeoutSignal());
  });

  it.each([
    ['breaks off', (response: ServerResponse) => void response.write('half', () => response.destroy())],
    [
      'is cut',
      (response: ServerResponse) => void response.write('half', () => response.socket?.resetAndDestroy()),
    ],
  ])('with 200 that %s is not a success', async (_, rest) => {
    receiver.react = (response) => {
      response.writeHead(200, { 'content-length': 100 });
      rest(response);
    };
    const failure = await failureOf(open().deliver(one(), timeoutSignal()));
    expect([failure.kind, failure.message]).toEqual([
      'unavailable',
      `The response of ${host()} was incomplete (200).`,
    ]);
  });

  it('ends at the timeout if it arrives a byte at a time', async () => {
    receiver.react = (response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      const timer = setInterval(() => response.write('x'), 50);
      response.once('close', () => clearInterval(timer));
    };
    const failure = await failureOf(open().deliver(one(), timeoutSignal(300)));
    expect([failure.kind, failure.message]).toEqual(['unavailable', `${host()} timed out.`]);
  });
});

describe('a receiver that cannot be reached', () => {
  it('times out if it accepts the connection but does not answer', async () => {
    const proxy = await startFaultProxy(Number(new URL(receiver.url).port));
    onTestFinished(proxy.close);
    proxy.fault = 'hang';
    const url = `http://127.0.0.1:${proxy.port}/hook`;
    const failure = await failureOf(open({}, url).deliver(one(), timeoutSignal(300)));
    expect([failure.kind, failure.message]).toEqual(['unavailable', `127.0.0.1:${proxy.port} timed out.`]);
    await expect.poll(() => proxy.open()).toBe(0);
    expect(receiver.received).toEqual([]);
  });

  it.each([
    ['nothing', () => undefined],
    [
      'a byte at a time',
      ({ socket }: ServerResponse) => {
        const bytes = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'.split('');
        const timer = setInterval(() => socket?.write(bytes.shift() ?? ''), 50);
        socket?.once('close', () => clearInterval(timer));
      },
    ],
  ])('times out if it answers %s', async (_, react) => {
    let isClosed = false;
    receiver.react = (response) => {
      response.socket?.once('close', () => (isClosed = true));
      react(response);
    };
    const failure = await failureOf(open().deliver(one(), timeoutSignal(300)));
    expect([failure.kind, failure.message]).toEqual(['unavailable', `${host()} timed out.`]);
    await expect.poll(() => isClosed).toBe(true);
    expect(receiver.received).toHaveLength(1);
  });

  it('is unavailable if it cuts the connection', async () => {
    const proxy = await startFaultProxy(Number(new URL(receiver.url).port));
    onTestFinished(proxy.close);
    proxy.fault = 'reset';
    const failure = await failureOf(
      open({}, `http://127.0.0.1:${proxy.port}`).deliver(one(), timeoutSignal()),
    );
    expect([failure.kind, failure.message]).toEqual([
      'unavailable',
      `127.0.0.1:${proxy.port} closed the connection before answering.`,
    ]);
  });

  it('is retried, and works when it is back', async () => {
    const destination = open();
    const port = Number(new URL(receiver.url).port);
    await receiver.close();
    const failure = await failureOf(destination.deliver(one(), timeoutSignal()));
    expect([failure.kind, failure.message]).toEqual([
      'unavailable',
      `127.0.0.1:${port} refused the connection.`,
    ]);
    receiver = await startReceiver(port);
    await destination.deliver(one(), timeoutSignal());
    expect(receiver.received).toHaveLength(1);
  });

  it('is blocked at a forbidden address', async () => {
    const destination = openDestination('webhook', { url: receiver.url, secret, allowedNetworks: [] });
    const failure = await failureOf(destination.deliver(one(), timeoutSignal()));
    expect(failure.kind).toBe('refused');
    expect(failure.message).toContain('ALLOWED_NETWORKS');
  });
});
