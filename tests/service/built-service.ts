import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The service as a program, as `npm start` runs it. */
export const MAIN = join(ROOT, 'dist/service/main.mjs');
/** The program of `penstock signin`. */
export const SIGNIN = join(ROOT, 'dist/service/signin.mjs');
/** The command `penstock`. */
export const LAUNCH = join(ROOT, 'src/service/launch.js');

/** Builds the service if its sources have changed. */
export const setup = (): void => {
  execFileSync(process.execPath, [LAUNCH, '--build-stale', 'service'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
};
