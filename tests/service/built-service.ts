import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The service as a program, as `npm start` runs it. */
export const MAIN = join(ROOT, 'dist/service/main.mjs');

/** Builds the service if its sources have changed. */
export const setup = (): void => {
  const launch = join(ROOT, 'src/service/launch.js');
  execFileSync(process.execPath, [launch, '--build-stale', 'service'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
};
