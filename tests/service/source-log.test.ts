import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

type Line = { level: number; pipeline?: string; msg: string };
const [INFO, WARN] = [30, 40];

const lines: Line[] = [];
let test: TestService;
let server: Server;
let polls = 0;
let answer: (response: ServerResponse) => void;
beforeAll(async () => {
  server = createServer((_, response) => {
    polls += 1;
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test = await startTestService({
    env: { ALLOWED_NETWORKS: '127.0.0.0/8' },
    logTo: { write: (line) => void lines.push(JSON.parse(line) as Line) },
  });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await test.close();
});
beforeEach(() => {
  polls = 0;
});

const create = async (type: string, config: Record<string, unknown>): Promise<string> => {
  const { body } = await test.request('POST', '/v1/pipelines', {
    body: { name: `${type} ${JSON.stringify(config)}`, type, interval: 1, destination: 'telemetry', config },
  });
  return body.id;
};
const linesOf = (pipeline: string) => lines.filter((line) => line.pipeline === pipeline);
const pollOnceMore = async () => {
  const before = polls;
  await expect.poll(() => polls).toBeGreaterThan(before);
};

it('logs a polled source that fails once, without a stack, and once more when it recovers', async () => {
  answer = (response) => response.destroy();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const id = await create('http-poll', { url });
  for (let poll = 0; poll < 3; poll += 1) await pollOnceMore();
  const failed = {
    level: WARN,
    pipeline: id,
    msg: 'a source failed',
    reason: `${new URL(url).host} closed the connection before answering.`,
    code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/),
    time: expect.any(Number),
  };
  expect(linesOf(id)).toEqual([failed]);

  answer = (response) => response.end('{"temperature":20}');
  for (let poll = 0; poll < 2; poll += 1) await pollOnceMore();
  const recovered = { level: INFO, pipeline: id, msg: 'a source recovered', time: expect.any(Number) };
  expect(linesOf(id)).toEqual([failed, recovered]);
});

it('logs a source that cannot connect once', async () => {
  const id = await create('nats', { url: `nats://127.0.0.1:${await freePort()}`, subject: 'plant.>' });
  await expect
    .poll(() => linesOf(id))
    .toEqual([
      expect.objectContaining({
        level: WARN,
        msg: 'a source failed',
        reason: expect.stringMatching(/127\.0\.0\.1/),
      }),
    ]);
});
