import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  scripts: { start: string };
};

/** The Node flags of `npm start`, so that tests measure what users run. */
export const startFlags = scripts.start.split(' ').filter((word) => word.startsWith('--'));
