import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { foldCase } from '#contract/fold-case.ts';
import { searchWords } from '#contract/search-words.ts';
import { insertDevices, newDeviceRow } from '#service/devices/device-store.ts';
import { insertTags } from '#service/devices/device-tags.ts';
import { isPostgres } from '#service/platform/storage/dialects/is-postgres.ts';
import { tagsInOrder } from '#service/platform/storage/migrations/0022-tags-in-order.ts';
import { tagsLeadToRows } from '#service/platform/storage/migrations/0029-tags-lead-to-rows.ts';
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

it('finds exactly the devices that contain the words', async () => {
  const names = fc.sample(
    text(1, 12).filter((name) => name.trim() !== ''),
    { numRuns: 150, seed: 4 },
  );
  const items = names.map((name, index) => ({ name: name.trim(), externalId: `found-${index}` }));
  expect((await batch('upsert', items)).body.results.every(({ ok }: { ok: boolean }) => ok)).toBe(true);
  await fc.assert(
    fc.asyncProperty(text(1, 6), async (q) => {
      const words = searchWords(q);
      const wanted = items.filter(({ name, externalId }) =>
        words.every((word) =>
          word.some((text) => foldCase(name).includes(text) || externalId.includes(text)),
        ),
      );
      const found = await search({ q });
      expect(found.data.map(({ externalId }) => externalId).toSorted()).toEqual(
        wanted.map(({ externalId }) => externalId).toSorted(),
      );
      expect(found.total).toBe(wanted.length);
    }),
    { numRuns: sized(60, 200), seed: 7 },
  );
});

it('finds words in any order, in the name or the external ID, and a quoted text as it is', async () => {
  await batch('upsert', [
    { externalId: 'lyon-1', name: 'Feed pump 12' },
    { externalId: 'paris-1', name: 'Pump 12 of the feed' },
  ]);
  const namesOf = async (q: string) => (await search({ q })).data.map(({ externalId }) => externalId);
  expect(await namesOf('pump feed')).toEqual(['lyon-1', 'paris-1']);
  expect(await namesOf('LYON pump')).toEqual(['lyon-1']);
  expect(await namesOf('1 feed')).toEqual(['lyon-1', 'paris-1']);
  expect(await namesOf('12 lyon')).toEqual(['lyon-1']);
  expect(await namesOf('feed 12')).toEqual([]);
  expect(await namesOf('"feed pump"')).toEqual(['lyon-1']);
  expect(await namesOf('lyon 1')).toEqual(['lyon-1']);
  expect(await namesOf('"lyon 1"')).toEqual([]);
  expect(await namesOf('pump lyon paris')).toEqual([]);
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

it.each([
  ['external ID', { externalId: 'only-2' }, 'only-2'],
  ['name by a zero', { name: 'Pump 07' }, '"pump 07"'],
])('finds a device that changed only its %s', async (_, change, q) => {
  const { body } = await test.request('POST', '/v1/devices', { body: { name: 'Pump 7' } });
  await test.request('PATCH', `/v1/devices/${body.id}`, { body: change });
  expect((await search({ q })).total).toBe(1);
  await test.request('DELETE', `/v1/devices/${body.id}`);
  await test.request('POST', `/v1/devices/${body.id}/restore`);
  expect((await search({ q })).total).toBe(1);
  await test.request('DELETE', `/v1/devices/${body.id}`);
});

it('rejects a search for more than ten words', async () => {
  const q = Array.from({ length: 11 }, (_, index) => `word${index}`).join(' ');
  const { status, body } = await test.request('GET', `/v1/devices?q=${encodeURIComponent(q)}`);
  expect([status, body.detail]).toEqual([
    400,
    'q: Must have at most 10 words. A text in double quotes is one word.',
  ]);
});

it('pages through more than a thousand matches in order', async () => {
  const { db } = test.service.parts;
  const rows = Array.from({ length: 1_050 }, (_, index) => {
    const number = String(index).padStart(4, '0');
    const device = { name: `Common ${number}`, tags: { many: 'yes' } };
    return newDeviceRow(device, `common-${number}`, Date.now());
  });
  await insertDevices(db, rows);
  await insertTags(db, rows);
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

type Listed = Record<'id' | 'name' | 'externalId' | 'type' | 'state', string> & {
  tags: Record<string, string>;
};
const walk = async (query: string, limit: number): Promise<Listed[]> => {
  const seen: Listed[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/v1/devices?${query}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { status, body } = await test.request('GET', path);
    expect(status).toBe(200);
    seen.push(...body.data);
    cursor = body.nextCursor;
  }
  return seen;
};

it('returns the devices with a common tag in every order and with other filters', async () => {
  const { db } = test.service.parts;
  const rows = Array.from({ length: 2_300 }, (_, number) => {
    const device = {
      name: `Tank ${(number * 7_919) % 2_003} "${number % 9}" 😀`,
      type: number % 3 === 0 ? 'tank' : 'silo',
      tags: { site: number % 2 === 0 ? 'north' : 'south', half: number < 1_200 ? 'first' : 'second' },
    };
    const row = newDeviceRow(device, `tank-${number}`, 1_700_000_000_000 + number);
    return { ...row, state: number % 5 === 0 ? 'offline' : 'online' };
  });
  await insertDevices(db, rows);
  await insertTags(db, rows);
  // PostgreSQL does so itself, within a minute.
  if (isPostgres(db)) await sql`analyze`.execute(db);

  const isTank1 = ({ name, externalId }: Listed) =>
    name.includes('Tank 1') || externalId.startsWith('tank-1');
  const filters: Record<string, (device: Listed) => boolean> = {
    'tag=site:north': ({ tags }) => tags['site'] === 'north',
    'tag=site:north&tag=half:first': ({ tags }) => tags['site'] === 'north' && tags['half'] === 'first',
    'tag=site:north&state=offline': ({ tags, state }) => tags['site'] === 'north' && state === 'offline',
    'tag=half:first&type=silo': ({ tags, type }) => tags['half'] === 'first' && type === 'silo',
    'tag=half:first&q=tank%201': (device) => device.tags['half'] === 'first' && isTank1(device),
    'tag=half:first&withoutTag=many': ({ tags }) => tags['half'] === 'first',
    'q=tank%201': isTank1,
    'q=7%20tank': ({ name, externalId }) =>
      name.startsWith('Tank') && (name.includes('7') || externalId.includes('7')),
    'q=777%20nk-99': ({ name, externalId }) =>
      externalId.startsWith('tank-99') && (name.includes('777') || externalId.includes('777')),
    'q=77%20tank-1': ({ name, externalId }) =>
      externalId.startsWith('tank-1') && (name.includes('77') || externalId.includes('77')),
    'state=offline': ({ state }) => state === 'offline',
    'type=tank&type=silo': ({ type }) => type !== '',
  };
  for (const sort of ['name', '-name', 'createdAt']) {
    const all = await walk(`sort=${sort}`, 200);
    for (const [filter, matches] of Object.entries(filters)) {
      const found = await walk(`${filter}&sort=${sort}`, 170);
      expect(found, `${filter} by ${sort}`).toEqual(all.filter(matches));
      const { body } = await test.request('GET', `/v1/devices?${filter}&sort=${sort}&total=true&limit=1`);
      expect(body.total, `total of ${filter}`).toBe(found.length);
    }
  }
});

it('moves a renamed device within the devices of a common tag, and leaves out a deleted one', async () => {
  const first = async (): Promise<Listed> =>
    (await test.request('GET', '/v1/devices?tag=site:north&limit=1')).body.data[0];
  const { id } = (await test.request('GET', '/v1/devices?tag=site:north&sort=-name&limit=1')).body.data[0];
  await test.request('PATCH', `/v1/devices/${id}`, { body: { name: '!' } });
  expect((await first()).id).toBe(id);
  const total = async () =>
    (await test.request('GET', '/v1/devices?tag=site:north&total=true&limit=1')).body.total;
  const before = await total();
  await test.request('DELETE', `/v1/devices/${id}`);
  expect((await first()).id).not.toBe(id);
  expect(await total()).toBe(before - 1);
});

it('adds the order of names and the rows of devices to the tags of a database of an earlier version', async () => {
  const { db } = test.service.parts;
  const read = () => db.selectFrom('device_tag').selectAll().orderBy('device_id').orderBy('key').execute();
  const before = await read();
  await db.schema.dropIndex('device_tag_by_name_key').execute();
  for (const column of ['name_key', 'device_seq'])
    await db.schema.alterTable('device_tag').dropColumn(column).execute();
  await db.schema
    .createIndex('device_tag_by_value')
    .on('device_tag')
    .columns(['key', 'value', 'device_id'])
    .execute();
  await tagsInOrder.up(db);
  await tagsLeadToRows.up(db);
  expect(await read()).toEqual(before);
  expect((await walk('tag=site:south', 200)).length).toBe(1_150);
});
