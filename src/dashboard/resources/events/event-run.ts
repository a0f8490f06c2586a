import type { ListedEvent } from '#contract/events.ts';

/** An entry that stands for several events. */
export type Run = ListedEvent & { run: NonNullable<ListedEvent['run']> };

export const isRun = (entry: ListedEvent): entry is Run => entry.run !== undefined;

/** The range of times that holds the events of a run; its end is exclusive. */
export const rangeOfRun = ({ run }: Run): { from: string; to: string } => ({
  from: run.firstAt,
  to: new Date(Date.parse(run.lastAt) + 1).toISOString(),
});

/** Identifies the row of an entry. A run takes the ID of its newest event, which changes as the run grows. */
export const rowIdOf = (entry: ListedEvent): string => {
  if (!isRun(entry)) return entry.id;
  const { type, run, actor } = entry;
  return [type, run.firstAt, ...(actor === null ? [] : [actor.id])].join(' ');
};
