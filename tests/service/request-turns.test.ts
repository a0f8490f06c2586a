import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const head = (method: string, path: string, token: string) =>
  `${method} ${path} HTTP/1.1\r\nhost: ${new URL(service.url).host}\r\nauthorization: Bearer ${token}\r\n\r\n`;

/** Opens a connection and sends a first request: the service accepts one connection per iteration of the event loop. */
const openSocket = async (): Promise<Socket> => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(head('GET', '/v1/session', service.token));
  await once(socket, 'data');
  return socket;
};
const openSockets = (count: number) => Promise.all(Array.from({ length: count }, openSocket));

/** Calls `begun` with the ID of the API key of each request that begins. */
const watchBegun = (begun: (keyId: string) => void): void => {
  // Called while a request with an API key is authorised.
  const record = vi.spyOn(service.service.parts.keyUsage, 'record').mockImplementation((id) => begun(id));
  onTestFinished(() => record.mockRestore());
};

test('requests that arrive together begin in the order of arrival, in several iterations of the event loop', async () => {
  const keys = await Promise.all(Array.from({ length: 60 }, () => service.mintKey(['devices:read'])));
  const sockets = await openSockets(keys.length);
  let iteration = 0;
  const count = () => {
    iteration += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  onTestFinished(() => clearImmediate(counting));
  const begun: { id: string; iteration: number }[] = [];
  watchBegun((id) => void begun.push({ id, iteration }));
  // In one turn, so that all of them have arrived when the service reads the first one.
  for (const [position, { secret }] of keys.entries())
    sockets[position]!.write(head('GET', '/v1/devices', secret));
  await expect.poll(() => begun.length).toBe(keys.length);
  expect(new Set(begun.map((each) => each.iteration)).size).toBeGreaterThan(1);
  expect(begun.map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
});

test('requests of clients that close their connection while they wait do not begin', async () => {
  const { secret } = await service.mintKey(['devices:read']);
  const { id: goneId, secret: goneSecret } = await service.mintKey(['devices:read']);
  const [last, ...sockets] = await openSockets(80);
  const gone = sockets.splice(-30);
  const begun: string[] = [];
  watchBegun((id) => void begun.push(id));
  for (const socket of sockets) socket.write(head('GET', '/v1/devices', secret));
  for (const socket of gone) socket.end(head('GET', '/v1/devices', goneSecret));
  last!.write(head('GET', '/v1/devices', secret));
  await expect.poll(() => begun.filter((id) => id !== goneId).length).toBe(sockets.length + 1);
  expect(begun.filter((id) => id === goneId).length).toBeLessThan(gone.length);
});

test('a client that ends its side of the connection after its request gets the response', async () => {
  const socket = await openSocket();
  socket.end(head('GET', '/v1/devices', service.token));
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  await once(socket, 'close');
  expect(received).toMatch(/^HTTP\/1\.1 200 /);
});

test('of thousands of requests that a client sends at once, few wait, and all are answered in order', async () => {
  const socket = await openSocket();
  const { body: device } = await service.request('POST', '/v1/devices', { body: { name: 'Short-lived' } });
  const reads = 3_000;
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  socket.write(
    head('GET', `/v1/devices/${device.id}`, service.token).repeat(reads) +
      head('DELETE', `/v1/devices/${device.id}`, service.token),
  );
  let most = 0;
  const watch = () => {
    const immediates = process.getActiveResourcesInfo().filter((name) => name === 'Immediate');
    most = Math.max(most, immediates.length);
    watching = setImmediate(watch);
  };
  let watching = setImmediate(watch);
  onTestFinished(() => clearImmediate(watching));
  const statuses = () =>
    received.match(/HTTP\/1\.1 \d{3} /g)?.map((line) => Number(line.split(' ')[1])) ?? [];
  await expect.poll(() => statuses().length).toBe(reads + 1);
  expect(statuses()).toEqual([...Array.from({ length: reads }, () => 200), 204]);
  // At most 100 wait, with one each.
  expect(most).toBeLessThan(200);
});
