import { sql } from 'kysely';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import { slicesOf, VALUES_PER_QUERY } from '../platform/storage/slices.ts';

/** Between the places of devices that come first or last. */
const OUTER_SPACE = 2 ** 20;
/** Between the places of devices that come between others, where there is as much room. */
const INNER_SPACE = 2 ** 10;
/** The devices on each side that move first to make room for another. */
const MOVED = 32;

type Names = { seq: number; name_key: string; id: string };
type Placed = { place: number; seq: number };
type Neighbours = { before?: number | undefined; after?: number | undefined };

/** The order of texts in SQLite. */
const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const compareNames = (a: Omit<Names, 'seq'>, b: Omit<Names, 'seq'>): number =>
  compareTexts(a.name_key, b.name_key) || compareTexts(a.id, b.id);

const findUnplaced = async (db: Db, ids: readonly string[]): Promise<Names[]> => {
  const found: Names[] = [];
  for (const some of slicesOf(ids, VALUES_PER_QUERY))
    found.push(
      ...(await db
        .selectFrom('device')
        .select(['seq', 'name_key', 'id'])
        .where('id', 'in', some)
        .where('deleted_at', 'is', null)
        .where((is) =>
          is.not(
            is.exists(
              is.selectFrom('device_place').select('place').whereRef('device_place.seq', '=', 'device.seq'),
            ),
          ),
        )
        .execute()),
    );
  return found.toSorted(compareNames);
};

/** The next device with a place, before or after a name. The index of names is read up to it. */
const neighbourOf = async (db: Db, { name_key, id }: Names, side: 'before' | 'after') => {
  const [operator, direction] = side === 'before' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  const { rows } = await sql<Omit<Names, 'seq'> & { place: number }>`
    select place, name_key, id from device cross join device_place on device_place.seq = device.seq
    where deleted_at is null and (name_key, id) ${operator} (${name_key}, ${id})
    order by name_key ${direction}, id ${direction} limit 1`.execute(db);
  return rows[0];
};

/** Places for a number of devices between two others; undefined: there is not enough room. */
const placesBetween = (count: number, { before, after }: Neighbours): number[] | undefined => {
  const place = (first: number, space: number) =>
    Array.from({ length: count }, (_, index) => first + index * space);
  if (after === undefined) return place((before ?? 0) + OUTER_SPACE, OUTER_SPACE);
  if (before === undefined) return place(after - count * OUTER_SPACE, OUTER_SPACE);
  const space = Math.min(INNER_SPACE, Math.floor((after - before) / (count + 1)));
  return space === 0 ? undefined : place(before + space, space);
};

const insertPlaces = async (db: Db, seqs: readonly number[], places: readonly number[]): Promise<void> => {
  const rows = seqs.map((seq, index) => ({ place: places[index] ?? 0, seq }));
  for (const some of slicesOf(rows, VALUES_PER_QUERY / 2))
    await db
      .insertInto('device_place')
      .values([...some])
      .execute();
};

/** Spreads devices and their neighbours over the places of a wider surrounding. */
const makeRoom = async (db: Db, seqs: readonly number[], before: number, after: number): Promise<void> => {
  for (let moved = MOVED; ; moved *= 4) {
    const places = db.selectFrom('device_place').select(['place', 'seq']).limit(moved);
    const below = await places.where('place', '<=', before).orderBy('place', 'desc').execute();
    const above = await places.where('place', '>=', after).orderBy('place').execute();
    const row = [...below.toReversed().map(({ seq }) => seq), ...seqs, ...above.map(({ seq }) => seq)];
    const edge = (side: readonly Placed[], away: number) =>
      (side.at(-1)?.place ?? 0) + (side.length < moved ? away * row.length * OUTER_SPACE : 0);
    const [first, last] = [edge(below, -1), edge(above, 1)];
    const space = Math.floor((last - first) / (row.length - 1));
    if (space < INNER_SPACE) continue;
    for (const some of slicesOf([...below, ...above], VALUES_PER_QUERY))
      await db
        .deleteFrom('device_place')
        .where(
          'place',
          'in',
          some.map(({ place }) => place),
        )
        .execute();
    await insertPlaces(
      db,
      row,
      row.map((_, index) => first + index * space),
    );
    return;
  }
};

/**
 * Gives devices without a place one in the order of names, where searches find them. PostgreSQL sorts matches itself.
 * Required after a device was registered, renamed or restored, in the same transaction.
 */
export const placeDevices = async (db: Db, ids: readonly string[]): Promise<void> => {
  if (isPostgres(db)) return;
  let left = await findUnplaced(db, ids);
  for (let [first] = left; first !== undefined; [first] = left) {
    const before = await neighbourOf(db, first, 'before');
    const after = await neighbourOf(db, first, 'after');
    const beyond = after === undefined ? -1 : left.findIndex((device) => compareNames(device, after) > 0);
    const seqs = left.slice(0, beyond === -1 ? left.length : beyond).map(({ seq }) => seq);
    const places = placesBetween(seqs.length, { before: before?.place, after: after?.place });
    if (places !== undefined) await insertPlaces(db, seqs, places);
    else await makeRoom(db, seqs, before?.place ?? 0, after?.place ?? 0);
    left = left.slice(seqs.length);
  }
};
