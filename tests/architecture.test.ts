import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const LAYERS = ['contract', 'service', 'dashboard'] as const;
type Layer = (typeof LAYERS)[number];

const sources = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.(ts|tsx|js)$/.test(entry.name) ? [path] : [];
  });

const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');

const importsOf = (file: string): string[] =>
  [...withoutComments(text(file)).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    (match) => match[1] ?? '',
  );

const layerOf = (path: string): Layer | undefined => LAYERS.find((layer) => path.startsWith(`src/${layer}/`));

/** The file of the project that an import names; undefined for a package. */
const target = (file: string, specifier: string): string | undefined => {
  const layer = /^#(contract|service|dashboard|tests)\/(.*)$/.exec(specifier);
  if (layer !== null) return layer[1] === 'tests' ? `tests/${layer[2]}` : `src/${layer[1]}/${layer[2]}`;
  return specifier.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), specifier)) : undefined;
};

const MAY_IMPORT: Record<Layer, Layer[]> = {
  contract: ['contract'],
  service: ['service', 'contract'],
  dashboard: ['dashboard', 'contract'],
};

/** Imports that break a rule, as "file → import". */
const offences = (
  folder: string,
  isWrong: (file: string, specifier: string, to: string | undefined) => boolean,
) =>
  sources(folder).flatMap((file) =>
    importsOf(file)
      .filter((specifier) => isWrong(file, specifier, target(file, specifier)))
      .map((specifier) => `${file} → ${specifier}`),
  );

const isBelow = (path: string, folder: string): boolean => path.startsWith(`src/dashboard/${folder}/`);

describe('the layers', () => {
  it.each(LAYERS)('%s imports only from the layers that it may', (layer) => {
    expect(
      offences(`src/${layer}`, (_, __, to) => {
        const other = to === undefined ? undefined : layerOf(to);
        return other !== undefined && !MAY_IMPORT[layer].includes(other);
      }),
    ).toEqual([]);
  });

  it('the contract imports zod and itself, nothing else', () => {
    expect(offences('src/contract', (_, specifier, to) => to === undefined && specifier !== 'zod')).toEqual(
      [],
    );
  });

  it('no part of the product imports from the tests', () => {
    expect(offences('src', (_, __, to) => to?.startsWith('tests/') === true)).toEqual([]);
  });

  it('the dashboard uses nothing of Node', () => {
    expect(offences('src/dashboard', (_, specifier) => specifier.startsWith('node:'))).toEqual([]);
  });

  it('across layers by package imports, inside a layer by relative paths, with the ending', () => {
    expect(
      offences('src', (file, specifier, to) => {
        if (to === undefined) return false;
        if (!/\.(ts|tsx|css|js)$/.test(specifier)) return true;
        return (layerOf(file) !== layerOf(to)) === specifier.startsWith('.');
      }),
    ).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('fetches in one place only', () => {
    const reaching = /\bfetch\s*\(|\bXMLHttpRequest\b|\bEventSource\b|\bsendBeacon\b|\bWebSocket\b/;
    const found = sources('src/dashboard').filter((file) => reaching.test(withoutComments(text(file))));
    expect(found).toEqual(['src/dashboard/api/client.ts']);
  });

  it('imports the component kit only in ui, recharts only in charts', () => {
    expect(
      offences(
        'src/dashboard',
        (file, specifier) =>
          (specifier.startsWith('@base-ui/') && !isBelow(file, 'ui')) ||
          (specifier.startsWith('recharts') && !isBelow(file, 'charts')),
      ),
    ).toEqual([]);
  });

  it('begins every query key by the table of query keys', () => {
    const written = /queryKey:\s*\[\s*'|pagedList\(\s*\[\s*'/;
    expect(sources('src/dashboard').filter((file) => written.test(text(file)))).toEqual([]);
  });

  it('has no style with :has()', () => {
    // The browser would restyle more of the page with each change (`document-mark.ts`).
    const written = /:has\(|(?<!data-)\bhas-(?:\[|\(|[a-z-]+:)/;
    const styled = ['src/dashboard/styles.css', ...sources('src/dashboard')];
    expect(styled.filter((file) => written.test(withoutComments(text(file))))).toEqual([]);
  });

  it('has pages that do not import other pages', () => {
    const pageOf = (path: string) => /^src\/dashboard\/pages\/([^/]+)\//.exec(path)?.[1];
    expect(
      offences('src/dashboard/pages', (file, _, to) => {
        const page = to === undefined ? undefined : pageOf(to);
        return page !== undefined && page !== pageOf(file);
      }),
    ).toEqual([]);
  });
});

/** The dashboard's folders in order, and its files at the top. Each imports only from those before it. */
const DASHBOARD_ORDER = [
  'paths.ts',
  'ui/browser',
  'ui/controls',
  'ui/format',
  'ui/feedback',
  'ui/layout',
  'ui/overlays',
  'ui/table',
  'charts/series',
  'charts/live',
  'charts/tracks',
  'charts/axes',
  'charts/draw',
  'charts/cursor',
  'charts',
  'api',
  'api/live',
  'kit',
  'kit/confirm',
  'kit/forms',
  'kit/schema-form',
  'kit/secret',
  'kit/resource',
  'resources/access',
  'resources/service',
  'resources/network',
  'resources/destinations',
  'resources/events',
  'resources/telemetry',
  'resources/webhooks',
  'resources/devices',
  'resources/devices/bulk',
  'resources/pipelines',
  'resources/connect/tools',
  'resources/connect',
  'pages',
  'app',
  'routes.tsx',
  'styles.css',
  'start.tsx',
  'main.ts',
];

describe('the folders of the dashboard', () => {
  const placeOf = (path: string): number => {
    const inside = path.replace('src/dashboard/', '');
    const isPlace = (place: string) =>
      place === inside || place === dirname(inside) || (place === 'pages' && inside.startsWith('pages/'));
    return DASHBOARD_ORDER.findIndex(isPlace);
  };

  it('are all listed, in an order in which each imports only from those before it', () => {
    expect(sources('src/dashboard').filter((file) => placeOf(file) === -1)).toEqual([]);
    expect(
      offences(
        'src/dashboard',
        (file, _, to) => to !== undefined && layerOf(to) === 'dashboard' && placeOf(to) > placeOf(file),
      ),
    ).toEqual([]);
  });

  it('hold at most about 40 files', () => {
    const files = sources('src/dashboard');
    const folders = [...new Set(files.map((file) => dirname(file)))];
    expect(folders.filter((folder) => files.filter((file) => dirname(file) === folder).length > 42)).toEqual(
      [],
    );
  });
});

/** The rooms of the service, each a folder without its subfolders. '' is the composition root with the programs. */
const ROOMS = [
  'platform/storage/dialects',
  'platform/storage/migrations',
  'platform/storage',
  'platform',
  'platform/http',
  'platform/outbound',
  'platform/secrets',
  'events',
  'networks',
  'webhooks',
  'telemetry/store',
  'telemetry/store/clickhouse',
  'telemetry/store/embedded',
  'telemetry/store/postgres',
  'backup',
  'migrate',
  'devices',
  'access',
  'telemetry/query',
  'telemetry/write',
  'telemetry',
  'mqtt/protocol',
  'mqtt',
  'pipelines/connections',
  'pipelines/formats',
  'pipelines/mapping',
  'pipelines/sources',
  'pipelines/destinations',
  'pipelines/definition',
  'pipelines/rejections',
  'pipelines/spool',
  'pipelines/ingest',
  'pipelines/replay',
  'pipelines/runner',
  'verify',
  'body-reader',
  'stream',
  'overview',
  'monitoring',
  'openapi',
  '',
];

describe('the rooms of the service', () => {
  const roomOf = (path: string): number => ROOMS.indexOf(relative('src/service', dirname(path)));

  it('are all listed', () => {
    expect(sources('src/service').filter((file) => roomOf(file) === -1)).toEqual([]);
  });

  it('import only from rooms before them', () => {
    expect(
      offences(
        'src/service',
        (file, _, to) => to !== undefined && layerOf(to) === 'service' && roomOf(to) > roomOf(file),
      ),
    ).toEqual([]);
  });

  it('use only tables of their own and of rooms before them', () => {
    const files = sources('src/service').map((file) => [file, withoutComments(text(file))] as const);
    const owners = new Map(
      files.flatMap(([file, code]) =>
        [...code.matchAll(/interface Schema \{([^}]*)\}/g)]
          .flatMap(([, tables = '']) => [...tables.matchAll(/(\w+):/g)])
          .map(([, table = '']) => [table, roomOf(file)]),
      ),
    );
    const inSql = /(?:selectFrom|insertInto|updateTable|deleteFrom|[jJ]oin)\(\[?\s*'(\w+)/g;
    const used = files.flatMap(([file, code]) =>
      [...code.matchAll(inSql)].map(([, table = '']) => ({ file, table })),
    );
    expect(used.length).toBeGreaterThan(100);
    expect(used.filter(({ file, table }) => (owners.get(table) ?? -1) > roomOf(file))).toEqual([]);
  });

  it('import a database driver only in storage, telemetry stores and destinations', () => {
    const drivers = new Set(['pg', '@clickhouse/client', 'node:sqlite']);
    const mayImport = /^src\/service\/(platform\/storage|telemetry\/store|pipelines\/destinations)\//;
    expect(
      offences('src/service', (file, specifier) => drivers.has(specifier) && !mayImport.test(file)),
    ).toEqual([]);
  });
});

describe('the service', () => {
  it('opens SQLite in one module', () => {
    const found = sources('src/service').filter((file) => importsOf(file).includes('node:sqlite'));
    expect(found).toEqual(['src/service/platform/storage/dialects/sqlite.ts']);
  });
});

describe('the tests of pages', () => {
  it('wait for the scheduler that React uses', () => {
    const here = createRequire(import.meta.url);
    const react = createRequire(here.resolve('react-dom'));
    expect(here.resolve('scheduler')).toBe(react.resolve('scheduler'));
  });
});

describe('the tree', () => {
  const files = sources('src');

  it('has file names in kebab-case, each used once in its layer', () => {
    expect(files.filter((file) => !/^[a-z0-9]+([-.][a-z0-9]+)*\.(ts|tsx|js)$/.test(basename(file)))).toEqual(
      [],
    );
    const names = files.map((file) => `${layerOf(file)}/${basename(file)}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('has no drawer for odds and ends, and no barrel', () => {
    const vague = /(^|\/)(utils?|common|helpers?|types|hooks|misc|shared|index)(\.(ts|tsx)|\/)/;
    expect(files.filter((file) => vague.test(file))).toEqual([]);
  });

  it('exports by name only', () => {
    expect(files.filter((file) => /^export default/m.test(text(file)))).toEqual([]);
  });

  it('has no import cycle', () => {
    const graph = new Map(
      files.map((file) => [file, importsOf(file).flatMap((specifier) => target(file, specifier) ?? [])]),
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]) => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });
});
