import { collapseGroups, createRunGroups, runKeyOf } from '#contract/event-runs.ts';
import type { ListedEvent } from '#contract/events.ts';

/** An entry that stands for several events. */
export type Run = ListedEvent & { run: NonNullable<ListedEvent['run']> };

export const isRun = (entry: ListedEvent): entry is Run => entry.run !== undefined;

/** The range of times that holds the events of a run; its end is exclusive. */
export const rangeOfRun = ({ run }: Run): { from: string; to: string } => ({
  from: run.firstAt,
  to: new Date(Date.parse(run.lastAt) + 1).toISOString(),
});

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
