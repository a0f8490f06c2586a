import type { Insertable, Selectable, Updateable } from 'kysely';
import type * as z from 'zod';
import { destinationSchema, type Destination, type destinationsApi } from '#contract/destinations.ts';
import { foldCase } from '#contract/fold-case.ts';
import { notFound } from '../../platform/http/http-problem.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { DestinationTable } from './destination-table.ts';
import { pageBy, type Ordering } from '../../platform/storage/keyset.ts';
import { contains } from '../../platform/http/search.ts';
import { lastErrorOf } from '../../platform/storage/last-error.ts';
import { toIsoTime, toIsoTimeOrNull } from '../../platform/iso-time.ts';

export type DestinationRow = Selectable<DestinationTable>;

const { options: optionsSchema, state: stateSchema } = destinationSchema.shape;
export const optionsOf = (row: Pick<DestinationRow, 'options'>) =>
  optionsSchema.parse(JSON.parse(row.options));
export const stateOf = (row: Pick<DestinationRow, 'state'>) => stateSchema.parse(row.state);

/** The API model of a destination, without its secrets. */
export const destinationOf = (row: DestinationRow, usedBy: number): Destination => ({
  id: row.id,
  name: row.name,
  type: row.type,
  url: row.url,
  options: optionsOf(row),
  state: stateOf(row),
  lastError: lastErrorOf(row),
  lastDeliveredAt: toIsoTimeOrNull(row.last_delivered_at),
  usedBy,
  createdAt: toIsoTime(row.created_at),
  updatedAt: toIsoTime(row.updated_at),
});

const ordering: Ordering<'destination'> = {
  columns: {
    name: { text: 'destination.name_key' },
    type: { text: 'destination.type' },
    state: { text: 'destination.state' },
    createdAt: { integer: 'destination.created_at' },
  },
  fallback: 'name',
  id: 'destination.id',
};

export const listDestinations = (db: Db, query: z.output<typeof destinationsApi.list.query>) => {
  let rows = db.selectFrom('destination').selectAll('destination');
  if (query.q) rows = rows.where(contains('name_key', query.q));
  return pageBy(rows, ordering, query);
};

export const listAllDestinations = (db: Db): Promise<DestinationRow[]> =>
  db.selectFrom('destination').selectAll().orderBy('id').execute();

export const findDestination = (db: Db, id: string): Promise<DestinationRow | undefined> =>
  db.selectFrom('destination').selectAll().where('id', '=', id).executeTakeFirst();

export const getDestination = async (db: Db, id: string): Promise<DestinationRow> => {
  const row = await findDestination(db, id);
  if (row === undefined) throw notFound('destination');
  return row;
};

export const findDestinationByName = (db: Db, name: string): Promise<DestinationRow | undefined> =>
  db.selectFrom('destination').selectAll().where('name_key', '=', foldCase(name)).executeTakeFirst();

export const insertDestination = async (db: Db, row: Insertable<DestinationTable>): Promise<void> => {
  await db.insertInto('destination').values(row).execute();
};

export const updateDestination = async (
  db: Db,
  id: string,
  change: Updateable<DestinationTable>,
): Promise<void> => {
  await db.updateTable('destination').set(change).where('id', '=', id).execute();
};

/** Updates the observed state of a destination. This is not an edit, so the revision stays. */
export const updateDestinationState = (
  db: Db,
  id: string,
  found: Pick<Updateable<DestinationTable>, 'state' | 'last_error' | 'last_error_at' | 'last_delivered_at'>,
): Promise<void> => updateDestination(db, id, found);

export const deleteDestination = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('destination').where('id', '=', id).execute();
};

/** Counts the pipelines of each of these destinations, by `name_key`. */
export const countUsers = async (db: Db, nameKeys: readonly string[]): Promise<Map<string, number>> => {
  if (nameKeys.length === 0) return new Map();
  const rows = await db
    .selectFrom('pipeline')
    .select(({ fn }) => ['destination_key', fn.countAll().as('users')])
    .where('destination_key', 'in', nameKeys)
    .groupBy('destination_key')
    .execute();
  return new Map(rows.map(({ destination_key: key, users }) => [key, Number(users)]));
};
