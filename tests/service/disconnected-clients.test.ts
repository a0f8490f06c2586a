import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startTestService } from './start-test-service.ts';

const START = Date.UTC(2025, 5, 15);

it.each([
  '/v1/telemetry/export?device=long&from=0&to=now',
  '/v1/telemetry?device=long&from=0&to=now&points=5000',
])('leaves no warning in the log when the client leaves during GET %s', async (path) => {
  const lines: string[] = [];
  const own = await startTestService({ logTo: { write: (line) => void lines.push(line) } });
  onTestFinished(() => own.close());
  // Warnings of the start, for example about the settings of a database server.
  lines.length = 0;
  const values = Object.fromEntries(Array.from({ length: 100 }, (_, m) => [`m${m}`, 'x'.repeat(1_000)]));
  // 6 MB: more than the sockets of both sides hold.
  for (let first = 0; first < 60; first += 10) {
    const samples = Array.from({ length: 10 }, (_, i) => ({ device: 'long', ts: START + first + i, values }));
    await own.request('POST', '/v1/telemetry', { body: { samples } });
  }
  const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
  const headers = [`Host: ${new URL(own.url).host}`, `Authorization: Bearer ${own.token}`];
  socket.write([`GET ${path} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await expect.poll(() => lines.some((line) => line.includes('the client disconnected'))).toBe(true);
  await own.request('GET', '/v1/health');
  expect(lines.filter((line) => /"level":[4-6]0/.test(line))).toEqual([]);
});
