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

/** Joins the runs that pages and the stream have split: entries of one type in a row within a minute, newest first. */
export const collapseRuns = (entries: readonly ListedEvent[]): ListedEvent[] => {
  const groups: { key: string | null; alike: ListedEvent[] }[] = [];
  for (const entry of entries) {
    const key = runKeyOf(entry);
    const current = groups.at(-1);
    if (key !== null && current?.key === key) current.alike.push(entry);
    else groups.push({ key, alike: [entry] });
  }
  return groups.flatMap(({ alike }) => {
    const count = alike.reduce((sum, entry) => sum + countOf(entry), 0);
    return count < RUN_LENGTH ? alike : [{ ...alike[0]!, run: { count, ...rangeOf(alike) } }];
  });
};

/** Whether an event of the stream is part of a run that was read. */
export const isInRun = (event: ListedEvent, { type, run }: Run): boolean =>
  event.type === type && event.at >= run.firstAt && event.at <= run.lastAt;
