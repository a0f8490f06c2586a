import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of Penstock, from package.json. */
export const { version: VERSION } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'),
) as { version: string };
