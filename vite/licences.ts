import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const FILE = 'licences.txt';

type LockedPackage = { version?: string; license?: string; dev?: boolean; optional?: boolean };

/** The licence file of an installed package; undefined if it has none, or is not installed on this platform. */
const textOf = (folder: string): string | undefined => {
  try {
    const file = readdirSync(folder).find((name) => /^licen[cs]e/iu.test(name));
    return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** The licences of all packages that Penstock runs with, in the order of their names. */
const licences = (): string => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const entries = Object.entries(lock.packages)
    .filter(([path, { dev, optional }]) => path !== '' && dev !== true && optional !== true)
    .map(([path, { version = '', license = 'see below' }]) => {
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

/** Adds `licences.txt` to the build: the licences of Penstock and of every package that it runs with. */
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
