import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs work with a temporary folder, which is deleted at its end, or when a signal ends the program. */
export const withTemporaryFolder = async <T>(
  parent: string,
  prefix: string,
  work: (folder: string) => Promise<T>,
): Promise<T> => {
  const folder = await mkdtemp(join(parent, prefix));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const stop = (signal: NodeJS.Signals) => {
    remove();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(folder);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    remove();
  }
};
