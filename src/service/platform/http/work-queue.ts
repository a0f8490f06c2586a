import { overloaded } from './http-problem.ts';

type Options = {
  maxRunning: number;
  maxWaiting: number;
  /** What the tasks are, in the plural. */
  tasks: string;
};

/** Runs long tasks, a few at a time. @throws HttpProblem `overloaded` if too many wait */
export const createWorkQueue = ({ maxRunning, maxWaiting, tasks }: Options) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (waiting.length >= maxWaiting)
      throw overloaded(`Too many ${tasks} are in progress. Send the request again in a second.`);
    // A task that ends passes its place to the next one.
    if (running < maxRunning) running += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};
