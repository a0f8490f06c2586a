import { afterAll, beforeAll, expect, test } from 'vitest';
import { naturalOrder } from '#service/platform/storage/migrations/0012-natural-order.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
const names = ['Pump 9', 'pump 10 b', 'Pump 102', 'Pump 102 a', 'Pump 1002', 'Pump A'];
beforeAll(async () => {
  service = await startTestService();
  for (const name of names.toReversed()) await service.request('POST', '/v1/devices', { body: { name } });
});
afterAll(() => service.close());

/** Walks the list in pages of two. */
const walk = async (sort: string): Promise<string[]> => {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await service.request('GET', `/v1/devices?sort=${sort}&limit=2${after}`);
    found.push(...body.data.map(({ name }: { name: string }) => name));
    cursor = body.nextCursor;
  } while (cursor !== null);
  return found;
};

test('names with numbers are in natural order, page by page', async () => {
  expect(await walk('name')).toEqual(names);
  expect(await walk('-name')).toEqual(names.toReversed());
});

test('names of an earlier version are put in natural order', async () => {
  const { db } = service.service.parts;
  await db
    .updateTable('device')
    .set((is) => ({ name_key: is.ref('search_key') }))
    .execute();
  expect(await walk('name')).not.toEqual(names);
  await naturalOrder.up(db);
  expect(await walk('name')).toEqual(names);
});
