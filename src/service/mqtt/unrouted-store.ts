import { sql, type Selectable } from 'kysely';
import type * as z from 'zod';
import { foldCase } from '#contract/text.ts';
import type { UnroutedTopic, unroutedApi } from '#contract/unrouted.ts';
import { findFact, setFact, type Db } from '../platform/storage/database.ts';
import type { UnroutedTopicTable } from './unrouted-topic-table.ts';
import { contains, pageBy, type Ordering } from '../platform/storage/keyset.ts';
import { ROWS_PER_INSERT, slicesOf, VALUES_PER_QUERY } from '../platform/storage/slices.ts';
import { toIsoTime } from '../platform/iso-time.ts';

/** Messages of a topic filter that are not written yet. Times are epoch ms. */
export type UnroutedTally = {
  readonly topicFilter: string;
  messages: number;
  readonly firstAt: number;
  lastAt: number;
  /** User names, latest first. */
  clients: readonly string[];
  last: {
    readonly topic: string;
    /** Null: binary. */
    readonly payload: string | null;
    readonly bytes: number;
    readonly isTruncated: boolean;
    readonly isRetained: boolean;
  };
};

const MAX_TOPIC_FILTERS = 1_000;
const MAX_CLIENTS = 10;
/** Name of the fact that counts messages whose topic filters are no longer listed. */
const OTHERS_FACT = 'unrouted-others';

/** Distinct client names, latest first. */
export const mergeClients = (latest: readonly string[], earlier: readonly string[]): string[] =>
  [...new Set([...latest, ...earlier])].slice(0, MAX_CLIENTS);

const clientsOf = (row: Pick<Selectable<UnroutedTopicTable>, 'clients'>): string[] =>
  JSON.parse(row.clients) as string[];

const countOthers = async (db: Db): Promise<number> => Number((await findFact(db, OTHERS_FACT)) ?? 0);

/** Deletes the topic filters with the oldest last messages above the limit. Returns the number of their messages. */
const trim = async (tx: Db): Promise<number> => {
  const counted = await tx
    .selectFrom('unrouted_topic')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  const excess = Number(counted.count) - MAX_TOPIC_FILTERS;
  if (excess <= 0) return 0;
  const oldest = await tx
    .selectFrom('unrouted_topic')
    .select(['topic_filter', 'messages'])
    .orderBy('last_at')
    .orderBy('topic_filter')
    .limit(excess)
    .execute();
  for (const some of slicesOf(oldest, VALUES_PER_QUERY))
    await tx
      .deleteFrom('unrouted_topic')
      .where(
        'topic_filter',
        'in',
        some.map(({ topic_filter }) => topic_filter),
      )
      .execute();
  return oldest.reduce((sum, { messages }) => sum + messages, 0);
};

/**
 * Adds messages to their topic filters, in the transaction of the caller. `others`: messages without a topic filter.
 */
export const addUnrouted = async (
  tx: Db,
  tallies: readonly UnroutedTally[],
  others: number,
): Promise<void> => {
  const earlier = new Map<string, string[]>();
  for (const some of slicesOf(tallies, VALUES_PER_QUERY))
    for (const row of await tx
      .selectFrom('unrouted_topic')
      .select(['topic_filter', 'clients'])
      .where(
        'topic_filter',
        'in',
        some.map(({ topicFilter }) => topicFilter),
      )
      .execute())
      earlier.set(row.topic_filter, clientsOf(row));
  for (const some of slicesOf(tallies, ROWS_PER_INSERT))
    await tx
      .insertInto('unrouted_topic')
      .values(
        some.map(({ topicFilter, messages, firstAt, lastAt, clients, last }) => ({
          topic_filter: topicFilter,
          search_key: foldCase(topicFilter),
          messages,
          first_at: firstAt,
          last_at: lastAt,
          clients: JSON.stringify(mergeClients(clients, earlier.get(topicFilter) ?? [])),
          topic: last.topic,
          payload: last.payload,
          payload_bytes: last.bytes,
          is_truncated: last.isTruncated ? 1 : 0,
          is_retained: last.isRetained ? 1 : 0,
        })),
      )
      .onConflict((conflict) =>
        conflict.column('topic_filter').doUpdateSet((eb) => ({
          messages: sql<number>`${eb.ref('unrouted_topic.messages')} + ${eb.ref('excluded.messages')}`,
          last_at: eb.ref('excluded.last_at'),
          clients: eb.ref('excluded.clients'),
          topic: eb.ref('excluded.topic'),
          payload: eb.ref('excluded.payload'),
          payload_bytes: eb.ref('excluded.payload_bytes'),
          is_truncated: eb.ref('excluded.is_truncated'),
          is_retained: eb.ref('excluded.is_retained'),
        })),
      )
      .execute();
  const left = others + (await trim(tx));
  if (left > 0) await setFact(tx, OTHERS_FACT, String((await countOthers(tx)) + left));
};

const unroutedOf = (row: Selectable<UnroutedTopicTable>): UnroutedTopic => ({
  topicFilter: row.topic_filter,
  messages: row.messages,
  firstAt: toIsoTime(row.first_at),
  lastAt: toIsoTime(row.last_at),
  clients: clientsOf(row),
  lastMessage: {
    topic: row.topic,
    payload: row.payload,
    bytes: row.payload_bytes,
    truncated: row.is_truncated === 1,
    retained: row.is_retained === 1,
  },
});

const ordering: Ordering<'unrouted_topic'> = {
  columns: {
    lastAt: { integer: 'unrouted_topic.last_at' },
    firstAt: { integer: 'unrouted_topic.first_at' },
    messages: { integer: 'unrouted_topic.messages' },
    topicFilter: { text: 'unrouted_topic.topic_filter' },
  },
  fallback: '-lastAt',
  id: 'unrouted_topic.topic_filter',
};

export const listUnrouted = async (db: Db, query: z.output<typeof unroutedApi.list.query>) => {
  let rows = db.selectFrom('unrouted_topic').selectAll('unrouted_topic');
  if (query.q !== undefined) rows = rows.where(contains('unrouted_topic.search_key', query.q));
  const { rows: data, ...page } = await pageBy(rows, ordering, query);
  return { data: data.map(unroutedOf), ...page, others: { messages: await countOthers(db) } };
};

/** Deletes one topic filter, or all and the count of other messages. Returns the number of deleted topic filters. */
export const deleteUnrouted = async (tx: Db, topicFilter: string | undefined): Promise<number> => {
  let rows = tx.deleteFrom('unrouted_topic');
  if (topicFilter === undefined) await setFact(tx, OTHERS_FACT, '0');
  else rows = rows.where('topic_filter', '=', topicFilter);
  const { numDeletedRows } = await rows.executeTakeFirstOrThrow();
  return Number(numDeletedRows);
};
