import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setup as buildService } from '../service/built-service.ts';

/** `npm run bench -- NAME`: runs one measurement, or lists them. */
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.replace(/\.ts$/, ''))
  .toSorted();

const [, , name] = process.argv;
if (name === undefined || !names.includes(name)) {
  process.stdout.write(`npm run bench -- ${names.join(' | ')}\n`);
  process.exit(name === undefined ? 0 : 1);
}
buildService();
await import(join(import.meta.dirname, `${name}.ts`));
