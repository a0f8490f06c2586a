import type { ListedEvent } from '#contract/events.ts';
import { RUN_LENGTH, runKeyOf } from '#contract/event-runs.ts';
import type { Run } from './event-run.ts';

/** The number of events that an entry stands for. */
const countOf = ({ run }: ListedEvent): number => run?.count ?? 1;

/** The times of the earliest and the latest event of entries, newest first. */
const rangeOf = (entries: readonly ListedEvent[]) => ({
  firstAt: entries.map(({ at, run }) => run?.firstAt ?? at).at(-1) ?? '',
  lastAt: entries.map(({ at, run }) => run?.lastAt ?? at)[0] ?? '',
});

type Group = { count: number; readonly alike: ListedEvent[] };

/** Joins the runs that pages and the stream have split: entries with the same key, newest first, as the service does. */
export const collapseRuns = (entries: readonly ListedEvent[]): ListedEvent[] => {
  /** The groups since the last event that is never in a run. */
  const open = new Map<string, Group>();
  const members = entries.map((entry) => {
    const key = runKeyOf(entry);
    if (key === null) open.clear();
    const group = open.get(key ?? '') ?? { count: 0, alike: [] };
    if (key !== null) open.set(key, group);
    group.count += countOf(entry);
    group.alike.push(entry);
    return { entry, group };
  });
  return members.flatMap(({ entry, group: { count, alike } }) => {
    if (count < RUN_LENGTH) return entry;
    return entry === alike[0] ? { ...entry, run: { count, ...rangeOf(alike) } } : [];
  });
};

/** Whether an event of the stream is part of a run that was read. */
export const isInRun = (event: ListedEvent, entry: Run): boolean =>
  runKeyOf(event) === runKeyOf(entry) && event.at >= entry.run.firstAt && event.at <= entry.run.lastAt;
