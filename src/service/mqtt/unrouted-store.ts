import { sql, type Selectable } from 'kysely';
import type * as z from 'zod';
import { foldCase } from '#contract/fold-case.ts';
import { topicFilterOf } from '#contract/topic-filter.ts';
import type { UnroutedTopic, unroutedApi } from '#contract/unrouted.ts';
import { findFact, setFact, type Db } from '../platform/storage/database.ts';
import { groupTopics } from './group-topics.ts';
import type { UnroutedTopicTable } from './unrouted-topic-table.ts';
import { pageBy, pageInMemory, type Ordering } from '../platform/storage/keyset.ts';
import { contains } from '../platform/http/search.ts';
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

const MAX_TOPIC_FILTERS = 2_000;
const MAX_CLIENTS = 10;
/** The rows of a group that are read whole, for its clients and its last message. */
const ROWS_PER_GROUP = 10;
/** Name of the fact that counts messages whose topic filters are no longer listed. */
const OTHERS_FACT = 'unrouted-others';

/** Distinct client names, latest first. */
export const mergeClients = (latest: readonly string[], earlier: readonly string[]): string[] =>
  [...new Set([...latest, ...earlier])].slice(0, MAX_CLIENTS);

const clientsOf = (row: Pick<Selectable<UnroutedTopicTable>, 'clients'>): string[] =>
  JSON.parse(row.clients) as string[];

const countOthers = async (db: Db): Promise<number> => Number((await findFact(db, OTHERS_FACT)) ?? 0);

const deleteRows = async (
  tx: Db,
  rows: readonly Pick<Selectable<UnroutedTopicTable>, 'topic_filter'>[],
): Promise<void> => {
  for (const some of slicesOf(rows, VALUES_PER_QUERY))
    await tx
      .deleteFrom('unrouted_topic')
      .where(
        'topic_filter',
        'in',
        some.map(({ topic_filter }) => topic_filter),
      )
      .execute();
};

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
  await deleteRows(tx, oldest);
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
  topics: 1,
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

type Query = z.output<typeof unroutedApi.list.query>;

const chosenRows = (db: Db, { q }: Pick<Query, 'q'>) => {
  const rows = db.selectFrom('unrouted_topic');
  return q === undefined ? rows : rows.where(contains('unrouted_topic.search_key', q));
};

/** A page of groups of topic filters. The payloads of the page alone are read. */
const listGroups = async (db: Db, query: Query) => {
  const rows = await chosenRows(db, query)
    .select(['topic_filter as topicFilter', 'messages', 'first_at', 'last_at'])
    .execute();
  const groups = groupTopics(rows).map(({ topicFilter, members }) => ({
    topic_filter: topicFilter,
    members: members.toSorted((a, b) => b.last_at - a.last_at),
    messages: members.reduce((sum, { messages }) => sum + messages, 0),
    first_at: Math.min(...members.map(({ first_at }) => first_at)),
    last_at: Math.max(...members.map(({ last_at }) => last_at)),
  }));
  const { rows: shown, ...page } = pageInMemory(groups, ordering, query);
  const latest = shown.flatMap(({ members }) => members.slice(0, ROWS_PER_GROUP));
  const known = new Map<string, Selectable<UnroutedTopicTable>>();
  for (const some of slicesOf(latest, VALUES_PER_QUERY))
    for (const row of await db
      .selectFrom('unrouted_topic')
      .selectAll()
      .where(
        'topic_filter',
        'in',
        some.map(({ topicFilter }) => topicFilter),
      )
      .execute())
      known.set(row.topic_filter, row);
  const data = shown.flatMap(({ members, ...group }) => {
    const found = members.flatMap(({ topicFilter }) => known.get(topicFilter) ?? []);
    const [last] = found;
    // Deleted since.
    if (last === undefined) return [];
    const clients = [...new Set(found.flatMap(clientsOf))].slice(0, MAX_CLIENTS);
    return [
      { ...unroutedOf({ ...last, ...group, clients: JSON.stringify(clients) }), topics: members.length },
    ];
  });
  return { data, ...page };
};

const listTopics = async (db: Db, query: Query) => {
  const { rows, ...page } = await pageBy(chosenRows(db, query).selectAll('unrouted_topic'), ordering, query);
  return { data: rows.map(unroutedOf), ...page };
};

export const listUnrouted = async (db: Db, query: Query) => ({
  ...(await (query.grouped ? listGroups(db, query) : listTopics(db, query))),
  others: { messages: await countOthers(db) },
});

/** Deletes the topic filters that match any of the filters. Returns their number. */
export const deleteMatching = async (tx: Db, topicFilters: readonly string[]): Promise<number> => {
  const filters = new Set(topicFilters);
  const matches = [...filters].map(topicFilterOf);
  const rows = await tx.selectFrom('unrouted_topic').select('topic_filter').execute();
  const matching = rows.filter(
    ({ topic_filter }) =>
      filters.has(topic_filter) || matches.some((match) => match(topic_filter) !== undefined),
  );
  await deleteRows(tx, matching);
  return matching.length;
};

/** Deletes all topic filters and the count of other messages. Returns the number of deleted topic filters. */
export const deleteAllUnrouted = async (tx: Db): Promise<number> => {
  await setFact(tx, OTHERS_FACT, '0');
  const { numDeletedRows } = await tx.deleteFrom('unrouted_topic').executeTakeFirstOrThrow();
  return Number(numDeletedRows);
};

/** The topic filters with messages after `afterMs`, without the messages. */
export const listRecentUnrouted = (db: Db, afterMs: number) =>
  db
    .selectFrom('unrouted_topic')
    .select(['topic_filter', 'topic', 'messages', 'first_at', 'last_at'])
    .where('last_at', '>', afterMs)
    .orderBy('last_at', 'desc')
    .execute();
