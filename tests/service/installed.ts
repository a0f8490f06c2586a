import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether a program can be found; where it cannot, its tests are skipped in plain sight. */
export const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
