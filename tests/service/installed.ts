import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian keeps servers where only root's PATH looks. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];

/** The path of a program; undefined where it is not installed. */
export const findProgram = (program: string): string | undefined =>
  folders.map((folder) => join(folder, program)).find((path) => existsSync(path));

/** Whether a program can be found; where it cannot, its tests are skipped in plain sight. */
export const isInstalled = (program: string): boolean => findProgram(program) !== undefined;
