import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openRawStream, type RawStream } from './raw-stream.ts';
import { sized } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const READERS = sized(20, 450);
const STUCK = sized(5, 50);
const EVENTS = 120;
const TICK_MS = 250;
/** What one client that does not read may keep in memory, and one frame of buckets of the longest texts beyond it. */
const MAX_WAITING_BYTES = 1_048_576;
const FRAME_BYTES = 600_000;

let test: TestService;
let token: string;
let logger: string;
let meter: string;
const open: RawStream[] = [];

beforeAll(async () => {
  // The clock of the hub stops until a test moves it. Everything else is real.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  test = await startTestService();
  token = (await test.mintKey(['events:read', 'devices:read', 'telemetry:read'])).secret;
  logger = (await test.request('POST', '/v1/devices', { body: { name: 'Logger' } })).body.id;
  meter = (await test.request('POST', '/v1/devices', { body: { name: 'Meter' } })).body.id;
});
afterAll(async () => {
  for (const { socket } of open) socket.destroy();
  await test.close();
  vi.useRealTimers();
});

const tick = (count = 1) => vi.advanceTimersByTimeAsync(count * TICK_MS);
const figures = () => test.service.parts.streams.figures();

let clock = Date.now() - 3_600_000;
/** As many long texts of one series as fill a frame. */
const sendTexts = async (service: TestService, device: string) => {
  const samples = Array.from({ length: 1_000 }, () => ({
    device,
    ts: (clock += 1),
    values: { line: 'x'.repeat(1_000) },
  }));
  const { status } = await service.request('POST', '/v1/telemetry', { body: { samples } });
  expect(status).toBe(200);
  await tick();
};

/** Sends until the buffers of the operating system are full too, and what waits in memory grows no more. */
const sendUntilFull = async (service: TestService, device: string, atLeastBytes: number) => {
  const waiting = () => service.service.parts.streams.figures().waitingBytes;
  let last = -1;
  for (let round = 0; waiting() !== last || last < atLeastBytes; round += 1) {
    if (round > 60) throw new Error(`After ${round} rounds ${last} bytes wait.`);
    last = waiting();
    await sendTexts(service, device);
  }
};

describe(`${READERS + STUCK} clients of which ${STUCK} never read`, () => {
  it('do not slow others: every event arrives in order, and waiting bytes are limited', async () => {
    const readers = await Promise.all(
      Array.from({ length: READERS }, () =>
        openRawStream({ url: test.url, token, query: `?device=${meter}` }),
      ),
    );
    open.push(...readers);
    const stuck = await Promise.all(
      Array.from({ length: STUCK }, () =>
        openRawStream({ url: test.url, token, query: `?device=${logger}` }, { read: false }),
      ),
    );
    open.push(...stuck);
    await expect.poll(() => figures().open).toBe(READERS + STUCK);
    const { body: before } = await test.request('GET', '/v1/events?limit=1');

    await sendUntilFull(test, logger, STUCK * MAX_WAITING_BYTES * 0.4);
    expect(figures().waitingBytes).toBeLessThanOrEqual(STUCK * (MAX_WAITING_BYTES + FRAME_BYTES));

    const asked = Array.from(
      { length: EVENTS },
      (_, number) => () => test.request('POST', '/v1/devices', { body: { name: `Device ${number}` } }),
    );
    const answers = await Promise.all(asked.map((ask) => ask()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    await test.request('POST', '/v1/telemetry', {
      body: { samples: [{ device: meter, values: { flow: 7 } }] },
    });
    await tick();

    const { body: log } = await test.request('GET', '/v1/events?sort=at&limit=200&from=-1h');
    const ids = log.data.map(({ id }: { id: string }) => id);
    const expected = ids.slice(ids.indexOf(before.data[0].id) + 1);
    expect(expected.length).toBeGreaterThanOrEqual(EVENTS);
    const inAll = () => readers.every((reader) => reader.eventIds().length >= expected.length);
    await expect.poll(inAll).toBe(true);
    for (const reader of readers) expect(reader.eventIds()).toEqual(expected);
    await expect.poll(() => readers.every(({ text }) => text().includes('"metric":"flow"'))).toBe(true);

    const behind = stuck.at(-1)!;
    const read: Buffer[] = [];
    behind.socket.on('data', (part) => read.push(part));
    await expect
      .poll(async () => {
        await tick();
        return Buffer.concat(read)
          .toString()
          .match(/event: (\w+)/g)
          ?.at(-1);
      })
      .toBe('event: reset');

    // Half a minute without reading anything: the others of them are cut off.
    await tick(125);
    await expect.poll(() => figures().open).toBe(READERS + 1);
    expect(figures().waitingBytes).toBe(0);
    expect(readers.some(({ hasEnded }) => hasEnded())).toBe(false);
  }, 90_000);

  it('receive a comment every fifteen seconds', async () => {
    const { text } = open[0]!;
    const beats = () => text().match(/^: $/gm)?.length ?? 0;
    const before = beats();
    await tick(60);
    await expect.poll(beats).toBe(before + 1);
    await tick(60);
    await expect.poll(beats).toBe(before + 2);
  });

  it('are all disconnected immediately when the service stops', async () => {
    const own = await startTestService();
    const { id } = (await own.request('POST', '/v1/devices', { body: { name: 'Logger' } })).body;
    const [url, token] = [own.url, own.token];
    const reader = await openRawStream({ url, token });
    const stuck = await openRawStream({ url, token, query: `?device=${id}` }, { read: false });
    await expect.poll(() => own.service.parts.streams.figures().open).toBe(2);
    await sendUntilFull(own, id, MAX_WAITING_BYTES * 0.4);
    await own.close();
    await expect.poll(reader.hasEnded).toBe(true);
    stuck.socket.destroy();
  });
});

describe('a client that does not read', () => {
  it('loses its connection and waiting bytes with its token', async () => {
    const { id, secret } = await test.mintKey(['telemetry:read']);
    const stuck = await openRawStream(
      { url: test.url, token: secret, query: `?device=${logger}` },
      { read: false },
    );
    await expect.poll(() => figures().open).toBeGreaterThan(0);
    await sendUntilFull(test, logger, MAX_WAITING_BYTES * 0.4);
    await test.request('DELETE', `/v1/api-keys/${id}`);
    // A lost connection that is not read is only noticed by writing.
    const isGone = () => {
      stuck.socket.write('\r\n');
      return stuck.hasEnded();
    };
    await expect.poll(isGone).toBe(true);
  });

  it('gets a reset as the last frame of its stream when another replaces it', async () => {
    const id = randomUUID();
    const query = `?id=${id}&device=${logger}`;
    const stuck = await openRawStream({ url: test.url, token, query }, { read: false });
    open.push(stuck);
    await expect.poll(() => figures().open).toBeGreaterThan(0);
    await sendUntilFull(test, logger, MAX_WAITING_BYTES * 0.4);
    open.push(await openRawStream({ url: test.url, token, query: `?replaces=${id}` }));
    const read: Buffer[] = [];
    stuck.socket.on('data', (part) => read.push(part));
    await expect
      .poll(() =>
        Buffer.concat(read)
          .toString()
          .replaceAll(/\r\n[\da-f]+\r\n/g, ''),
      )
      .toMatch(/event: reset\ndata: \{\}\n\n: replaced\n\n/);
  });
});

describe('a frame of samples', () => {
  it('arrives at most four times a second, with every sample since the previous one', async () => {
    const stream = await openRawStream({ url: test.url, token, query: `?device=${meter}&metric=level` });
    open.push(stream);
    await expect.poll(() => figures().open).toBeGreaterThan(0);
    for (let value = 0; value < 20; value += 1)
      await test.request('POST', '/v1/telemetry', {
        body: { samples: [{ device: meter, ts: (clock += 1), values: { level: value } }] },
      });
    await tick();
    await expect.poll(() => stream.text().match(/event: telemetry/g)?.length).toBe(1);
    const [, data = ''] = /event: telemetry\ndata: (.*)\n/.exec(stream.text()) ?? [];
    expect(JSON.parse(data).series[0].value).toEqual(Array.from({ length: 20 }, (_, value) => value));
  });

  it('has buckets for a series with too many samples', async () => {
    const stream = await openRawStream({ url: test.url, token, query: `?device=${meter}&metric=many` });
    open.push(stream);
    const values = Array.from({ length: 5_000 }, (_, number) => (number * 7_919) % 1_000);
    await test.request('POST', '/v1/telemetry', {
      body: {
        samples: values.map((value) => ({ device: meter, ts: (clock += 10), values: { many: value } })),
      },
    });
    await tick();
    await expect.poll(() => stream.text().includes('event: telemetry')).toBe(true);
    const [, data = ''] =
      /event: telemetry\ndata: (.*)\n/.exec(stream.text().replaceAll(/\r\n[\da-f]+\r\n/g, '')) ?? [];
    const [series] = JSON.parse(data).series;
    const { ts, value, count, min, max, bucketMs } = series as Record<string, number[]> & {
      bucketMs: number;
    };
    const sum = count!.reduce((total, each, row) => total + each * value![row]!, 0);
    expect(count!.reduce((total, each) => total + each, 0)).toBe(5_000);
    expect(sum).toBeCloseTo(
      values.reduce((total, each) => total + each, 0),
      3,
    );
    expect([Math.min(...min!), Math.max(...max!)]).toEqual([0, 999]);
    expect(ts!.length).toBeLessThanOrEqual(500);
    expect(ts!.every((at) => at % bucketMs === 0)).toBe(true);
  });
});
