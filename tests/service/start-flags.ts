import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  scripts: { start: string };
};

/** The flags that `npm start` gives Node, so that what is measured is what users run. */
export const startFlags = scripts.start.split(' ').filter((word) => word.startsWith('--'));
