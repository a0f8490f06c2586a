import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { foldCase } from '#contract/text.ts';
import { insertDevices, newDeviceRow } from '#service/devices/device-store.ts';
import { sized } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

type Found = { data: { name: string; externalId: string }[]; total: number };
const search = async (params: Record<string, string>): Promise<Found> =>
  (
    await test.request(
      'GET',
      `/v1/devices?${new URLSearchParams({ ...params, limit: '200', total: 'true' })}`,
    )
  ).body;
const batch = (operation: string, items: Record<string, unknown>[]) =>
  test.request('POST', '/v1/devices/batch', { body: { operation, items } });

/** Few letters, so that names overlap, and characters with a meaning in indexes and patterns. */
const letters = fc.constantFrom(...'abAB äÄß"\'%_*\\-中😀'.match(/./gu)!);
const text = (minLength: number, maxLength: number) =>
  fc.array(letters, { minLength, maxLength }).map((parts) => parts.join(''));

it('finds exactly the devices that contain the text', async () => {
  const names = fc.sample(
    text(1, 12).filter((name) => name.trim() !== ''),
    { numRuns: 150, seed: 4 },
  );
  const items = names.map((name, index) => ({ name: name.trim(), externalId: `found-${index}` }));
  expect((await batch('upsert', items)).body.results.every(({ ok }: { ok: boolean }) => ok)).toBe(true);
  await fc.assert(
    fc.asyncProperty(text(1, 6), async (q) => {
      const part = foldCase(q.trim());
      fc.pre(part !== '');
      const wanted = items.filter(
        ({ name, externalId }) => foldCase(name).includes(part) || externalId.includes(part),
      );
      const found = await search({ q: q.trim() });
      expect(found.data.map(({ externalId }) => externalId).toSorted()).toEqual(
        wanted.map(({ externalId }) => externalId).toSorted(),
      );
      expect(found.total).toBe(wanted.length);
    }),
    { numRuns: sized(100, 200, 60), seed: 7 },
  );
});

it('finds a renamed device only by its new name, and a deleted one not at all', async () => {
  const { body } = await test.request('POST', '/v1/devices', { body: { name: 'Settling tank' } });
  await test.request('PATCH', `/v1/devices/${body.id}`, {
    body: { name: 'Sludge press', externalId: 'press-1' },
  });
  expect((await search({ q: 'settling' })).total).toBe(0);
  expect((await search({ q: 'ludge p' })).data[0]?.externalId).toBe('press-1');
  await test.request('DELETE', `/v1/devices/${body.id}`);
  expect((await search({ q: 'ludge p' })).total).toBe(0);
});

it('pages through more than a thousand matches in order', async () => {
  const { db } = test.service.parts;
  const rows = Array.from({ length: 1_050 }, (_, index) => {
    const number = String(index).padStart(4, '0');
    const device = { name: `Common ${number}`, tags: { many: 'yes' } };
    return newDeviceRow(device, `common-${number}`, Date.now());
  });
  await insertDevices(db, rows);
  const tags = rows.map(({ id }) => ({ device_id: id, key: 'many', value: 'yes', value_key: 'yes' }));
  await db.insertInto('device_tag').values(tags).execute();
  for (const [filter, count] of [
    ['q=common', 1_050],
    ['tag=many:yes', 1_050],
    ['q=common-000', 10],
  ] as const) {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const path: string = `/v1/devices?${filter}&limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { body } = await test.request('GET', path);
      seen.push(...body.data.map(({ name }: { name: string }) => name));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual([...new Set(seen)].toSorted());
    expect(seen).toHaveLength(count);
  }
});
