import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
let server: Server;
let origin: string;
/** The answer of each path, and its number of polls. */
const answers = new Map<string, () => string>();
const polls = new Map<string, number>();
beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    polls.set(url, (polls.get(url) ?? 0) + 1);
    response.writeHead(200, { 'content-type': 'text/plain' }).end(answers.get(url)?.() ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  test = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await test.close();
});

const poll = async (name: string, answer: () => string, config: object = {}): Promise<string> => {
  const path = `/${name}`;
  answers.set(path, answer);
  const { body } = await test.request('POST', '/v1/pipelines', {
    body: {
      name,
      type: 'http-poll',
      interval: 1,
      destination: 'telemetry',
      config: { url: origin + path, ...config },
    },
  });
  return body.id;
};
const read = async (id: string) => (await test.request('GET', `/v1/pipelines/${id}`)).body;
const rejectionsOf = async (id: string) =>
  (await test.request('GET', `/v1/pipelines/${id}/rejections`)).body.data;
const pause = (id: string) =>
  test.request('PATCH', `/v1/pipelines/${id}`, { body: { enabled: false } }).then(() => read(id));
const replay = (id: string) =>
  test.request('POST', `/v1/pipelines/${id}/rejections/replay`, { body: { all: true } });
const isBalanced = ({ received, delivered, pending, rejected, skipped }: Record<string, number>) =>
  received === delivered! + pending! + rejected! + skipped!;

/** A target of a thousand series, as a busy exporter has. */
const busy = (): string =>
  Array.from({ length: 1_000 }, (_, index) => `busy_series_${index} ${polls.get('/busy') ?? 0}`).join('\n');

it('rejects no samples of idle summaries', async () => {
  const id = await poll('idle', () => 'rpc_seconds{quantile="0.5"} NaN\nrpc_seconds_sum 0\n');
  await vi.waitFor(async () => expect((await read(id)).ledger.delivered).toBeGreaterThanOrEqual(2), 20_000);
  const { ledger, state } = await pause(id);
  expect([ledger.rejected, ledger.received, state]).toEqual([0, ledger.delivered, 'paused']);
  // A poll in which no series has a value is no rejection either.
  const { body } = await test.request('POST', '/v1/pipelines/preview', {
    body: { type: 'http-poll', name: 'idle', message: 'rpc_seconds{quantile="0.5"} NaN\n' },
  });
  expect(body).toMatchObject({ samples: [], rejections: [], noValues: 1 });
});

it('keeps only the rejected lines, and counts equal rejections', async () => {
  const bad = 'not a line at all';
  const id = await poll('busy', () => `${busy()}\n${bad}\n`);
  await vi.waitFor(async () => {
    const [first] = await rejectionsOf(id);
    expect(first?.count).toBeGreaterThanOrEqual(3);
  }, 20_000);
  const { ledger } = await pause(id);
  const kept = await rejectionsOf(id);
  expect(kept).toHaveLength(1);
  const [{ count, samples, message, at, firstAt, reason }] = kept;
  expect([reason, message]).toEqual(['invalid-line', `# HELP excerpt Lines of a longer text.\n${bad}\n`]);
  expect([samples, ledger.rejected]).toEqual([count, count]);
  expect(Date.parse(at) - Date.parse(firstAt)).toBeGreaterThanOrEqual((count - 1) * 500);
  expect(ledger.received).toBe(ledger.delivered + ledger.rejected);
  const groups = await test.request('GET', `/v1/pipelines/${id}/rejections?groupBy=reason`);
  expect(groups.body.data).toMatchObject([
    { reason: 'invalid-line', senderCount: 0, count, messages: 1, lastAt: at },
  ]);

  // If a replay rejects them again, they stay counted.
  expect((await replay(id)).body).toMatchObject({ replayed: 0, rejected: count });
  expect((await read(id)).ledger).toMatchObject({ received: ledger.received, rejected: count });
  expect(await rejectionsOf(id)).toMatchObject([{ count, samples: count, attempts: 2 }]);
});

it('keeps different rejections apart', async () => {
  const id = await poll('differing', () => `up 1\nbad ${polls.get('/differing')}x\n`);
  await vi.waitFor(async () => expect(await rejectionsOf(id)).toHaveLength(2), 20_000);
  expect((await rejectionsOf(id)).map(({ count }: { count: number }) => count)).toEqual([1, 1]);
  await pause(id);
});

it('replays the lines of equal rejections once, with the time of the last, and settles all of them', async () => {
  const id = await poll('unknown', () => '# TYPE level gauge\nlevel 7\nflow{line="1"} 2.5\n', {
    device: 'not-yet',
    onUnknownDevice: 'reject',
  });
  await vi.waitFor(async () => {
    const [first] = await rejectionsOf(id);
    expect(first?.count).toBeGreaterThanOrEqual(2);
  }, 20_000);
  const { ledger } = await pause(id);
  const [{ count, samples, at, message }] = await rejectionsOf(id);
  expect([samples, message]).toEqual([2 * count, 'level 7\nflow{line="1"} 2.5\n']);
  expect(ledger).toMatchObject({ received: 2 * count, delivered: 0, rejected: 2 * count });
  await test.request('POST', '/v1/devices', { body: { name: 'Not yet', externalId: 'not-yet' } });
  const preview = await test.request('POST', `/v1/pipelines/${id}/rejections/preview`, {
    body: { all: true },
  });
  expect(preview.body).toMatchObject({ messages: 1, replayed: 2, rejected: 0 });
  expect((await replay(id)).body).toMatchObject({ replayed: 2, rejected: 0 });
  const after = (await read(id)).ledger;
  expect(after).toMatchObject({ received: 2, delivered: 2, rejected: 0 });
  expect(isBalanced(after)).toBe(true);
  expect(await rejectionsOf(id)).toEqual([]);
  const { body: latest } = await test.request('GET', '/v1/telemetry/latest?device=not-yet');
  expect(latest.data.map(({ metric, value, ts }: Record<string, unknown>) => [metric, value, ts])).toEqual([
    ['flow.line.1', 2.5, Date.parse(at)],
    ['level', 7, Date.parse(at)],
  ]);
});

it('replays a series that occurred twice without storing the second one', async () => {
  const id = await poll('twice', () => 'a 1\nb 2\na 3\n');
  await vi.waitFor(async () => {
    const [first] = await rejectionsOf(id);
    expect(first?.count).toBeGreaterThanOrEqual(2);
  }, 20_000);
  const { ledger } = await pause(id);
  const [{ count, message }] = await rejectionsOf(id);
  expect(message).toBe('a 1\na 3\n');
  expect((await replay(id)).body).toMatchObject({ replayed: 0, rejected: count });
  expect((await read(id)).ledger).toEqual(ledger);
});

it('counts equal JSON messages that are rejected in part, and their delivered samples', async () => {
  const polled = JSON.stringify({ level: 7, broken: 'x'.repeat(1_025) });
  const id = await poll('json', () => polled, { device: 'json-poll' });
  await vi.waitFor(async () => {
    const [first] = await rejectionsOf(id);
    expect(first?.count).toBeGreaterThanOrEqual(2);
  }, 20_000);
  const { ledger } = await pause(id);
  const [{ count, samples, message }] = await rejectionsOf(id);
  expect([samples, message]).toEqual([count, polled]);
  expect(ledger).toMatchObject({ received: 2 * count, delivered: count, rejected: count });
  expect((await replay(id)).body).toMatchObject({ replayed: 0, rejected: count });
  expect((await read(id)).ledger).toEqual(ledger);
});
