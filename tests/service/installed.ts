import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian installs servers in a folder that is only in the PATH of root. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];

/** The path of a program; undefined if it is not installed. */
export const findProgram = (program: string): string | undefined =>
  folders.map((folder) => join(folder, program)).find((path) => existsSync(path));

/** Whether a program is installed. If not, its tests are visibly skipped. */
export const isInstalled = (program: string): boolean => findProgram(program) !== undefined;
