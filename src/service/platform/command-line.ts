import { resolve } from 'node:path';

/** The absolute path of an argument. npm runs scripts in the folder of the project, not in that of the caller. */
export const resolveArgument = (path: string): string => resolve(process.env['INIT_CWD'] ?? '.', path);

/** A command of Penstock as an operator enters it: by npm in a clone, by npx, or by name, like the running process. */
export const commandLine = (
  command: 'signin' | 'backup' | 'restore' | 'verify' | 'migrate',
  file?: string,
): string => {
  const { npm_lifecycle_event: event, npm_package_name: packageName } = process.env;
  const argument = file === undefined ? '' : ` ${file}`;
  if (event === undefined) return `penstock ${command}${argument}`;
  if (event === 'npx' || packageName !== 'penstock') return `npx penstock ${command}${argument}`;
  return `npm run ${command}${file === undefined ? '' : ` --${argument}`}`;
};
