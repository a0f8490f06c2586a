import { collapseGroups, createRunGroups, runKeyOf } from '#contract/event-runs.ts';
import type { ListedEvent } from '#contract/events.ts';

/** An entry that stands for several events. `mayContinue`: on a page that was not read. */
export type Run = ListedEvent & { run: NonNullable<ListedEvent['run']> & { mayContinue?: boolean } };

export const isRun = (entry: ListedEvent): entry is Run => entry.run !== undefined;

/** The range of times that holds the events of a run; its end is exclusive. */
export const rangeOfRun = ({ run }: Run): { from: string; to: string } => ({
  from: run.firstAt,
  to: new Date(Date.parse(run.lastAt) + 1).toISOString(),
});

const MINUTE_MS = 60_000;
const minuteOf = (run: Run): number => Math.floor(Date.parse(run.run.firstAt) / MINUTE_MS);

/** Marks the runs that may continue after the page, which has fewer entries than requested: those of its earliest minute. */
export const markContinued = (entries: readonly ListedEvent[]): ListedEvent[] => {
  const earliest = Math.min(...entries.filter(isRun).map(minuteOf));
  return entries.map((entry) =>
    isRun(entry) && minuteOf(entry) === earliest
      ? { ...entry, run: { ...entry.run, mayContinue: true } }
      : entry,
  );
};

/** Joins the runs that pages and the stream have split. */
export const collapseRuns = (entries: readonly ListedEvent[]): ListedEvent[] => {
  const groups = createRunGroups();
  return collapseGroups(entries.map((event) => ({ event, group: groups.groupOf(event) })));
};

/** Whether an event is part of a run. */
export const isInRun = (event: ListedEvent, entry: Run): boolean =>
  runKeyOf(event) === runKeyOf(entry) && event.at >= entry.run.firstAt && event.at <= entry.run.lastAt;

/**
 * Identifies a run by what its events have in common: its newest event and its range change as the stream and further pages
 * add events.
 */
export const runIdOf = (run: Run): string => runKeyOf(run) ?? run.id;

/** The IDs of rows by entry, newest first. Runs with the same key, between which is another event, are numbered. */
export const rowIdsOf = (entries: readonly ListedEvent[]): string[] => {
  const runs = new Map<string, number>();
  return entries.map((entry) => {
    if (!isRun(entry)) return entry.id;
    const id = runIdOf(entry);
    const number = (runs.get(id) ?? 0) + 1;
    runs.set(id, number);
    return number === 1 ? id : `${id} ${number}`;
  });
};
