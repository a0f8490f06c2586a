import type { IsAwaited } from './awaited.ts';
import { overloaded, type HttpProblem } from './http-problem.ts';

/** A read that may wait in a queue. `group`: see `actorGroupOf`. */
export type QueuedRead = { readonly isAwaited: IsAwaited; readonly group: string };

type Options = {
  maxRunning: number;
  maxWaiting: number;
  /** What the tasks are, in the plural. */
  tasks: string;
};

type Waiting = { begin: () => void; reject: (problem: HttpProblem) => void };

/**
 * Runs long tasks, a few at a time. Groups take turns: after a task of a group begins, the other groups come before its next
 * one. In a full queue, a new task replaces the last one of the largest group, if that group has at least two more tasks than its
 * own; otherwise it is rejected. @throws HttpProblem `overloaded`
 */
export const createWorkQueue = ({ maxRunning, maxWaiting, tasks }: Options) => {
  let running = 0;
  /** By group, in the order of their turns. */
  const waiting = new Map<string, Waiting[]>();

  const tooMany = (): HttpProblem =>
    overloaded(`Too many ${tasks} are in progress. Send the request again in a second.`);

  /** Makes room for another task of a group. */
  const makeRoom = (own: readonly Waiting[]): void => {
    const groups = [...waiting.values()];
    if (groups.reduce((sum, { length }) => sum + length, 0) < maxWaiting) return;
    const largest = groups.reduce((one, other) => (other.length > one.length ? other : one), []);
    if (largest.length < own.length + 2) throw tooMany();
    largest.pop()?.reject(tooMany());
  };

  const waitForTurn = (group: string): Promise<void> => {
    const own = waiting.get(group) ?? [];
    makeRoom(own);
    return new Promise((begin, reject) => {
      own.push({ begin, reject });
      waiting.set(group, own);
    });
  };

  const takeNext = (): Waiting | undefined => {
    for (const [group, [next, ...others]] of waiting) {
      waiting.delete(group);
      if (others.length > 0) waiting.set(group, others);
      return next;
    }
    return undefined;
  };

  /** `group`: tasks of different groups take turns. */
  return async <T>(task: () => Promise<T>, group = ''): Promise<T> => {
    // A task that ends passes its place to the next one.
    if (running < maxRunning) running += 1;
    else await waitForTurn(group);
    try {
      return await task();
    } finally {
      const next = takeNext();
      if (next === undefined) running -= 1;
      else next.begin();
    }
  };
};
