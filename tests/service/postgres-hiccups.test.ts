import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFaultProxy } from './fault-proxy.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { runOn } from './postgres-client.ts';
import { openRawStream } from './raw-stream.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { createEmptyDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
let first: TestService;
let second: TestService;

const lines: string[] = [];
const isLogged = (message: string) => lines.some((line) => line.includes(message));

/** A user of each process, so that statements of one can be made to fail. */
const startProcess = (user: string, port = new URL(database.url).port) =>
  startTestService({
    env: { DATABASE_URL: Object.assign(new URL(database.url), { username: user, port }).href },
    timeouts: { databaseRetryMs: 20, databaseCheckMs: 1_000 },
    logTo: { write: (line) => void lines.push(line) },
  });

beforeAll(async () => {
  database = await createEmptyDatabase();
  first = await startProcess('postgres');
  const name = new URL(database.url).pathname.slice(1);
  await runOn(
    database.url,
    `drop role if exists second_process;
     create role second_process login;
     grant all on database ${name} to second_process;
     grant all on all tables in schema public to second_process;
     grant all on all sequences in schema public to second_process`,
  );
  second = await startProcess('second_process');
  second.token = first.token;
});
afterAll(async () => {
  await second.close();
  await first.close();
  await runOn(database.url, 'drop owned by second_process; drop role second_process');
  await database.drop();
});

describe('a process whose database fails a statement once', () => {
  const pipelines = (test: TestService) => httpPipelinesOf(() => test);
  const message = { device: 'boiler', values: { temp: 1 } };
  const revoke = (table: string) => runOn(database.url, `revoke select on ${table} from second_process`);
  const grant = (table: string) => runOn(database.url, `grant select on ${table} to second_process`);

  it('applies a change of a pipeline that another process made', async () => {
    const id = await pipelines(first).create({ destination: 'telemetry' });
    // Creates the partition, which the user of the other process may not.
    expect((await pipelines(first).send(id, message)).received).toBe(1);
    await expect.poll(async () => (await pipelines(second).send(id, message)).received).toBe(1);
    await revoke('pipeline');
    await first.request('PATCH', `/v1/pipelines/${id}`, { body: { enabled: false } });
    await expect.poll(() => isLogged('could not apply a change of another process')).toBe(true);
    await grant('pipeline');
    await expect.poll(async () => (await pipelines(second).send(id, message)).code).toBe('invalid-state');
  });

  it('sends an event to its streams that it could not read', async () => {
    const stream = await openRawStream({ ...second, query: '' });
    await revoke('event');
    const { body } = await first.request('POST', '/v1/devices', { body: { name: 'Late' } });
    await expect.poll(() => isLogged('could not read new events')).toBe(true);
    await grant('event');
    await expect.poll(() => stream.text()).toContain(body.id);
    stream.socket.destroy();
  });
});

it('a process whose connections broke unnoticed follows the others again', async () => {
  const proxy = await startFaultProxy(Number(new URL(database.url).port));
  const third = await startProcess('postgres', String(proxy.port));
  third.token = first.token;
  const key = await first.mintKey(['events:read']);
  const [stream, ended] = [
    await openRawStream(third),
    await openRawStream({ url: third.url, token: key.secret }),
  ];
  proxy.strand();
  const { body } = await first.request('POST', '/v1/devices', { body: { name: 'Unnoticed' } });
  await first.request('DELETE', `/v1/api-keys/${key.id}`);
  // On a busy machine the process needs a while to notice.
  await expect.poll(() => stream.text(), { timeout: 45_000 }).toContain(body.id);
  await expect.poll(ended.hasEnded).toBe(true);
  stream.socket.destroy();
  await third.close();
  await proxy.close();
});
