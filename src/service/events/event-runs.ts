import type { ListedEvent } from '#contract/events.ts';
import { RUN_LENGTH, runKeyOf } from '#contract/event-runs.ts';

/** Rows with the same key between two events without a key. An event without a key is alone. */
type Group = { count: number; first: ListedEvent; last: ListedEvent };
type Member<Row> = { row: Row; event: ListedEvent; group: Group };

/** The number of entries that show so many events of a group. */
const entriesOf = (count: number): number => (count < RUN_LENGTH ? count : 1);

const runOf = ({ count, first, last }: Group): ListedEvent => {
  const [firstAt = '', lastAt = ''] = [first.at, last.at].toSorted();
  return { ...first, run: { count, firstAt, lastAt } };
};

/** Collects rows of the log in their order, and makes one entry of each run. */
export const createRuns = <Row>(eventOf: (row: Row) => ListedEvent) => {
  const members: Member<Row>[] = [];
  /** The groups since the last event without a key. */
  const open = new Map<string, Group>();
  let groups = 0;

  const groupOf = (event: ListedEvent): Group => {
    const key = runKeyOf(event);
    if (key === null) open.clear();
    const known = open.get(key ?? '');
    if (known !== undefined) return known;
    groups += 1;
    const group = { count: 0, first: event, last: event };
    if (key !== null) open.set(key, group);
    return group;
  };

  /** The longest start of the rows that `limit` entries show. */
  const fitting = (limit: number): Member<Row>[] => {
    const counts = new Map<Group, number>();
    let entries = 0;
    let length = 0;
    for (const [index, { group }] of members.entries()) {
      const before = counts.get(group) ?? 0;
      counts.set(group, before + 1);
      entries += entriesOf(before + 1) - entriesOf(before);
      if (entries <= limit) length = index + 1;
    }
    return members.slice(0, length);
  };

  return {
    /** The least number of entries that show the rows and those that follow. */
    least: (): number => groups,
    add: (row: Row): void => {
      const event = eventOf(row);
      members.push({ row, event, group: groupOf(event) });
    },
    /** At most `limit` entries, and the last row that they stand for. `hasMore`: not all rows are in them. */
    page: (limit: number): { data: ListedEvent[]; last: Row | undefined; hasMore: boolean } => {
      const shown = fitting(limit);
      for (const { event, group } of shown) {
        group.count += 1;
        group.last = event;
      }
      const data = shown.flatMap(({ event, group }) =>
        group.count < RUN_LENGTH ? event : event === group.first ? runOf(group) : [],
      );
      return { data, last: shown.at(-1)?.row, hasMore: shown.length < members.length };
    },
  };
};
