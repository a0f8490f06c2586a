import {
  collapseGroups,
  createRunGroups,
  RUN_LENGTH,
  type RunGroup,
  type RunMember,
} from '#contract/event-runs.ts';
import type { ListedEvent } from '#contract/events.ts';

type Member<Row> = RunMember & { row: Row };

/** The number of entries that show so many events of a group. */
const entriesOf = (count: number): number => (count < RUN_LENGTH ? count : 1);

/** Collects rows of the log in their order, and makes one entry of each run. */
export const createRuns = <Row>(eventOf: (row: Row) => ListedEvent) => {
  const members: Member<Row>[] = [];
  const groups = createRunGroups();

  /** The longest start of the rows that `limit` entries show. */
  const fitting = (limit: number): Member<Row>[] => {
    const counts = new Map<RunGroup, number>();
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
    least: groups.count,
    add: (row: Row): void => {
      const event = eventOf(row);
      members.push({ row, event, group: groups.groupOf(event) });
    },
    /** At most `limit` entries, and the last row that they stand for. `hasMore`: not all rows are in them. */
    page: (limit: number): { data: ListedEvent[]; last: Row | undefined; hasMore: boolean } => {
      const shown = fitting(limit);
      return {
        data: collapseGroups(shown),
        last: shown.at(-1)?.row,
        hasMore: shown.length < members.length,
      };
    },
  };
};
