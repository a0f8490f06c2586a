import { join } from 'node:path';

/** The environment of a program that a test starts. Node keeps compiled code on disk, so the next start takes half the time. */
export const programEnv = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/node'),
};
