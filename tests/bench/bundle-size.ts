import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

type Chunk = { file: string; css?: string[]; imports?: string[]; isEntry?: boolean; src?: string };

const DIST = join(import.meta.dirname, '../../dist/dashboard');
/** The size limits of JavaScript and CSS for the first load of a page, in bytes after gzip. */
const BUDGETS: Record<string, number> = {
  'src/dashboard/pages/devices/devices-page.tsx': 200_000,
  'src/dashboard/pages/pipeline-form/pipeline-form-page.tsx': 250_000,
  'src/dashboard/pages/pipelines/pipelines-page.tsx': 200_000,
  'src/dashboard/pages/telemetry/telemetry-page.tsx': 250_000,
};

/** What the entry imports while it runs. */
const START = 'src/dashboard/start.tsx';

/** The files that a route needs at its first load: those of the start, its own, and all that both import statically. */
const filesOfRoute = (manifest: Record<string, Chunk>, page: string): string[] => {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (key: string) => {
    const chunk = manifest[key];
    if (chunk === undefined || seen.has(key)) return;
    seen.add(key);
    files.add(chunk.file);
    for (const css of chunk.css ?? []) files.add(css);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const [key, chunk] of Object.entries(manifest))
    if (chunk.isEntry === true || chunk.src === START || chunk.src === page) visit(key);
  return [...files];
};

const gzipBytes = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file))).length, 0);

const readManifest = (): Record<string, Chunk> =>
  JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;

const manifest = readManifest();
const pages = Object.values(manifest).flatMap(({ src }) =>
  src !== undefined && /pages\/.*-page\.tsx$/.test(src) ? [src] : [],
);

process.stdout.write('First load, gzip JS + CSS:\n');
for (const page of pages.toSorted()) {
  const bytes = gzipBytes(filesOfRoute(manifest, page));
  const budget = BUDGETS[page];
  const name = page.replace('src/dashboard/pages/', '').replace('.tsx', '');
  const note = budget === undefined ? '' : `  (at most ${budget / 1_000} kB)`;
  process.stdout.write(`  ${name.padEnd(36)} ${(bytes / 1_000).toFixed(1).padStart(7)} kB${note}\n`);
  if (budget !== undefined && bytes > budget) process.exitCode = 1;
}
