import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { config } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  config: { flags: string[]; malloc: Record<string, string> };
};

/** The Node flags that the command `penstock` adds, so that tests measure what users run. */
export const startFlags = config.flags;

/** The environment that it adds on Linux. */
export const startEnv = config.malloc;
