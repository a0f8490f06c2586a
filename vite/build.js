import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

const filesBelow = (path) =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)]))
    .toSorted();

const SHARED_SOURCES = ['package-lock.json', 'vite', 'src/contract'];
const PARTS = {
  dashboard: {
    config: 'vite.config.ts',
    // The dashboard contains the licences of the packages that the service imports.
    sources: SHARED_SOURCES.concat('index.html', 'vite.config.ts', 'public', 'src/dashboard', 'src/service'),
  },
  service: {
    config: 'vite/service.config.ts',
    sources: SHARED_SOURCES.concat('package.json', 'src/service'),
  },
};
/** A digest of the contents of all sources of a part. Timestamps do not matter. */
const sourcesDigest = (part) => {
  const digest = createHash('sha256');
  for (const source of PARTS[part].sources) {
    const files = statSync(join(ROOT, source)).isDirectory() ? filesBelow(source) : [source];
    for (const file of files) digest.update(file).update(readFileSync(join(ROOT, file)));
  }
  return digest.digest('hex').slice(0, 12);
};

/** `dist/service` and `dist/dashboard` are links to folders with digests in their names, so that a running service keeps its files. */
const linkOf = (part) => join(DIST, part);
const builtFolder = (part) => {
  try {
    return basename(readlinkSync(linkOf(part)));
  } catch {
    return undefined;
  }
};

const giveUp = (line) => {
  process.stderr.write(`penstock: ${line}\n`);
  process.exit(1);
};

/** Moves a file or link to a path. Returns false if a folder is there, which the system does not replace. */
const moveTo = (from, to) => {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (!existsSync(to)) throw error;
    return false;
  }
};

/** Builds a part into a folder, which appears when it is complete. */
const buildInto = (part, folder) => {
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  if (!existsSync(vite)) giveUp('node_modules is missing or incomplete. Run: npm ci');
  const partial = join(DIST, `${folder}.partial-${process.pid}`);
  const args = [vite, 'build', '--logLevel', 'warn', '--config', PARTS[part].config];
  const outDir = ['--outDir', partial, '--emptyOutDir'];
  const { status } = spawnSync(process.execPath, args.concat(outDir), { cwd: ROOT, stdio: ['ignore', 2, 2] });
  // Another process may have built the same sources meanwhile.
  const isMoved = status === 0 && moveTo(partial, join(DIST, folder));
  if (!isMoved) rmSync(partial, { recursive: true, force: true });
  if (status !== 0) giveUp(`the build of the ${part} failed. See the output above.`);
};

const linkTo = (part, folder) => {
  const link = `${linkOf(part)}.link-${process.pid}`;
  rmSync(link, { force: true });
  symlinkSync(folder, link, 'junction');
  if (moveTo(link, linkOf(part))) return;
  // Earlier versions built into a folder with this name. Windows does not replace a link.
  rmSync(linkOf(part), { recursive: true, force: true });
  renameSync(link, linkOf(part));
};

/** A service that runs since before a build needs the files of its folder until it is restarted. */
const KEPT_MS = 3 * 86_400_000;

/** Deletes the folders that have not been used for long. */
const deleteOld = (part) => {
  const used = builtFolder(part);
  for (const name of readdirSync(DIST)) {
    if (!name.startsWith(`${part}-`) || name === used) continue;
    const { mtimeMs } = statSync(join(DIST, name));
    if (mtimeMs < Date.now() - KEPT_MS) rmSync(join(DIST, name), { recursive: true, force: true });
  }
};

const build = (part) => {
  const before = builtFolder(part);
  const folder = `${part}-${sourcesDigest(part)}`;
  if (!existsSync(join(DIST, folder))) buildInto(part, folder);
  if (before === folder) return;
  linkTo(part, folder);
  // Its age counts from now, when it is no longer used by new processes.
  if (before !== undefined && existsSync(join(DIST, before)))
    utimesSync(join(DIST, before), new Date(), new Date());
  deleteOld(part);
};

export const buildAll = () => Object.keys(PARTS).forEach(build);

/** Builds the parts whose sources have changed since their last build. */
export const buildWhereStale = (parts) => {
  for (const part of parts) {
    const folder = `${part}-${sourcesDigest(part)}`;
    if (builtFolder(part) === folder && existsSync(join(DIST, folder))) continue;
    process.stderr.write(`penstock: building the ${part} (only at the first start and after changes)\n`);
    build(part);
  }
};

const LAUNCHER = 'src/service/launch.js';
const PACKED_FILES = ['README.md', 'CHANGELOG.md', 'LICENSE', LAUNCHER];
/** The rest of package.json is about building and testing. */
const PACKED_FIELDS = [
  'name',
  'version',
  'description',
  'license',
  'type',
  'keywords',
  'engines',
  'allowScripts',
  'config',
  'optionalDependencies',
];

/** Writes the npm package into `dist/package`. The build contains all packages, so it depends on none but Node. */
export const buildPackage = () => {
  const folder = join(DIST, 'package');
  const parts = Object.keys(PARTS);
  buildWhereStale(parts);
  rmSync(folder, { recursive: true, force: true });
  for (const part of parts)
    cpSync(join(DIST, builtFolder(part)), join(folder, 'dist', part), {
      recursive: true,
      // The manifest of Vite serves to measure the first load.
      filter: (path) => basename(path) !== '.vite',
    });
  for (const file of PACKED_FILES) cpSync(join(ROOT, file), join(folder, file));
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const packed = Object.fromEntries(PACKED_FIELDS.map((field) => [field, manifest[field]]));
  packed.bin = { penstock: LAUNCHER };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
};
