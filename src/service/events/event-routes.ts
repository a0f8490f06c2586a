import type * as z from 'zod';
import { eventsApi, type Event } from '#contract/events.ts';
import { describeRangeEnd, parseRangeEnd } from '#contract/time-range.ts';
import type { Selectable, SelectQueryBuilder } from 'kysely';
import { invalidParameter } from '../platform/http/http-problem.ts';
import { route } from '../platform/http/route.ts';
import type { Db, Schema } from '../platform/storage/database.ts';
import { createRuns } from './event-runs.ts';
import type { EventTable } from './event-table.ts';
import { cursorAfter, pageBy, type Ordering } from '../platform/storage/keyset.ts';
import { toIsoTime } from '../platform/iso-time.ts';

const ordering: Ordering<'event'> = {
  columns: { at: { integer: 'event.at' } },
  fallback: '-at',
  id: 'event.id',
};

const eventOf = (row: Selectable<EventTable>): Event => ({
  id: row.id,
  at: toIsoTime(row.at),
  type: row.type,
  subject: { type: row.subject_type, id: row.subject_id, name: row.subject_name },
  actor:
    row.actor_type === null
      ? null
      : { type: row.actor_type, id: row.actor_id ?? '', name: row.actor_name ?? '' },
  data: JSON.parse(row.data) as Event['data'],
});

/**
 * Lists events after a given one, oldest first, and the position of the last of them; undefined if the given one is unknown or
 * more than `limit` events follow.
 */
export const eventsAfter = async (
  db: Db,
  id: string,
  limit: number,
): Promise<{ events: Event[]; lastSeq: number } | undefined> => {
  const last = await db.selectFrom('event').select('seq').where('id', '=', id).executeTakeFirst();
  if (last === undefined) return undefined;
  const rows = await db
    .selectFrom('event')
    .selectAll()
    .where('seq', '>', last.seq)
    .orderBy('seq')
    .limit(limit + 1)
    .execute();
  if (rows.length > limit) return undefined;
  return { events: rows.map(eventOf), lastSeq: Number(rows.at(-1)?.seq ?? last.seq) };
};

/** Lists events after a position of the log, oldest first. */
export const eventsSince = async (
  db: Db,
  seq: number,
  limit: number,
): Promise<{ event: Event; seq: number }[]> => {
  const rows = await db
    .selectFrom('event')
    .selectAll()
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ event: eventOf(row), seq: Number(row.seq) }));
};

/** The position of the newest event; 0 if there are none. */
export const lastEventSeq = async (db: Db): Promise<number> => {
  const last = await db.selectFrom('event').select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirst();
  return Number(last?.seq ?? 0);
};

/** The ID of the newest event; undefined if there are none. */
export const lastEventId = async (db: Db): Promise<string | undefined> =>
  (await db.selectFrom('event').select('id').orderBy('seq', 'desc').limit(1).executeTakeFirst())?.id;

type Rows = SelectQueryBuilder<Schema, 'event', Selectable<EventTable>>;
type ListQuery = z.output<typeof eventsApi.list.query>;

/** Rows read at a time, and for one page: thousands of devices may change their state at once. */
const ROWS_PER_READ = 1_000;
const MAX_ROWS = 4_000;

/** A page of events in which each run is one entry. */
const listRuns = async (rows: Rows, query: ListQuery) => {
  const runs = createRuns<Selectable<EventTable>>(eventOf);
  let page = await pageBy(rows, ordering, { ...query, limit: ROWS_PER_READ });
  const { total } = page;
  let read = 0;
  for (;;) {
    for (const row of page.rows) runs.add(row);
    read += page.rows.length;
    // The runs may continue.
    if (page.nextCursor === null || runs.least() > query.limit || read >= MAX_ROWS) break;
    page = await pageBy(rows, ordering, {
      ...query,
      total: false,
      limit: ROWS_PER_READ,
      cursor: page.nextCursor,
    });
  }
  const { data, last, hasMore } = runs.page(query.limit);
  return {
    data,
    nextCursor:
      (hasMore || page.nextCursor !== null) && last !== undefined ? cursorAfter(ordering, query, last) : null,
    ...(total === undefined ? {} : { total }),
  };
};

export const eventRoutes = ({ db, now }: { db: Db; now: () => number }) => {
  const timeOf = (parameter: string, text: string): number => {
    const ms = parseRangeEnd(text, now());
    if (ms !== undefined) return ms;
    throw invalidParameter(parameter, 'invalid', describeRangeEnd(text));
  };
  return [
    route(
      eventsApi.list,
      async ({ query }) => {
        let rows = db.selectFrom('event').selectAll('event');
        if (query.type !== undefined) rows = rows.where('type', 'in', query.type);
        if (query.subject !== undefined) rows = rows.where('subject_id', '=', query.subject);
        if (query.from !== undefined) rows = rows.where('at', '>=', timeOf('from', query.from));
        if (query.to !== undefined) rows = rows.where('at', '<', timeOf('to', query.to));
        if (query.collapse === true) return listRuns(rows, query);
        const { rows: data, ...page } = await pageBy(rows, ordering, query);
        return { data: data.map(eventOf), ...page };
      },
      { buildsFields: true },
    ),
  ];
};
