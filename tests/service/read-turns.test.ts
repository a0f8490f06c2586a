import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const openSocket = async (): Promise<Socket> => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
};

const list = (token: string) =>
  `GET /v1/devices HTTP/1.1\r\nhost: ${new URL(service.url).host}\r\nauthorization: Bearer ${token}\r\n\r\n`;

test('reads that arrive together are answered in separate iterations of the event loop', async () => {
  const { secret } = await service.mintKey(['devices:read']);
  const sockets = await Promise.all(Array.from({ length: 20 }, openSocket));
  // The service accepts one connection per iteration.
  await Promise.all(
    sockets.map((socket) => {
      socket.write(list(secret));
      return once(socket, 'data');
    }),
  );
  let iteration = 0;
  const count = () => {
    iteration += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  onTestFinished(() => clearImmediate(counting));
  const iterations: number[] = [];
  // Called while a request with an API key is authorised.
  const record = vi.spyOn(service.service.parts.keyUsage, 'record').mockImplementation(() => {
    iterations.push(iteration);
  });
  onTestFinished(() => record.mockRestore());
  // In one turn, so that all of them have arrived when the service reads the first one.
  for (const socket of sockets) socket.write(list(secret));
  await expect.poll(() => iterations.length).toBe(sockets.length);
  expect(new Set(iterations).size).toBe(sockets.length);
});

test('a client that sends thousands of reads at once gets every response', async () => {
  const socket = await openSocket();
  const reads = 3_000;
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  socket.write(list(service.token).repeat(reads));
  await expect.poll(() => received.match(/HTTP\/1\.1 200 /g)?.length).toBe(reads);
});
