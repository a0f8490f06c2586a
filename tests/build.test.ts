import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { runProgram } from './service/run-program.ts';

const ROOT = join(import.meta.dirname, '..');
const DAY_MS = 86_400_000;

/** A clone with little to build. */
let clone: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(clone, path)), { recursive: true });
  writeFileSync(join(clone, path), text);
};
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'penstock-build-'));
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  mkdirSync(join(clone, 'vite'));
  cpSync(join(ROOT, 'vite/build.js'), join(clone, 'vite/build.js'));
  write('package.json', '{ "type": "module" }');
  write('package-lock.json', '{}');
  write('index.html', '<title>Pages</title>');
  write('vite.config.ts', "export default { build: { outDir: 'dist/dashboard' } };");
  write(
    'vite/service.config.ts',
    "export default { publicDir: false, build: { ssr: 'src/service/main.ts', outDir: 'dist/service' } };",
  );
  for (const path of ['public/robots.txt', 'src/contract/a.ts', 'src/dashboard/a.ts']) write(path, '');
  write('src/service/main.ts', 'console.log(1);');
});

/** Builds the parts that have changed. */
const build = async (...parts: string[]) => {
  const script = `import { buildWhereStale } from './vite/build.js'; buildWhereStale(${JSON.stringify(parts)});`;
  const { code } = await runProgram(['--input-type=module', '-e', script], {}, process.execPath, clone).ended;
  return code;
};
const linked = (part: string): string => readlinkSync(join(clone, 'dist', part));
const folders = (): string[] => readdirSync(join(clone, 'dist')).toSorted();
const programIn = (folder: string): string => readFileSync(join(clone, 'dist', folder, 'main.js'), 'utf8');

it('leaves the files of a running service, and deletes those that were replaced days ago', async () => {
  // Earlier versions built into a folder in place of the link.
  write('dist/service/main.js', 'console.log(0);');
  expect(await build('service')).toBe(0);
  const first = linked('service');
  write('src/service/main.ts', 'console.log(2);');
  expect(await build('service')).toBe(0);
  const second = linked('service');
  expect(programIn(first)).toContain('console.log(1)');
  expect(programIn(second)).toContain('console.log(2)');

  write(`dist/${first}/marker`, 'not built again');
  write('src/service/main.ts', 'console.log(1);');
  expect(await build('service')).toBe(0);
  expect(linked('service')).toBe(first);
  expect(existsSync(join(clone, 'dist', first, 'marker'))).toBe(true);

  const before = folders();
  write('src/service/main.ts', 'console.log(');
  expect(await build('service')).toBe(1);
  expect(folders()).toEqual(before);

  const longAgo = new Date(Date.now() - 10 * DAY_MS);
  for (const folder of [first, second]) utimesSync(join(clone, 'dist', folder), longAgo, longAgo);
  write('src/service/main.ts', 'console.log(3);');
  expect(await build('service')).toBe(0);
  expect(folders()).toEqual(['service', first, linked('service')].toSorted());
});

it('of the dashboard follows the service, whose packages its list of licences names', async () => {
  expect(await build('dashboard')).toBe(0);
  const before = linked('dashboard');
  write('src/service/main.ts', "import 'another-package';");
  expect(await build('dashboard')).toBe(0);
  expect(linked('dashboard')).not.toBe(before);
});
