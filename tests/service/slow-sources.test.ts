import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { httpPipelinesOf } from './http-pipelines.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
/** Accepts connections and never answers. */
let silentServer: Server;
const sockets = new Set<Socket>();
beforeAll(async () => {
  silentServer = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(silentServer, 'listening');
  service = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
});
afterAll(async () => {
  silentServer.close();
  for (const socket of sockets) socket.destroy();
  await service.close();
});

const { create, send, read } = httpPipelinesOf(() => service);

// The client of the source waits 15 s for an answer.
it('a source that hangs while opening delays neither other pipelines nor its own changes', async () => {
  const patch = (id: string) => service.request('PATCH', `/v1/pipelines/${id}`, { body: { interval: 20 } });
  const other = await create();
  const { port } = silentServer.address() as AddressInfo;
  const config = { url: `nats://127.0.0.1:${port}`, subject: 'plant.>', device: 'plant' };
  const slow = await create({ type: 'nats', config });
  await vi.waitFor(() => expect(sockets.size).toBe(1), 10_000);

  expect((await patch(other)).body).toMatchObject({ interval: 20 });
  await send(other, { device: 'd', values: { a: {} } });
  await vi.waitFor(async () => expect((await read(other)).state).toBe('degraded'), 10_000);
  expect((await patch(slow)).body).toMatchObject({ interval: 20 });
  await vi.waitFor(() => expect(sockets.size).toBe(2), 10_000);
}, 12_000);
