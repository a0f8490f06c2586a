import { join } from 'node:path';
import { ConfigError } from '../config.ts';
import { holdExclusively } from './sqlite.ts';

/**
 * Keeps a data directory for this process; the system gives it up with the process, however that ends.
 * Returns what gives it up before. @throws ConfigError where another process has it
 */
export const lockDirectory = (directory: string): (() => void) => {
  const release = holdExclusively(join(directory, 'lock.db'));
  if (release !== undefined) return release;
  throw new ConfigError(
    `DATA_DIR is "${directory}", which another Penstock that runs has in use. Stop that one, or set DATA_DIR to a directory of its own.`,
  );
};
