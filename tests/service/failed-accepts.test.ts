import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from './free-port.ts';
import { startTestService } from './start-test-service.ts';

test('the API and the metrics are served on after connections could not be accepted', async () => {
  const port = await freePort();
  const log: string[] = [];
  const service = await startTestService({
    env: { METRICS_PORT: String(port) },
    logTo: { write: (line) => void log.push(line) },
  });
  onTestFinished(() => service.close());
  const servers = new Set<Server>();
  const addServer = (message: unknown) => void servers.add((message as { server: Server }).server);
  subscribe('http.server.request.start', addServer);
  onTestFinished(() => void unsubscribe('http.server.request.start', addServer));
  const read = async () => [
    (await service.request('GET', '/v1/devices')).status,
    (await fetch(`http://127.0.0.1:${port}/metrics`)).status,
  ];
  expect(await read()).toEqual([200, 200]);
  expect(servers.size).toBe(2);
  // Node says so where the process has too many open files. A server without a listener would end the process.
  for (let time = 0; time < 100; time += 1)
    for (const server of servers) server.emit('error', new Error('accept EMFILE'));
  expect(await read()).toEqual([200, 200]);
  expect(log.filter((line) => line.includes('accept EMFILE'))).toHaveLength(2);
});
