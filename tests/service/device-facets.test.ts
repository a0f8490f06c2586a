import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deviceStates } from '#contract/device-filter.ts';
import type { Device, DeviceFacets } from '#contract/devices.ts';
import { foldCase } from '#contract/fold-case.ts';
import { createDeviceFacets } from '#service/devices/device-facets.ts';
import { insertDevices, newDeviceRow } from '#service/devices/device-store.ts';
import { changeTags, insertTags } from '#service/devices/device-tags.ts';
import { deviceFacets } from '#service/platform/storage/migrations/0013-device-facets.ts';
import { facetSizes } from '#service/platform/storage/migrations/0027-facet-sizes.ts';
import { isPostgres } from '#service/platform/storage/dialects/is-postgres.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let clockMs = Date.now();
beforeAll(async () => {
  service = await startTestService({ now: () => clockMs });
});
afterAll(() => service.close());

const facets = async (params: Record<string, string>, token?: string): Promise<DeviceFacets> =>
  (
    await service.request('GET', `/v1/devices/facets?${new URLSearchParams(params)}`, {
      ...(token !== undefined && { token }),
    })
  ).body;
const batch = (operation: string, items: Record<string, unknown>[]) =>
  service.request('POST', '/v1/devices/batch', { body: { operation, items } });
const send = async (...externalIds: string[]) => {
  const samples = externalIds.map((device) => ({ device, values: { a: 1 } }));
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  await service.service.parts.presence.flush();
};
const listAll = async (filter = ''): Promise<Device[]> => {
  const found: Device[] = [];
  for (let cursor = ''; ;) {
    const { body } = await service.request('GET', `/v1/devices?limit=200${filter}${cursor}`);
    found.push(...body.data);
    if (body.nextCursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
};

const valuesOf = (device: Device, by: string): string[] => {
  if (by === 'type') return device.type === '' ? [] : [device.type];
  if (by === 'tag') return Object.keys(device.tags);
  const value = device.tags[by.slice(4)];
  return value === undefined ? [] : [value];
};
/** What the facets of listed devices must be. */
const expected = (devices: readonly Device[], by: string) => {
  const counts = new Map<string, { value: string; total: number; byState: Record<string, number> }>();
  for (const device of devices)
    for (const value of valuesOf(device, by)) {
      const empty = Object.fromEntries(deviceStates.map((state) => [state, 0]));
      const facet = counts.get(value) ?? { value, total: 0, byState: empty };
      counts.set(value, facet);
      facet.total += 1;
      facet.byState[device.state] = (facet.byState[device.state] ?? 0) + 1;
    }
  const order = (value: string) => `${foldCase(value)}\n${value}`;
  return [...counts.values()].toSorted(
    (a, b) => b.total - a.total || (order(a.value) < order(b.value) ? -1 : 1),
  );
};
const compare = async (filter = '') => {
  const devices = await listAll(filter);
  for (const by of ['type', 'tag', 'tag:site', 'tag:line']) {
    const { data, without, total, isComplete } = await facets({
      by,
      ...Object.fromEntries(new URLSearchParams(filter)),
    });
    const wanted = expected(devices, by);
    expect([by, data]).toEqual([by, wanted]);
    expect([total, isComplete]).toEqual([wanted.length, true]);
    const having = devices.filter((device) => valuesOf(device, by).length > 0).length;
    expect(without?.total).toBe(by === 'tag' ? undefined : devices.length - having);
  }
};

test('the counts follow every registration, change, state, deletion, restore and purge', async () => {
  const names = fc.constantFrom('', 'Pump', 'pump', 'Élan', 'boiler');
  const tags = fc.dictionary(
    fc.constantFrom('site', 'line', 'Hall'),
    fc.constantFrom('Lyon', 'lyon', 'Äs', '4'),
  );
  const device = fc.record({
    number: fc.integer({ min: 0, max: 7 }),
    step: fc.constantFrom('upsert', 'delete', 'restore', 'send', 'wait'),
    type: names,
    tags,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(device, { minLength: 4, maxLength: 12 }), async (steps) => {
      for (const { step, number, type, tags: tagged } of steps) {
        const externalId = `counted-${number}`;
        if (step === 'upsert') await batch('upsert', [{ externalId, type, tags: tagged }]);
        else if (step === 'send') await send(externalId);
        else if (step === 'wait') clockMs += 20_000;
        else await batch(step, [{ externalId }]);
      }
      await compare();
      await compare('&state=online');
    }),
    { numRuns: 8, seed: 3 },
  );
  const { db } = service.service.parts;
  const before = await db.selectFrom('device_facet').selectAll().orderBy('name').orderBy('value').execute();
  expect(before.length).toBeGreaterThan(3);
  const sizes = await db.selectFrom('device_facet_size').selectAll().execute();
  expect(new Map(sizes.map(({ name, size }) => [name, Number(size)]))).toEqual(
    new Map(
      Object.entries(Object.groupBy(before, ({ name }) => name)).map(([name, rows]) => [name, rows?.length]),
    ),
  );
  await db.deleteFrom('device').execute();
  expect(await db.selectFrom('device_facet').selectAll().execute()).toEqual([]);
  expect(await db.selectFrom('device_facet_size').selectAll().execute()).toEqual([]);
});

test('each filter of the list applies, and a token sees only its devices', async () => {
  await batch('upsert', [
    { externalId: 'a', name: 'Pump a', type: 'pump', tags: { site: 'Lyon', line: '1' } },
    { externalId: 'b', name: 'Pump b', type: 'pump', tags: { site: 'Lyon' } },
    { externalId: 'c', name: 'Fan c', type: 'fan', tags: { site: 'Metz' } },
    { externalId: 'd', name: 'Fan d' },
  ]);
  await send('a', 'c');
  for (const filter of [
    '&q=pump',
    '&type=pump',
    '&tag=site:Lyon',
    '&state=online',
    '&withoutTag=line',
    '&state=online&q=fan',
  ])
    await compare(filter);
  expect((await listAll('&withoutTag=line')).map(({ name }) => name)).toEqual(['Fan c', 'Fan d', 'Pump b']);
  const states = await facets({ by: 'state', tag: 'site:Lyon' });
  expect(states.data.map(({ value, total }) => [value, total])).toEqual([
    ['never-seen', 1],
    ['online', 1],
  ]);
  expect((await facets({ by: 'state' })).data.map(({ value, total }) => [value, total])).toEqual([
    ['never-seen', 2],
    ['online', 2],
  ]);
  const own = (await listAll()).find(({ name }) => name === 'Fan c')!.id;
  const key = await service.mintKey(['devices:read'], { devices: [own] });
  expect(
    (await facets({ by: 'tag:site' }, key.secret)).data.map(({ value, total }) => [value, total]),
  ).toEqual([['Metz', 1]]);
  const writer = await service.mintKey(['telemetry:write']);
  expect((await service.request('GET', '/v1/devices/facets?by=type', { token: writer.secret })).status).toBe(
    403,
  );
});

test('a prefix matches in any case, and values beyond the limit are counted', async () => {
  await batch(
    'upsert',
    ['Élan', 'élan 2', 'ELAN', 'other'].map((site, index) => ({ externalId: `p${index}`, tags: { site } })),
  );
  const values = async (more: Record<string, string>) => {
    const { data, total } = await facets({ by: 'tag:site', ...more });
    return [data.map(({ value }) => value), total];
  };
  for (const filter of [{}, { type: '' }]) {
    expect(await values({ prefix: 'ÉL', ...filter })).toEqual([['Élan', 'élan 2'], 2]);
    expect(await values({ prefix: 'el', limit: '1', ...filter })).toEqual([['ELAN'], 1]);
    expect(await values({ prefix: 'é', limit: '1', ...filter })).toEqual([['Élan'], 2]);
  }
  for (const by of ['site', 'tag:', 'tag:a b', ''])
    expect((await service.request('GET', `/v1/devices/facets?by=${encodeURIComponent(by)}`)).status).toBe(
      400,
    );
  // The name of a property of every object is no tag.
  expect((await facets({ by: 'tag:constructor', type: 'none' })).data).toEqual([]);
});

test('values with the most offline devices come first on request', async () => {
  await batch('upsert', [
    ...[1, 2, 3].map((number) => ({ externalId: `calm-${number}`, tags: { room: 'calm' } })),
    ...[1, 2].map((number) => ({ externalId: `bad-${number}`, tags: { room: 'bad' } })),
    { externalId: 'worse-1', tags: { room: 'worse' } },
  ]);
  await send('worse-1');
  clockMs += 3_000_000;
  const counts = async () => {
    const { data } = await facets({ by: 'tag:room', sort: '-offline', withoutTag: 'none' });
    return data.map(({ value, byState }) => [value, byState.offline]);
  };
  await expect.poll(counts).toEqual([
    ['worse', 1],
    ['calm', 0],
    ['bad', 0],
  ]);
  const { data } = await facets({ by: 'tag:room', sort: '-offline' });
  expect(data.map(({ value }) => value)).toEqual(['worse', 'calm', 'bad']);
});

test('the devices of an earlier version are counted', async () => {
  const { db } = service.service.parts;
  await batch('upsert', [
    { externalId: 'earlier-1', type: 'Élan', tags: { site: 'Äs', line: '1' } },
    { externalId: 'earlier-2', type: 'pump', tags: { site: '' } },
    { externalId: 'earlier-3', type: 'gone', tags: { gone: 'yes' } },
  ]);
  await batch('delete', [{ externalId: 'earlier-3' }]);
  const read = () => db.selectFrom('device_facet').selectAll().orderBy('name').orderBy('value').execute();
  const before = await read();
  expect(before.length).toBeGreaterThan(3);
  const readSizes = () => db.selectFrom('device_facet_size').selectAll().orderBy('name').execute();
  const sizes = await readSizes();
  await db.schema.dropTable('device_facet').execute();
  await db.schema.dropTable('device_facet_size').execute();
  // In SQLite, the triggers of a table go with it.
  for (const name of [
    'insert',
    'update',
    'delete',
    'tag_insert',
    'tag_delete',
    'size_insert',
    'size_delete',
  ]) {
    const trigger = sql.raw(`device_facet_${name}`);
    await (
      isPostgres(db) ? sql`drop function ${trigger} cascade` : sql`drop trigger if exists ${trigger}`
    ).execute(db);
  }
  await db.schema.alterTable('device').dropColumn('type_key').execute();
  await db.schema.alterTable('device_tag').dropColumn('value_key').execute();
  await deviceFacets.up(db);
  expect(await read()).toEqual(before);
  await facetSizes.up(db);
  expect(await readSizes()).toEqual(sizes);
});

test('“silent for” finds devices that were last seen longer ago', async () => {
  await batch('upsert', [{ externalId: 'never' }]);
  await send('old');
  clockMs += 7_200_000;
  await send('fresh');
  const silent = async (seconds: number) =>
    (await listAll(`&silentFor=${seconds}`)).map(({ externalId }) => externalId);
  expect(await silent(3_600)).toContain('old');
  expect(await silent(3_600)).not.toContain('fresh');
  expect(await silent(3_600)).not.toContain('never');
  expect(await silent(7_300)).not.toContain('old');
  const change = { operation: 'update', change: { tags: { silent: 'yes' } } };
  const body = { ...change, filter: { silentFor: 3_600, q: 'old' } };
  expect((await service.request('POST', '/v1/devices/batch', { body })).body.results).toHaveLength(1);
  expect((await service.request('GET', '/v1/devices?silentFor=0')).status).toBe(400);
});

test('more matches than are read at once are counted once each', async () => {
  const rows = Array.from({ length: 2_700 }, (_, index) => {
    const device = { name: `Many ${index}`, type: 'many', tags: { half: index % 2 === 0 ? 'even' : 'odd' } };
    return newDeviceRow(device, `many-${index}`, clockMs);
  });
  await insertDevices(service.service.parts.db, rows);
  const { data, without } = await facets({ by: 'tag:half', type: 'many' });
  expect(data.map(({ value, total }) => [value, total])).toEqual([
    ['even', 1_350],
    ['odd', 1_350],
  ]);
  expect(without?.total).toBe(0);
  expect((await facets({ by: 'tag:half', q: 'many 2' })).data[0]?.total).toBe(406);
});

test('more values than are read at once are listed in their order', async () => {
  const { db } = service.service.parts;
  const rows = Array.from({ length: 2_100 }, (_, index) => ({
    ...newDeviceRow({ name: `Unique ${index}`, tags: { serial: `S${index}` } }, `unique-${index}`, clockMs),
    ...(index === 2_050 ? { state: 'late' } : index === 2_060 || index === 7 ? { state: 'offline' } : {}),
  }));
  await insertDevices(db, rows);
  await insertTags(db, rows);
  const values = async (params: Record<string, string>) => {
    const { data, total } = await facets({ by: 'tag:serial', limit: '4', ...params });
    return [data.map(({ value }) => value), total];
  };
  expect(await values({})).toEqual([['S0', 'S1', 'S10', 'S100'], 2_100]);
  expect(await values({ sort: '-offline' })).toEqual([['S2060', 'S7', 'S2050', 'S0'], 2_100]);
  expect(await values({ sort: '-offline', limit: '2' })).toEqual([['S2060', 'S7'], 2_100]);
  expect(await values({ sort: '-offline', prefix: 's20' })).toEqual([['S2060', 'S2050', 'S20', 'S200'], 111]);
  expect(await values({ state: 'offline' })).toEqual([['S2060', 'S7'], 2]);
  expect(await values({ state: 'never-seen' })).toEqual([['S0', 'S1', 'S10', 'S100'], 2_097]);
});

test('counts stop at a number of matching devices, and only more matches make them incomplete', async () => {
  const { db } = service.service.parts;
  const rows = [1, 2, 3].map((number) => newDeviceRow({ name: `Zq ${number}` }, `zq-${number}`, clockMs));
  await insertDevices(db, rows);
  const count = async (maxDevices: number) => {
    const query = { by: 'state', q: 'zq', sort: '-total', limit: 20 } as const;
    const request = { only: null, nowMs: clockMs, isAwaited: () => true, group: '' };
    const { data, isComplete } = await createDeviceFacets(db, { maxDevices })(query, request);
    return [data.reduce((sum, { total }) => sum + total, 0), isComplete];
  };
  expect(await count(2)).toEqual([2, false]);
  expect(await count(3)).toEqual([3, true]);
  expect(await count(4)).toEqual([3, true]);
});

test('counts are rejected while many wait, and skipped for a closed request', async () => {
  const countFacets = createDeviceFacets(service.service.parts.db);
  const query = { by: 'type', q: 'm', sort: '-total', limit: 20 } as const;
  const ask = (isAwaited: () => boolean, group = 'one key') =>
    countFacets(query, { only: null, nowMs: clockMs, isAwaited, group });
  const answers = await Promise.allSettled([
    ...Array.from({ length: 40 }, () => ask(() => true)),
    ask(() => true, 'another key'),
  ]);
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(32);
  expect(answers.at(-2)).toMatchObject({ reason: { code: 'overloaded' } });
  expect(answers.at(-1)).toMatchObject({ status: 'fulfilled' });
  await expect(ask(() => false)).rejects.toMatchObject({ code: 'overloaded' });
  expect(await ask(() => true)).toMatchObject({ isComplete: true });
});

test('the values of some states, which are stored, do not wait for counts', async () => {
  const countFacets = createDeviceFacets(service.service.parts.db);
  const request = { only: null, nowMs: clockMs, isAwaited: () => true, group: '' };
  const query = { by: 'type', sort: '-total', limit: 20 } as const;
  const counts = Promise.allSettled(
    Array.from({ length: 40 }, () => countFacets({ ...query, q: 'm' }, request)),
  );
  expect(await countFacets({ ...query, state: ['never-seen'] }, request)).toMatchObject({ isComplete: true });
  expect(await countFacets({ ...query, prefix: 'p' }, request)).toMatchObject({ isComplete: true });
  await counts;
});

test('devices without a tag are found when nearly all or no devices have it', async () => {
  const { db } = service.service.parts;
  const all = await db.selectFrom('device').selectAll().where('deleted_at', 'is', null).execute();
  expect((await listAll('&withoutTag=unused')).length).toBe(all.length);
  const tags = JSON.stringify({ common: '1' });
  await insertTags(
    db,
    all.slice(2).map((row) => ({ ...row, tags })),
  );
  const ids = async () => (await listAll('&withoutTag=common')).map(({ id }) => id).toSorted();
  const without = all.slice(0, 2);
  expect(await ids()).toEqual(without.map(({ id }) => id).toSorted());
  const total = async (filter: string) =>
    (await service.request('GET', `/v1/devices?total=true&limit=1&${filter}`)).body.total;
  expect(await total('withoutTag=common')).toBe(2);
  expect(await total('withoutTag=common&withoutTag=unused')).toBe(2);
  expect(await total(`withoutTag=common&q=${'x'.repeat(50)}`)).toBe(0);
  const { data } = await facets({ by: 'state', withoutTag: 'common' });
  expect(data.reduce((sum, { total }) => sum + total, 0)).toBe(2);
  for (const row of without) await changeTags(db, row, { ...row, tags });
  expect(await ids()).toEqual([]);
});
