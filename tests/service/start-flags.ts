import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { scripts, config } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
) as {
  scripts: { start: string };
  config: { malloc: Record<string, string> };
};

/** The Node flags of `npm start`, so that tests measure what users run. */
export const startFlags = scripts.start.split(' ').filter((word) => word.startsWith('--'));

/** The environment that `npm start` adds. */
export const startEnv = config.malloc;
