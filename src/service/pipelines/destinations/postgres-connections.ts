import type { PostgresConnection } from './postgres-connection.ts';
import { raceAbort } from './race-abort.ts';

type Work<T> = (connection: PostgresConnection) => Promise<T>;

/** Keeps connections that are used by one delivery at a time, `most` at once; one that was lost is opened again. */
export const keepPostgresConnections = (
  open: (signal: AbortSignal) => Promise<PostgresConnection>,
  most: number,
) => {
  let idle: PostgresConnection[] = [];
  let waiting: (() => void)[] = [];
  let used = 0;

  const isFull = () => used >= most;
  const leave = () => {
    used -= 1;
    const all = waiting;
    waiting = [];
    for (const wake of all) wake();
  };

  return {
    use: async <T>(work: Work<T>, signal: AbortSignal): Promise<T> => {
      signal.throwIfAborted();
      while (isFull()) await raceAbort(new Promise<void>((resolve) => waiting.push(resolve)), signal);
      used += 1;
      try {
        idle = idle.filter((connection) => connection.isOpen());
        const connection = idle.pop() ?? (await open(signal));
        try {
          return await work(connection);
        } finally {
          if (connection.isOpen()) idle.push(connection);
        }
      } finally {
        leave();
      }
    },
    close: async () => {
      const all = idle;
      idle = [];
      await Promise.all(all.map((connection) => connection.close()));
    },
  };
};
