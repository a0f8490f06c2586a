import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const FILE = 'licences.txt';

type Names = Readonly<Record<string, unknown>>;
type LockedPackage = {
  version?: string;
  license?: string;
  dependencies?: Names;
  peerDependencies?: Names;
  /** Lists the peers that are optional. */
  peerDependenciesMeta?: Names;
};
type Packages = Readonly<Record<string, LockedPackage>>;

const IMPORT = /(?:from|import)\s*\(?\s*['"]((?:@[\w.-]+\/)?[a-z][\w.-]*)(?=['"/])/g;

/** The packages that the contract, the service and the dashboard import. */
const importedPackages = (): string[] =>
  readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|css)$/.test(file))
    .flatMap((file) => [...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(IMPORT)])
    .map(([, name = '']) => name);

/** Where npm installed a package, for the package at `path` that imports it; undefined if it is not installed. */
const locate = (packages: Packages, name: string, path: string): string | undefined => {
  const own = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
  if (own in packages) return own;
  const parent = path.lastIndexOf('node_modules/');
  return parent === -1 ? undefined : locate(packages, name, path.slice(0, parent).replace(/\/$/, ''));
};

/** The paths of the packages that Penstock contains: those that it imports, and all that they need. */
const containedPackages = (packages: Packages): ReadonlySet<string> => {
  const found = new Set<string>();
  const add = (name: string, importer: string) => {
    const path = locate(packages, name, importer);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = packages[path] ?? {};
    const peers = Object.keys(peerDependencies).filter((peer) => !(peer in peerDependenciesMeta));
    for (const dependency of [...Object.keys(dependencies), ...peers]) add(dependency, path);
  };
  for (const name of importedPackages()) add(name, '');
  return found;
};

/** The licence file of an installed package; undefined if it has none, or is not installed on this platform. */
const textOf = (folder: string): string | undefined => {
  try {
    const file = readdirSync(folder).find((name) => /^licen[cs]e/iu.test(name));
    return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** The licences of all packages that Penstock contains, in the order of their names. */
const licences = (): string => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Packages;
  };
  const entries = [...containedPackages(packages)].map((path) => {
    const { version = '', license = 'see below' } = packages[path] ?? {};
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { title: `${name} ${version} (${license})`, text: textOf(join(ROOT, path)) };
  });
  const unique = new Map(
    entries.map(({ title, text }) => [title, text ?? 'The package has no licence file.']),
  );
  const sections = [...unique].toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  const own = readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim();
  return [['Penstock (Apache-2.0)', own] as const, ...sections]
    .map(([title, text]) => `${title}\n${'='.repeat(title.length)}\n\n${text}\n`)
    .join('\n\n');
};

/** Adds `licences.txt` to the build: the licences of Penstock and of every package that it contains. */
export const licencesFile = (): Plugin => ({
  name: 'licences-file',
  configureServer: (server) => {
    server.middlewares.use(`/${FILE}`, (_request, response) => {
      response.setHeader('content-type', 'text/plain; charset=utf-8');
      response.end(licences());
    });
  },
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: FILE, source: licences() });
  },
});
