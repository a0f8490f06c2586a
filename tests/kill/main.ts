import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** `npm run kill -- NAME`: kills real parts while others send, and counts what was lost; or lists what can be run. */
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.replace(/\.ts$/, ''))
  .toSorted();

const [, , name] = process.argv;
if (name === undefined || !names.includes(name)) {
  process.stdout.write(`npm run kill -- ${names.join(' | ')} [--times N] [--seed S]\n`);
  process.exit(name === undefined ? 0 : 1);
}
await import(join(import.meta.dirname, `${name}.ts`));
