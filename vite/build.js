import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
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
    sources: SHARED_SOURCES.concat('index.html', 'vite.config.ts', 'public', 'src/dashboard'),
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

const build = (part) => {
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  if (!existsSync(vite)) giveUp('node_modules is missing or incomplete. Run: npm ci');
  const before = builtFolder(part);
  const folder = `${part}-${sourcesDigest(part)}`;
  const args = [vite, 'build', '--logLevel', 'warn', '--config', PARTS[part].config];
  const outDir = ['--outDir', join(DIST, folder), '--emptyOutDir'];
  const { status } = spawnSync(process.execPath, args.concat(outDir), { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) giveUp(`the build of the ${part} failed. See the output above.`);
  rmSync(linkOf(part), { recursive: true, force: true });
  symlinkSync(folder, linkOf(part), 'junction');
  for (const name of readdirSync(DIST))
    if (name.startsWith(`${part}-`) && name !== folder && name !== before)
      rmSync(join(DIST, name), { recursive: true });
};

export const buildAll = () => Object.keys(PARTS).forEach(build);

/** Builds the parts whose sources have changed since their last build. */
export const buildWhereStale = (parts) => {
  for (const part of parts) {
    if (builtFolder(part) === `${part}-${sourcesDigest(part)}`) continue;
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
