import { backOffMs } from '../query-client.ts';

/** Loads until it succeeds, with growing pauses: code that a network lost for a moment comes when it is back. */
export const loadUntilThere = async <T>(
  load: () => Promise<T>,
  onFailure: (tries: number) => void,
): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await load();
    } catch {
      onFailure(tries);
      await new Promise((resolve) => setTimeout(resolve, backOffMs(tries)));
    }
  }
};
