// Plain JavaScript that Node 12 and newer can run, so that it can report a Node version that is too old.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const NEEDED = 24;

const giveUp = (line) => {
  process.stderr.write(`penstock: ${line}\n`);
  process.exit(1);
};

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
const linkOf = (part) => join(ROOT, 'dist', part);
const builtFolder = (part) => {
  try {
    return basename(readlinkSync(linkOf(part)));
  } catch {
    return undefined;
  }
};

const build = (part) => {
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  if (!existsSync(vite)) giveUp('node_modules is missing or incomplete. Run: npm ci');
  const before = builtFolder(part);
  const folder = `${part}-${sourcesDigest(part)}`;
  const args = [vite, 'build', '--logLevel', 'warn', '--config', PARTS[part].config];
  const outDir = ['--outDir', join(ROOT, 'dist', folder), '--emptyOutDir'];
  const { status } = spawnSync(process.execPath, args.concat(outDir), { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) giveUp(`the build of the ${part} failed. See the output above.`);
  rmSync(linkOf(part), { recursive: true, force: true });
  symlinkSync(folder, linkOf(part), 'junction');
  for (const name of readdirSync(join(ROOT, 'dist')))
    if (name.startsWith(`${part}-`) && name !== folder && name !== before)
      rmSync(join(ROOT, 'dist', name), { recursive: true });
};

const buildWhereStale = (parts) => {
  for (const part of parts) {
    if (builtFolder(part) === `${part}-${sourcesDigest(part)}`) continue;
    process.stderr.write(`penstock: building the ${part} (only at the first start and after changes)\n`);
    build(part);
  }
};

/** Starts Vite with hot reload, and the service behind it, which restarts when its files change. */
const develop = () => {
  const { PORT = '8080', HOST = '127.0.0.1' } = process.env;
  const vitePort = String(Number(PORT) + 1);
  const env = { ...process.env, BASE_URL: process.env.BASE_URL || `http://${HOST}:${vitePort}` };
  const children = [
    spawn(process.execPath, ['--watch', '--watch-preserve-output', join(ROOT, 'src/service/main.ts')], {
      stdio: 'inherit',
      env,
    }),
    spawn(
      process.execPath,
      [join(ROOT, 'node_modules/vite/bin/vite.js'), '--host', HOST, '--port', vitePort, '--strictPort'],
      { cwd: ROOT, stdio: 'inherit', env: { ...env, SERVICE_URL: `http://${HOST}:${PORT}` } },
    ),
  ];
  const stop = () => children.forEach((child) => child.kill('SIGTERM'));
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  children.forEach((child) => child.on('exit', stop));
};

/**
 * Starts this program again in its process with settings that are read at the start only. glibc: threads share two heaps,
 * and a large buffer returns to the system as soon as it is freed, which saves about 60 MiB under load. Node: compiled code
 * is kept on disk, which saves 40 % of the CPU time of a start, and the memory of the compiler.
 */
const restartWithSettings = () => {
  const { malloc } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).config;
  const settings = Object.assign({ NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/penstock') }, malloc);
  const isSet = Object.keys(settings).every((name) => process.env[name] !== undefined);
  if (isSet || process.platform !== 'linux' || process.execve === undefined) return;
  process.execve(
    process.execPath,
    [process.execPath].concat(process.execArgv, process.argv.slice(1)),
    Object.assign(settings, process.env),
  );
};

const major = Number(process.versions.node.split('.')[0]);
if (major < NEEDED)
  giveUp(
    `Node ${NEEDED} or newer is required (this is ${process.versions.node}). Run "npm ci", which installs Node ${NEEDED} from the npm registry, or install Node ${NEEDED}. Then run "npm start".`,
  );

process.title = 'penstock';
if (process.argv.includes('--dev')) develop();
else if (process.argv.includes('--build')) Object.keys(PARTS).forEach(build);
else if (process.argv[2] === '--build-stale') buildWhereStale(process.argv.slice(3));
else if (process.argv.includes('--signin')) await import('./signin.ts');
else if (process.argv[2] === '--verify') await import('./verify-command.ts');
else if (['--backup', '--restore'].includes(process.argv[2])) await import('./backup-command.ts');
else {
  restartWithSettings();
  buildWhereStale(Object.keys(PARTS));
  await import(pathToFileURL(join(ROOT, 'dist/service/main.mjs')).href);
}
