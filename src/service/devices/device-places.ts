import { sql } from 'kysely';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import { slicesOf, VALUES_PER_QUERY } from '../platform/storage/slices.ts';

/** Between the places of devices that come first or last. */
const OUTER_SPACE = 2 ** 24;
/** Between the places of devices that come between others, where there is as much room. */
const INNER_SPACE = 2 ** 10;
/** Neighbours on each side that move first to make room for a device, and the space between places that they then need. */
const MOVED_PER_SIDE = 32;
const MOVED_SPACE = 2 ** 6;
/** Each wider range must have this many times more space between places, so that its devices seldom move again. */
const WIDER = 4;

type NamedDevice = { seq: number; name_key: string; id: string };
type Placed = { place: number; seq: number };

/** The order of texts in SQLite. */
const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const compareNames = (a: Omit<NamedDevice, 'seq'>, b: Omit<NamedDevice, 'seq'>): number =>
  compareTexts(a.name_key, b.name_key) || compareTexts(a.id, b.id);

/** The devices among these IDs that have no place and are not deleted, in the order of names. */
const findUnplaced = async (db: Db, ids: readonly string[]): Promise<NamedDevice[]> => {
  const found: NamedDevice[] = [];
  for (const slice of slicesOf(ids, VALUES_PER_QUERY))
    found.push(
      ...(await db
        .selectFrom('device')
        .leftJoin('device_place', 'device_place.seq', 'device.seq')
        .select(['device.seq', 'name_key', 'id'])
        .where('id', 'in', slice)
        .where('deleted_at', 'is', null)
        .where('place', 'is', null)
        .execute()),
    );
  return found.toSorted(compareNames);
};

/** The next devices with a place before and after a name. The index of names is read up to them. */
const neighboursOf = async (db: Db, { name_key, id }: NamedDevice) => {
  const next = (operator: '<' | '>', direction: 'asc' | 'desc') => sql`
    select place, name_key, id from device cross join device_place on device_place.seq = device.seq
    where deleted_at is null and (name_key, id) ${sql.raw(operator)} (${name_key}, ${id})
    order by name_key ${sql.raw(direction)}, id ${sql.raw(direction)} limit 1`;
  const { rows } = await sql<Omit<NamedDevice, 'seq'> & { place: number; side: 'before' | 'after' }>`
    select 'before' as side, * from (${next('<', 'desc')}) union all
    select 'after' as side, * from (${next('>', 'asc')})`.execute(db);
  return {
    before: rows.find(({ side }) => side === 'before'),
    after: rows.find(({ side }) => side === 'after'),
  };
};

/** Devices at evenly spaced places, from the first place on. */
const spread = (seqs: readonly number[], first: number, space: number): Placed[] =>
  seqs.map((seq, index) => ({ seq, place: first + index * space }));

/** Places for devices between two others; undefined: there is not enough room. */
const placesBetween = (
  seqs: readonly number[],
  before: number | undefined,
  after: number | undefined,
): Placed[] | undefined => {
  if (after === undefined) return spread(seqs, (before ?? 0) + OUTER_SPACE, OUTER_SPACE);
  if (before === undefined) return spread(seqs, after - seqs.length * OUTER_SPACE, OUTER_SPACE);
  const space = Math.min(INNER_SPACE, Math.floor((after - before) / (seqs.length + 1)));
  return space === 0 ? undefined : spread(seqs, before + space, space);
};

const insertPlaces = async (db: Db, placed: readonly Placed[]): Promise<void> => {
  for (const slice of slicesOf(placed, VALUES_PER_QUERY / 2))
    await db
      .insertInto('device_place')
      .values([...slice])
      .execute();
};

/** Moves devices and their neighbours to evenly spaced places, in as wide a range as necessary. */
const makeRoom = async (db: Db, seqs: readonly number[], before: number, after: number): Promise<void> => {
  for (let [perSide, space] = [MOVED_PER_SIDE, MOVED_SPACE]; ; perSide *= WIDER, space *= WIDER) {
    const places = db.selectFrom('device_place').select(['place', 'seq']).limit(perSide);
    const below = await places.where('place', '<=', before).orderBy('place', 'desc').execute();
    const above = await places.where('place', '>=', after).orderBy('place').execute();
    const moved = [...below, ...above];
    const inOrder = [...below.toReversed().map(({ seq }) => seq), ...seqs, ...above.map(({ seq }) => seq)];
    // A side with fewer devices has the first or the last of all, beyond which there is room.
    const roomBeyond = inOrder.length * OUTER_SPACE;
    const first = (below.at(-1)?.place ?? 0) - (below.length < perSide ? roomBeyond : 0);
    const last = (above.at(-1)?.place ?? 0) + (above.length < perSide ? roomBeyond : 0);
    const available = Math.floor((last - first) / (inOrder.length - 1));
    if (available < space) continue;
    for (const slice of slicesOf(moved, VALUES_PER_QUERY))
      await db
        .deleteFrom('device_place')
        .where(
          'place',
          'in',
          slice.map(({ place }) => place),
        )
        .execute();
    return insertPlaces(db, spread(inOrder, first, available));
  }
};

/**
 * Gives devices without a place one in the order of names, where searches find them. PostgreSQL sorts matches itself.
 * Required after a device was registered, renamed or restored, in the same transaction.
 */
export const placeDevices = async (db: Db, ids: readonly string[]): Promise<void> => {
  if (isPostgres(db)) return;
  const unplaced = await findUnplaced(db, ids);
  for (let start = 0, end = 0; start < unplaced.length; start = end) {
    const { before, after } = await neighboursOf(db, unplaced[start]!);
    const isBeforeNext = (device?: NamedDevice) =>
      device !== undefined && (after === undefined || compareNames(device, after) < 0);
    while (isBeforeNext(unplaced[end])) end += 1;
    const seqs = unplaced.slice(start, end).map(({ seq }) => seq);
    const placed = placesBetween(seqs, before?.place, after?.place);
    if (placed !== undefined) await insertPlaces(db, placed);
    else await makeRoom(db, seqs, before?.place ?? 0, after?.place ?? 0);
  }
};
