import { dirname, extname, join } from 'node:path';

/**
 * The path of another program, for the module that starts it. Both are TypeScript in one folder, or built: the build puts
 * all programs and modules into one folder.
 */
export const siblingProgram = (module: string, program: string): string =>
  join(dirname(module), `${program}${extname(module)}`);
