import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openRawStream } from './raw-stream.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const HOUR_MS = 3_600_000;

let clockMs = Date.now();
let test: TestService;
beforeAll(async () => {
  test = await startTestService({ now: () => clockMs });
});
afterAll(() => test.close());

const follow = async (token: string) => {
  const stream = await openRawStream({ url: test.url, token });
  onTestFinished(() => void stream.socket.destroy());
  expect(stream.text()).toContain('HTTP/1.1 200');
  return stream;
};
const signIn = async (secret: string): Promise<string> =>
  (await test.request('POST', '/v1/sessions', { token: null, body: { token: secret } })).body.token;

describe('a stream ends', () => {
  it('after its key expires', async () => {
    const expiresAt = new Date(clockMs + HOUR_MS).toISOString();
    const { secret } = await test.mintKey(['devices:read'], { expiresAt });
    const { hasEnded } = await follow(secret);
    clockMs += HOUR_MS;
    await expect.poll(hasEnded).toBe(true);
  });

  it('after its key is revoked, and so does that of a session of the key', async () => {
    const { id, secret } = await test.mintKey(['devices:read']);
    const [own, session] = [await follow(secret), await follow(await signIn(secret))];
    await test.request('DELETE', `/v1/api-keys/${id}`);
    await expect.poll(own.hasEnded).toBe(true);
    await expect.poll(session.hasEnded).toBe(true);
  });

  it('after the overlap of a rotation ends', async () => {
    const { id, secret } = await test.mintKey(['devices:read']);
    const stream = await follow(secret);
    await test.request('POST', `/v1/api-keys/${id}/rotate`, { body: { overlapSeconds: 60 } });
    const later = await follow(secret);
    clockMs += 60_000;
    await expect.poll(stream.hasEnded).toBe(true);
    await expect.poll(later.hasEnded).toBe(true);
  });

  it('after a rotation without an overlap, also for a session of the key', async () => {
    const { id, secret } = await test.mintKey(['devices:read']);
    const session = await follow(await signIn(secret));
    await test.request('POST', `/v1/api-keys/${id}/rotate`, { body: { overlapSeconds: 0 } });
    await expect.poll(session.hasEnded).toBe(true);
  });

  it('after signing out', async () => {
    const token = await signIn((await test.mintKey(['devices:read'])).secret);
    const { hasEnded } = await follow(token);
    await test.request('DELETE', '/v1/session', { token });
    await expect.poll(hasEnded).toBe(true);
  });

  it('after its session was idle for twelve hours', async () => {
    const token = await signIn((await test.mintKey(['devices:read'])).secret);
    const { hasEnded } = await follow(token);
    onTestFinished(() => void (clockMs -= 12 * HOUR_MS));
    clockMs += 12 * HOUR_MS;
    await expect.poll(hasEnded).toBe(true);
  });

  it('after its token ended by another process or a restore', async () => {
    const { id, secret } = await test.mintKey(['devices:read']);
    const { hasEnded } = await follow(secret);
    const { db } = test.service.parts;
    await db.updateTable('api_key').set({ revoked_at: clockMs }).where('id', '=', id).execute();
    await expect.poll(hasEnded).toBe(true);
  });

  it('while streams of others continue', async () => {
    const { id, secret } = await test.mintKey(['devices:read', 'events:read']);
    const other = await test.mintKey(['devices:read', 'events:read']);
    const [ends, stays] = [await follow(secret), await follow(other.secret)];
    await test.request('DELETE', `/v1/api-keys/${id}`);
    await expect.poll(ends.hasEnded).toBe(true);
    await expect.poll(stays.text).toContain('api-key.revoked');
    expect(stays.hasEnded()).toBe(false);
  });
});

describe('the response of a stream', () => {
  it('tells proxies neither to buffer nor to compress it', async () => {
    const { text } = await follow(test.token);
    const head = text().toLowerCase();
    expect(head).toContain('x-accel-buffering: no');
    expect(head).toContain('cache-control: no-store, no-transform');
    expect(head).toContain('content-type: text/event-stream');
    expect(head).not.toContain('content-encoding');
  });

  it('to HEAD has only headers', async () => {
    const response = await fetch(`${test.url}/v1/stream`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${test.token}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
  });
});

describe('too many streams of one token', () => {
  it('are rejected as overloaded with Retry-After, while other tokens are accepted', async () => {
    const { secret } = await test.mintKey(['devices:read']);
    const streams = await Promise.all(
      Array.from({ length: 1_000 }, () => openRawStream({ url: test.url, token: secret })),
    );
    const { status, headers, body } = await test.request('GET', '/v1/stream', { token: secret });
    expect([status, body.code]).toEqual([503, 'overloaded']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    await follow(test.token);
    for (const { socket } of streams) socket.destroy();
    await expect.poll(() => test.service.parts.streams.figures().open).toBeLessThan(100);
  });
});
