import { join } from 'node:path';

/** The environment of a program that a test starts. Node caches compiled code, as after `npm start`. */
export const programEnv = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE:
    process.env['NODE_COMPILE_CACHE'] ?? join(import.meta.dirname, '../../node_modules/.cache/penstock'),
};
