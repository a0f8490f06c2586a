import { afterAll, beforeAll, expect, it } from 'vitest';
import { deviceStates } from '#contract/device-filter.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
let clockMs = Date.now();
beforeAll(async () => {
  test = await startTestService({ now: () => clockMs });
});
afterAll(() => test.close());

/** What the counts say, beside what there is. */
const compare = async () => {
  const { body } = await test.request('GET', '/v1/overview');
  const listed: Record<string, number> = {};
  for (const state of deviceStates)
    listed[state] = (await test.request('GET', `/v1/devices?state=${state}&limit=200`)).body.data.length;
  const { total } = (await test.request('GET', '/v1/devices?total=true&limit=1')).body;
  expect(body.devices.byState).toEqual(listed);
  expect(body.devices.total).toBe(total);
  return listed;
};
const batch = (operation: string, numbers: number[]) =>
  test.request('POST', '/v1/devices/batch', {
    body: { operation, items: numbers.map((number) => ({ externalId: `counted-${number}` })) },
  });
const hear = async (...numbers: number[]) => {
  const samples = numbers.map((number) => ({ device: `counted-${number}`, values: { a: number } }));
  await test.request('POST', '/v1/telemetry', { body: { samples } });
  await test.service.parts.presence.flush();
};

it('the counts by state follow every registration, state change, deletion, restore and purge', async () => {
  await batch('upsert', [0, 1, 2, 3, 4, 5]);
  expect(await compare()).toEqual({ online: 0, late: 0, offline: 0, 'never-seen': 6 });
  await hear(0, 1, 2, 9);
  expect(await compare()).toEqual({ online: 4, late: 0, offline: 0, 'never-seen': 3 });
  await batch('delete', [0, 5]);
  expect(await compare()).toEqual({ online: 3, late: 0, offline: 0, 'never-seen': 2 });
  clockMs += 400_000;
  await expect.poll(compare).toEqual({ online: 0, late: 3, offline: 0, 'never-seen': 2 });
  await hear(1);
  // Deleted devices also became late, and are restored as late.
  await batch('restore', [0, 5, 5]);
  expect(await compare()).toEqual({ online: 1, late: 3, offline: 0, 'never-seen': 3 });
  await test.restart();
  expect(await compare()).toEqual({ online: 1, late: 3, offline: 0, 'never-seen': 3 });
  await test.service.parts.db.deleteFrom('device').execute();
  expect(await compare()).toEqual({ online: 0, late: 0, offline: 0, 'never-seen': 0 });
});
