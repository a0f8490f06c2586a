import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
let clockMs = Date.now();
beforeAll(async () => {
  test = await startTestService({ now: () => clockMs });
});
afterAll(() => test.close());

/** Limits the pages of the database, so that SQLite fails with the error of a full disk. */
const limitPages = (count: number) =>
  sql`pragma max_page_count = ${sql.raw(String(count))}`.execute(test.service.parts.db);

const fill = async (): Promise<number> => {
  for (let count = 0; count < 500; count++) {
    const { status } = await test.request('POST', '/v1/devices', {
      body: { name: `Filler ${count}`, description: 'x'.repeat(2_000) },
    });
    if (status !== 201) return status;
  }
  return 201;
};

it('a full disk rejects writes with 507, keeps reading, and recovers automatically', async () => {
  const { secret } = await test.mintKey(['devices:read']);
  await limitPages(1);
  expect(await fill()).toBe(507);
  const { status, body } = await test.request('POST', '/v1/devices', {
    body: { name: 'One more', description: 'x'.repeat(2_000) },
  });
  expect([status, body.code]).toEqual([507, 'storage-full']);
  const sent = await test.request('POST', '/v1/telemetry', {
    body: {
      samples: Array.from({ length: 50 }, (_, index) => ({ device: `unknown-${index}`, values: { a: 1 } })),
    },
  });
  expect(sent.status).toBe(507);

  // Long enough ago that the session's use would be written down.
  clockMs += 120_000;
  for (const token of [test.token, secret])
    expect((await test.request('GET', '/v1/devices', { token })).status).toBe(200);
  expect((await test.request('GET', '/v1/api-keys')).status).toBe(200);
  expect((await test.request('GET', '/v1/health')).status).toBe(200);

  await limitPages(1_000_000);
  await expect.poll(async () => (await test.request('GET', '/v1/storage')).body.state).toBe('writable');
  expect((await test.request('POST', '/v1/devices', { body: { name: 'Room again' } })).status).toBe(201);
  expect((await test.request('GET', '/v1/health')).body).toEqual({ status: 'ok', storage: 'writable' });
});

it('a key limited to devices gets only the state of the disk', async () => {
  const { body: device } = await test.request('POST', '/v1/devices', { body: { name: 'Boiler 7' } });
  const { secret } = await test.mintKey(['devices:read'], { devices: [device.id] });
  expect((await test.request('GET', '/v1/storage', { token: secret })).body).toEqual({
    state: 'writable',
    canDelete: true,
    detail: null,
    since: null,
    freeBytes: null,
    low: false,
    reserveBytes: null,
    files: [],
  });
});
