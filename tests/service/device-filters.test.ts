import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filterConditions } from '#service/devices/device-conditions.ts';
import { createDeviceList } from '#service/devices/device-list.ts';
import { insertDevices, newDeviceRow } from '#service/devices/device-store.ts';
import { insertTags } from '#service/devices/device-tags.ts';
import { isPostgres } from '#service/platform/storage/dialects/is-postgres.ts';
import { isSecondDatabase, sized } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';

/** More than one read of a list checks, and more than the most matches that are looked up one by one. */
const COUNT = 6_000;
const HOUR_MS = 3_600_000;
const now = Date.now();

type Shape = {
  externalId: string;
  name: string;
  type: string;
  tags: Record<string, string>;
  state: string;
  lastSeenMs: number;
  createdMs: number;
};

/** Common and rare values, in orders that differ from those of the names and of the IDs. */
const shapes = Array.from({ length: COUNT }, (_, number): Shape => {
  const rank = (number * 1_009) % COUNT;
  const isSeen = rank % 3 !== 0;
  return {
    externalId: `unit-${number}`,
    name: `Unit ${rank}`,
    type: number % 2_000 === 7 ? 'gateway' : number % 2 === 0 ? 'pump' : 'fan',
    tags: {
      ...(number % 5 !== 0 && { site: `site-${number % 4}` }),
      ...(number % 2 === 1 && { line: 'odd' }),
    },
    state: isSeen ? (rank % 1_500 === 1 ? 'offline' : 'online') : 'never-seen',
    lastSeenMs: isSeen ? now - (rank % 48) * HOUR_MS - number : 0,
    createdMs: now - ((number * 7) % COUNT) * 1_000,
  };
});

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const { db } = service.service.parts;
  const rows = shapes.map(({ externalId, name, type, tags, state, lastSeenMs, createdMs }) => ({
    ...newDeviceRow({ name, type, tags, expectedInterval: 864_000 }, externalId, createdMs),
    state,
    last_seen_at: lastSeenMs,
  }));
  for (let start = 0; start < COUNT; start += 1_000) {
    await insertDevices(db, rows.slice(start, start + 1_000));
    await insertTags(db, rows.slice(start, start + 1_000));
  }
  // PostgreSQL does so itself, within a minute.
  if (isPostgres(db)) await sql`analyze`.execute(db);
}, 60_000);
afterAll(() => service.close());

type Condition = readonly [parameter: string, matches: (shape: Shape) => boolean];

const searches: Condition[] = [
  ['', () => true],
  ['q=7', ({ name, externalId }) => /7/.test(name + externalId)],
  ['q=zz', () => false],
  ['q=unit', () => true],
  ['q=59', ({ name, externalId }) => /59/.test(name + externalId)],
];
const types: Condition[] = [
  ['', () => true],
  ['type=pump', ({ type }) => type === 'pump'],
  ['type=gateway', ({ type }) => type === 'gateway'],
  ['type=none', () => false],
  ['type=gateway&type=pump', ({ type }) => type !== 'fan'],
];
const states: Condition[] = [
  ['', () => true],
  ['state=online', ({ state }) => state === 'online'],
  ['state=offline', ({ state }) => state === 'offline'],
  ['state=online&state=never-seen', ({ state }) => state !== 'offline'],
];
const tags: Condition[] = [
  ['', () => true],
  ['tag=site:site-1', (shape) => shape.tags['site'] === 'site-1'],
  ['tag=line:odd', (shape) => shape.tags['line'] === 'odd'],
  [
    'tag=site:site-1&tag=line:odd',
    (shape) => shape.tags['site'] === 'site-1' && shape.tags['line'] === 'odd',
  ],
  ['withoutTag=site', (shape) => shape.tags['site'] === undefined],
  [
    'withoutTag=line&tag=site:site-2',
    (shape) => shape.tags['line'] === undefined && shape.tags['site'] === 'site-2',
  ],
];
const silences: Condition[] = [
  ['', () => true],
  ['silentFor=72000', ({ lastSeenMs }) => lastSeenMs > 0 && lastSeenMs < now - 20 * HOUR_MS],
];

const combine = (one: readonly Condition[], other: readonly Condition[]): Condition[] =>
  one.flatMap(([text, matches]) =>
    other.map(([more, matchesToo]): Condition => [
      [text, more].filter(Boolean).join('&'),
      (shape) => matches(shape) && matchesToo(shape),
    ]),
  );
const filters = [searches, types, states, tags, silences].reduce(combine);

const numberOf = ({ name }: Shape) => Number(name.slice(5));
/** What a list sorts by. Devices with the same value are in the order of their IDs, which are random. */
const keys: Record<string, (shape: Shape) => string | number> = {
  name: numberOf,
  lastSeenAt: ({ lastSeenMs }) => lastSeenMs,
  type: ({ type }) => type,
  state: ({ state }) => state,
  createdAt: ({ createdMs }) => createdMs,
  externalId: ({ externalId }) => externalId,
};
const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
const byExternalId = new Map(shapes.map((shape) => [shape.externalId, shape]));

type Page = { data: { externalId: string }[]; nextCursor: string | null; total?: number };
const read = async (query: string): Promise<Page> =>
  (await service.request('GET', `/v1/devices?${query}`)).body;

const LIMIT = 23;
const PAGES = 3;

const offencesOf = async (filter: Condition, sort: string): Promise<string[]> => {
  const [parameters, matches] = filter;
  const isDescending = sort.startsWith('-');
  const keyOf = keys[sort.replace('-', '')]!;
  const wanted = shapes
    .filter(matches)
    .map(keyOf)
    .toSorted((a, b) => (isDescending ? -1 : 1) * compare(a, b));
  const query = [parameters, `sort=${sort}&limit=${LIMIT}`].filter(Boolean).join('&');
  const found: Shape[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES; page += 1) {
    const { data, nextCursor }: Page = await read(cursor === null ? query : `${query}&cursor=${cursor}`);
    found.push(...data.map(({ externalId }) => byExternalId.get(externalId)!));
    cursor = nextCursor;
    if (cursor === null) break;
  }
  const shown = Math.min(wanted.length, LIMIT * PAGES);
  const isRight =
    found.length === shown &&
    new Set(found).size === shown &&
    found.every((shape, index) => matches(shape) && keyOf(shape) === wanted[index]) &&
    (cursor === null) === wanted.length <= LIMIT * PAGES;
  return isRight ? [] : [`${query}: ${found.length} of ${wanted.length}, cursor ${cursor}`];
};

const STRIDE = sized(7, isSecondDatabase ? 7 : 1);
const SORTS = Object.keys(keys).flatMap((name) => [name, `-${name}`]);

test('each combination of filters lists its devices in each order, page by page', async () => {
  const offences: string[] = [];
  for (const [index, filter] of filters.entries()) {
    if (index % STRIDE !== 0) continue;
    for (const step of [1, 5])
      offences.push(...(await offencesOf(filter, SORTS[(index * step) % SORTS.length]!)));
  }
  expect(offences).toEqual([]);
}, 120_000);

test.each(filters.filter((_, index) => index % 97 === 0))(
  'the total of "%s" is exact',
  async (parameters, matches) => {
    const { total } = await read([parameters, 'total=true&limit=1'].filter(Boolean).join('&'));
    expect(total).toBe(shapes.filter(matches).length);
  },
);

test.skipIf(isSecondDatabase)('the rare value of a filter is looked up, not the common one', async () => {
  const { db } = service.service.parts;
  const filter = { state: ['online' as const], type: ['gateway'] };
  const { where } = await filterConditions(db, filter, { only: null, nowMs: now });
  const devices = db.selectFrom('device').select('id').orderBy('name_key').orderBy('id');
  const matching = devices.where((is) => is.and(where));
  const compiled = matching.compile();
  const explain = CompiledQuery.raw(`explain query plan ${compiled.sql}`, [...compiled.parameters]);
  const { rows } = await db.executeQuery<{ detail: string }>(explain);
  expect(rows.map(({ detail }) => detail).join()).toMatch(
    /^SEARCH device USING INDEX device_by_type\w+ \(type=/,
  );
});

// PostgreSQL reads in a process of its own.
describe.skipIf(isSecondDatabase)('a list that checks many devices', () => {
  const NONE = { type: ['pump'], tag: ['line:odd'], sort: '-createdAt' as const, limit: 50 };
  const start = (isAwaited = () => true) =>
    createDeviceList(service.service.parts.db, { turnMs: 0 })(NONE, {
      only: null,
      nowMs: now,
      isAwaited,
      group: '',
    });

  test('lets other work run between', async () => {
    let [isRunning, iterations] = [true, 0];
    const count = () => {
      iterations += 1;
      if (isRunning) setImmediate(count);
    };
    setImmediate(count);
    expect((await start()).rows).toEqual([]);
    isRunning = false;
    expect(iterations).toBeGreaterThan(2);
  });

  test('ends when nobody waits for it', async () => {
    await expect(start(() => false)).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('contains a device once that moves behind the scan', async () => {
    const { db } = service.service.parts;
    const list = createDeviceList(db, { turnMs: 0 });
    const query = { q: '59', sort: 'lastSeenAt' as const };
    const [first] = (
      await list({ ...query, limit: 1 }, { only: null, nowMs: now, isAwaited: () => true, group: '' })
    ).rows;
    const move = () =>
      db.updateTable('device').set({ last_seen_at: now }).where('id', '=', first!.id).execute();
    let turns = 0;
    const isAwaited = () => {
      turns += 1;
      if (turns === 1) void move();
      return true;
    };
    const { rows } = await list({ ...query, limit: 500 }, { only: null, nowMs: now, isAwaited, group: '' });
    expect(turns).toBeGreaterThan(1);
    expect(rows[0]?.id).toBe(first?.id);
    expect(rows).toHaveLength(shapes.filter(({ name, externalId }) => /59/.test(name + externalId)).length);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  test('waits for others, and is rejected if many wait', async () => {
    const list = createDeviceList(service.service.parts.db, { turnMs: 0 });
    const lists = Array.from({ length: 40 }, () =>
      list(NONE, { only: null, nowMs: now, isAwaited: () => true, group: '' }),
    );
    const ends = await Promise.allSettled(lists);
    const rejected = ends.filter(({ status }) => status === 'rejected');
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected.length).toBeLessThan(10);
    for (const end of rejected) expect(end).toMatchObject({ reason: { code: 'overloaded' } });
  });
});
