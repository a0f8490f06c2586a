import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Another process writes for a while, like `npm run signin`. Resolves when it has started. */
const lockFor = async (ms: number): Promise<void> => {
  const script = `
    const db = new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 5000 });
    db.exec('begin immediate');
    console.log('locked');
    setTimeout(() => db.exec('rollback'), ${ms});`;
  const child = spawn(process.execPath, ['-e', script, join(service.dataDir, 'penstock.db')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
};

test('messages wait while another process writes to the database, and are stored', async () => {
  const { body: pipeline } = await service.request('POST', '/v1/pipelines', {
    body: { name: 'Locked', type: 'http', interval: 1, destination: 'telemetry' },
  });
  await lockFor(500);
  const { status, body } = await service.request('POST', `/v1/pipelines/${pipeline.id}/messages`, {
    body: { device: 'boiler', ts: 1_700_000_000_000, values: { n: 1 } },
  });
  expect([status, body]).toMatchObject([202, { received: 1, rejected: 0 }]);
  const { body: read } = await service.request('GET', `/v1/pipelines/${pipeline.id}`);
  expect(read.ledger).toMatchObject({ received: 1, delivered: 1, pending: 0, rejected: 0 });
});

test('a request that waits in vain names the cause', async () => {
  await lockFor(60_000);
  expect(await service.request('POST', '/v1/devices', { body: { name: 'Boiler' } })).toMatchObject({
    status: 503,
    body: { code: 'overloaded', detail: expect.stringContaining('Another program has locked the database') },
  });
});
