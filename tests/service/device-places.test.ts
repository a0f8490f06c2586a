import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { sql } from 'kysely';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { foldCase } from '#contract/fold-case.ts';
import { insertDevices, namesOf, newDeviceRow, updateDevice } from '#service/devices/device-store.ts';
import { countMatches, findNextMatches, toMatchExpression } from '#service/devices/device-search.ts';
import { mergeSearchSegments } from '#service/devices/merge-search-segments.ts';
import { createFindRareParts } from '#service/devices/find-rare-parts.ts';
import { openDatabase, type Db } from '#service/platform/storage/database.ts';
import { sqliteDialect } from '#service/platform/storage/dialects/sqlite-dialect.ts';
import { sized } from './sized.ts';

let folder: string;
let db: Db;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-places-'));
  db = await openDatabase(sqliteDialect(join(folder, 'penstock.db')));
});
afterAll(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
});

let registered = 0;
const register = async (...names: string[]): Promise<string[]> => {
  const rows = names.map((name) => newDeviceRow({ name }, `device-${(registered += 1)}`, 0));
  await insertDevices(db, rows);
  return rows.map(({ id }) => id);
};

const clear = () => db.deleteFrom('device').execute();

/** The devices in the order of their places, and in the order of their names. */
const orders = async (): Promise<[placed: string[], named: string[]]> => {
  const live = db.selectFrom('device').where('deleted_at', 'is', null).select('device.id');
  const placed = await live
    .innerJoin('device_place', 'device_place.seq', 'device.seq')
    .orderBy('place')
    .execute();
  const named = await live.orderBy('name_key').orderBy('device.id').execute();
  return [placed.map(({ id }) => id), named.map(({ id }) => id)];
};

const expectInOrder = async (count: number): Promise<void> => {
  const [placed, named] = await orders();
  expect(placed).toEqual(named);
  expect(placed).toHaveLength(count);
  const { rows: indexed } = await sql`select rowid from device_search
    where rowid in (select place from device_place)`.execute(db);
  expect(indexed).toHaveLength(count);
};

it('matches of a search are counted in windows, until nobody waits for the count', async () => {
  await clear();
  await register(...Array.from({ length: 250 }, (_, index) => `Pump ${index}`), 'Valve');
  const count = (isAwaited: () => boolean) => countMatches(db, '"pump"', { isAwaited, atOnce: 100 });
  expect(await count(() => true)).toBe(250);
  await expect(count(() => false)).rejects.toThrow('The request was closed.');
});

const REGISTERED = sized(100, 300);

it.each([
  ['each before the last one', (index: number) => `b ${1_000 - index}`],
  ['each after the last one', (index: number) => `b ${index}`],
  ['between the last two', (index: number) => `b ${index % 2 === 0 ? index : 1_000 - index}`],
])('devices that are registered one by one, %s, are in the order of names', async (_, nameOf) => {
  await clear();
  await register('a', 'c');
  for (let index = 0; index < REGISTERED; index += 1) await register(nameOf(index));
  await expectInOrder(REGISTERED + 2);
});

it('a device between two neighbours moves only devices around it', async () => {
  await clear();
  await register(...Array.from({ length: 500 }, (_, index) => `Pump ${index}`));
  const places = async () =>
    new Map(
      (await db.selectFrom('device_place').selectAll().execute()).map(({ seq, place }) => [seq, place]),
    );
  let most = 0;
  for (let index = 60; index > 0; index -= 1) {
    const before = await places();
    await register(`Pump 100 ${index}`);
    const after = await places();
    most = Math.max(most, [...before].filter(([seq, place]) => after.get(seq) !== place).length);
  }
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(64);
  await expectInOrder(560);
});

it('in a crowded range, more than the nearest devices move', async () => {
  await clear();
  await register(...Array.from({ length: 300 }, (_, index) => `Pump ${index}`));
  const placed = await db.selectFrom('device_place').selectAll().orderBy('place').execute();
  const crowded = placed
    .slice(100, 200)
    .map(({ seq }, index) => ({ seq, place: placed[100]!.place + index }));
  const seqs = crowded.map(({ seq }) => seq);
  await db.deleteFrom('device_place').where('seq', 'in', seqs).execute();
  await db.insertInto('device_place').values(crowded).execute();
  await register('Pump 150 a');
  const kept = new Set(crowded.map(({ seq, place }) => `${seq} ${place}`));
  const after = await db.selectFrom('device_place').selectAll().execute();
  expect(after.filter(({ seq, place }) => kept.has(`${seq} ${place}`)).length).toBeLessThan(5);
  await expectInOrder(301);
});

it('devices stay in the order of names while they are registered, renamed, deleted and restored', async () => {
  const name = fc.constantFrom('Pump 9', 'pump 10', 'Ä', 'a', 'z 😀', 'z \u{ff5e}', 'b', 'b 2', 'b 10', 'ß');
  const index = fc.nat({ max: 50 });
  const step = fc.oneof(
    fc.record({ register: fc.array(name, { minLength: 1, maxLength: 20 }) }),
    fc.record({ rename: index, name }),
    fc.record({ remove: index }),
    fc.record({ restore: index }),
    fc.record({ purge: index }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      await clear();
      const ids = await register('m');
      const gone = new Set<string>();
      for (const one of steps) {
        if ('register' in one) {
          ids.push(...(await register(...one.register)));
          continue;
        }
        const id = ids[Object.values(one).find((value) => typeof value === 'number')! % ids.length]!;
        if ('rename' in one) await updateDevice(db, id, namesOf(one.name, `renamed-${id}`));
        else if ('remove' in one) await updateDevice(db, id, { deleted_at: 1 });
        else if ('restore' in one) await updateDevice(db, id, { deleted_at: null });
        else await db.deleteFrom('device').where('id', '=', id).execute();
        if ('purge' in one) ids.splice(ids.indexOf(id), 1);
        if ('remove' in one) gone.add(id);
        else if (!('rename' in one)) gone.delete(id);
        if (ids.length === 0) ids.push(...(await register('m')));
      }
      await expectInOrder(ids.filter((id) => !gone.has(id)).length);
    }),
    { numRuns: sized(15, 300), seed: 3 },
  );
});

type Wanted = Partial<Omit<Parameters<typeof findNextMatches>[2], 'parts'>> & { parts?: readonly string[] };
/** Words with one spelling. */
const wordsOf = (texts: readonly string[]) => texts.map((text) => [text]);

const find = async (texts: readonly string[], { parts = texts, ...page }: Wanted = {}): Promise<string[]> => {
  const all = { parts: wordsOf(parts), limit: 100, after: undefined, isDescending: false };
  const found = await findNextMatches(db, wordsOf(texts), { ...all, ...page });
  return found.map(({ name }) => name);
};

it('words, or parts of them, that many devices contain are not looked up', async () => {
  await clear();
  await register(...Array.from({ length: 40 }, (_, index) => `Plant pump ${index} of line`));
  const findRare = createFindRareParts(db);
  const findRareParts = (texts: string[]) => findRare(wordsOf(texts));
  expect(await findRareParts(['plant pump 999 of'])).toEqual([['p 999 o']]);
  expect(await findRareParts(['plant', 'ump 999', 'line'])).toEqual([['p 999']]);
  expect(await findRareParts(['plant', 'pump'])).toEqual([['plant'], ['pump']]);
  expect(await findRareParts(['999', 'east'])).toEqual([['999'], ['east']]);
});

it('a word with several spellings is looked up in all of them, by rare parts if each has one', async () => {
  await clear();
  await register(
    ...Array.from({ length: 40 }, (_, index) => `Plant pump ${index} of line`),
    'pump-99',
    'Pump_991',
  );
  const findRare = createFindRareParts(db);
  const spellings = ['plant pump 99', 'plant-pump-99'];
  const [parts = []] = await findRare([spellings]);
  expect(parts[0]).toBe('p 99');
  expect(parts).toHaveLength(2);
  expect(await findRare([['plant', 'plant-x'], ['east']])).toEqual([['east']]);
  const page = { parts: [['p 99', 'p-99', '_99']], limit: 100, after: undefined, isDescending: false };
  const found = await findNextMatches(db, [['pump 99', 'pump-99', 'pump_99']], page);
  expect(found.map(({ name }) => name)).toEqual(['pump-99', 'Pump_991']);
});

it('a part of a word finds only the devices that contain the word', async () => {
  await clear();
  await register('Unit-7', 'Plant-7 b', 'Plant-7 a', 'Plant-8', 'plant-78');
  expect(await find(['plant-7'], { parts: ['t-7'] })).toEqual(['Plant-7 a', 'Plant-7 b', 'plant-78']);
  expect(await find(['plant-7'], { parts: ['t-7'], limit: 2 })).toEqual(['Plant-7 a', 'Plant-7 b']);
  const descending = { parts: ['t-7'], isDescending: true };
  expect(await find(['plant-7'], descending)).toEqual(['plant-78', 'Plant-7 b', 'Plant-7 a']);
  const { id, name_key: key } = await db
    .selectFrom('device')
    .select(['id', 'name_key'])
    .where('name', '=', 'Plant-7 b')
    .executeTakeFirstOrThrow();
  expect(await find(['plant-7'], { parts: ['t-7'], after: { key, id } })).toEqual(['plant-78']);
  expect(await find(['plant-7'], { ...descending, after: { key, id } })).toEqual(['Plant-7 a']);
});

it('a capital letter that has no composed form is found in the rare part', async () => {
  await clear();
  await register('Line J\u030c77', ...Array.from({ length: 40 }, (_, index) => `Line fan ${index}`));
  const folded = foldCase('Line J\u030c77');
  const [[part = ''] = []] = await createFindRareParts(db)([[folded]]);
  expect(part.length).toBeLessThan(folded.length);
  // Folded again, the letter and its mark would become one character, which no device contains.
  expect(toMatchExpression([[part]])).toBe(`("${part}")`);
  expect(await find([folded], { parts: [part] })).toEqual(['Line J\u030c77']);
});

it('a device that is sorted after a thousand devices with only the rare part is found', async () => {
  await clear();
  await register(...Array.from({ length: 1_001 }, (_, index) => `A unit-7 ${index}`), 'Plant-7');
  expect(await find(['plant-7'], { parts: ['t-7'] })).toEqual(['Plant-7']);
});

it('merging the search index leaves one segment, which finds all devices', async () => {
  await clear();
  for (let index = 0; index < 3; index += 1) await register(`Boiler ${index}`);
  const disk = { isScarce: () => false };
  const countSegments = async (): Promise<number> => {
    const { rows } = await sql<{ segments: number }>`
      select count(distinct segid) as segments from device_search_idx`.execute(db);
    return rows[0]?.segments ?? 0;
  };
  expect(await countSegments()).toBeGreaterThan(1);
  await mergeSearchSegments(db, { disk, signal: AbortSignal.abort() });
  expect(await countSegments()).toBeGreaterThan(1);
  await mergeSearchSegments(db, { disk, signal: new AbortController().signal });
  expect(await countSegments()).toBe(1);
  expect(await find(['boiler'])).toEqual(Array.from({ length: 3 }, (_, index) => `Boiler ${index}`));
});
