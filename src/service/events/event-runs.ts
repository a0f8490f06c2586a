import type { ListedEvent } from '#contract/events.ts';
import { RUN_LENGTH, runKeyOf } from '#contract/event-runs.ts';

type Run<Row> = {
  key: string | null;
  count: number;
  ends: [ListedEvent, ListedEvent];
  rows: Row[];
  last: Row;
};
/** An entry of the list, and the last row that it stands for. */
type Entry<Row> = { event: ListedEvent; last: Row };

const entriesOf = <Row>(
  { count, ends, rows, last }: Run<Row>,
  eventOf: (row: Row) => ListedEvent,
): Entry<Row>[] => {
  if (count < RUN_LENGTH) return rows.map((row) => ({ event: eventOf(row), last: row }));
  const [firstAt = '', lastAt = ''] = ends.map(({ at }) => at).toSorted();
  return [{ event: { ...ends[0], run: { count, firstAt, lastAt } }, last }];
};

/** Collects rows of the log in their order, and makes one entry of each run. */
export const createRuns = <Row>(eventOf: (row: Row) => ListedEvent) => {
  const runs: Run<Row>[] = [];
  return {
    /** The number of runs and single events. The last one may continue. */
    length: (): number => runs.length,
    add: (row: Row): void => {
      const event = eventOf(row);
      const key = runKeyOf(event);
      const current = runs.at(-1);
      if (current === undefined || key === null || current.key !== key)
        return void runs.push({ key, count: 1, ends: [event, event], rows: [row], last: row });
      current.count += 1;
      current.ends[1] = event;
      current.last = row;
      if (current.rows.length < RUN_LENGTH) current.rows.push(row);
    },
    entries: (): Entry<Row>[] => runs.flatMap((run) => entriesOf(run, eventOf)),
  };
};
