import { availableParallelism } from 'node:os';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { productionRouter } from './vite/production-router.ts';
import { contractWithoutDocumentation } from './vite/without-documentation.ts';
import { zodWithoutJsonSchema } from './vite/without-json-schema.ts';
import { licencesFile } from './vite/licences.ts';
import { compileAtOnce } from './vite/compile-at-once.ts';
import { preloadStart } from './vite/preload-start.ts';

/** The folder with the programs of PostgreSQL, found by tests/run.js. If unset, no tests run over PostgreSQL. */
const postgresBin = process.env['POSTGRES_BIN'];

const hasClickHouse =
  process.env['VITEST'] === 'true' &&
  (await import('./tests/service/installed.ts')).isInstalled('clickhouse-server');

/** Tests wait for visible effects. How long these take depends on the machine. */
const testTimeouts = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } } };

/** The programs that tests start. */
const BUILT_SERVICE = 'tests/service/built-service.ts';

/** Validates every response of every service in a test against the API document. */
const contractCheck = {
  before: 'tests/contract-check/serve-document.ts',
  inEachFile: 'tests/contract-check/check-traffic.ts',
};

/**
 * Not repeated over PostgreSQL: tests that do not depend on the metadata database, only on SQLite, or only on statements
 * that other files run over PostgreSQL.
 */
const notMetadata = [
  'backup',
  'base-path',
  'basic-authentication',
  'body-budget',
  'body-reader',
  'bound-variables',
  'canary-secrets',
  'clickhouse-*',
  'collectd',
  'config',
  'connection',
  'cors',
  'destination-*',
  'destinations-forbidden',
  'device-counts',
  'device-places',
  'device-registration',
  'document-properties',
  'expressions',
  'failed-sync',
  'format-failures',
  'formats*',
  'full-disk',
  'full-disk-cases',
  'full-disk-start',
  'full-disk-without-reserve',
  'group-topics',
  'hide-secrets',
  'hosts',
  'influxdb-*',
  'iso-time',
  'key-activity',
  'kill-pipelines',
  'kill-store',
  'last-messages',
  'locked-database',
  'loop-stalls',
  'log',
  'message-shapes',
  'metric-limit',
  'migration-snapshot',
  'migrations',
  'mqtt-*',
  'negotiation',
  'offline-reports',
  'openapi',
  'otlp',
  'outbound',
  'pipeline-expression',
  'pipeline-health',
  'pipeline-host',
  'pipeline-polling',
  'pipeline-secrets',
  'pipeline-seed',
  'pipeline-skipped',
  'pipeline-trial',
  'power-loss',
  'presence-sync',
  'problems',
  'prometheus',
  'rejecting-devices',
  'remote-write',
  'request-turns',
  'sample-counts',
  'sample-scanner',
  'sample-stamps',
  'sample-time',
  'secrets',
  'send-delivery',
  'sessions',
  'disconnected-clients',
  'slow-senders',
  'slow-sources',
  'sparklines',
  'spool-*',
  'source-*',
  'sources-to-destinations',
  'sqlite-rows',
  'start',
  'stream',
  'stream-ends',
  'stream-load',
  'stream-scopes',
  'subject-filter',
  'storage-growth',
  'synced-bytes',
  'telemetry-*',
  'tls',
  'tracing',
  'trusted-proxies',
  'ts-collisions',
  'verify',
  'waiting-samples',
];

const isFullRun = process.env['TEST_SIZE'] === 'full';

// The build of React that browsers run, in two thirds of the CPU time. The development build, which checks more, is for full runs.
if (process.env['VITEST'] === 'true' && !isFullRun) process.env['NODE_ENV'] = 'production';
const isEveryEngine = process.env['TEST_ENGINES'] === 'all';
const testsOfService = (names: readonly string[]): string[] =>
  names.map((name) => `tests/service/${name}.test.ts`);

/** Also run over PostgreSQL in `npm test`: short files whose statements differ there. */
const alwaysOverPostgres = [
  'delivery-scheduler',
  'device-facets',
  'device-order',
  'event-runs',
  'idempotency',
  'pipeline-state',
  'postgres-*',
  'storage-warning',
];

/** Only in `npm run test:full`: releases, other databases, migrations, and pages that are rarely used. */
const inFullRun = [
  'tests/dashboard/api-reference.test.tsx',
  'tests/dashboard/connect-device.test.tsx',
  'tests/dashboard/destinations.test.tsx',
  'tests/dashboard/device-groups.test.tsx',
  'tests/dashboard/metric-settings.test.tsx',
  'tests/dashboard/network.test.tsx',
  'tests/dashboard/preview-fields.test.tsx',
  'tests/dashboard/schema-rows.test.tsx',
  'tests/dashboard/storage-notice.test.tsx',
  'tests/dashboard/telemetry-devices.test.tsx',
  'tests/dashboard/unrouted.test.tsx',
  'tests/npm-package.test.ts',
  ...testsOfService([
    'clickhouse-*',
    'full-disk-cases',
    'kill-store',
    'migration-snapshot',
    'postgres-clickhouse-migrate',
    'postgres-leases',
    'postgres-migrate',
    'postgres-process-kills',
    'postgres-processes',
    'postgres-telemetry',
    'sources-to-destinations',
    'telemetry-long-queries',
  ]),
];
const leftOut = isFullRun || isEveryEngine ? [] : inFullRun;

/** Tests of functions without a page or a service: one worker runs all of them, without a simulated browser. */
const pure = [
  'tests/contract/**/*.test.ts',
  'tests/dashboard/charts/*.test.ts',
  'tests/dashboard/merge-versions.test.ts',
  'tests/dashboard/pipeline-form-values.test.ts',
];

/** Files that mostly wait, for a deadline or for programs. `tests/run.js` begins with them, while pages and journeys compute. */
const waiting = testsOfService([
  'attention',
  'clock-jumps',
  'destinations-forbidden',
  'failed-sync',
  'full-disk-*',
  'kill-*',
  'linux-host',
  'locked-database',
  'loop-stalls',
  'migration-snapshot',
  'mqtt-broker',
  'mqtt-durability',
  'power-loss',
  'prometheus',
  'source-*',
  'sources-to-destinations',
  'spool',
  'spool-outages',
  'start',
]);

/** Tests of the service load modules as the service does: by Node, without Vite. */
const byNode = { viteModuleRunner: false, nodeLoader: false };

const overSqlite = {
  environment: 'node' as const,
  isolate: false,
  experimental: byNode,
  setupFiles: [contractCheck.inEachFile],
  globalSetup: [BUILT_SERVICE, contractCheck.before],
  ...testTimeouts,
};

const overPostgres: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'postgres',
    environment: 'node',
    isolate: false,
    experimental: byNode,
    ...testTimeouts,
    include: testsOfService(isFullRun || isEveryEngine ? ['**/*'] : alwaysOverPostgres),
    exclude: [...testsOfService(notMetadata), ...leftOut],
    setupFiles: [contractCheck.inEachFile],
    globalSetup: ['tests/service/postgres-server.ts', BUILT_SERVICE, contractCheck.before],
    env: { TEST_DIALECT: 'postgres' },
  },
};

/**
 * Not repeated over ClickHouse: tests without a service, of files and programs, or of one engine, and `overwrites`, which
 * ClickHouse does not count.
 */
const notOverClickHouse = testsOfService([
  'backup',
  'body-reader',
  'clickhouse-*',
  'collectd',
  'config',
  'device-places',
  'document-properties',
  'expressions',
  'formats*',
  'full-disk*',
  'group-topics',
  'hide-secrets',
  'iso-time',
  'kill-*',
  'last-messages',
  'locked-database',
  'log',
  'loop-stalls',
  'migration-snapshot',
  'migrations',
  'mqtt-durability',
  'mqtt-listening',
  'mqtt-protocol',
  'outbound',
  'overwrites',
  'pipeline-health',
  'pipeline-polling',
  'postgres-clickhouse-migrate',
  'postgres-migrate',
  'postgres-process-kills',
  'postgres-schema',
  'postgres-telemetry',
  'power-loss',
  'prometheus',
  'rejecting-devices',
  'request-turns',
  'sample-scanner',
  'sample-stamps',
  'send-delivery',
  'spool-pace',
  'sqlite-rows',
  'start',
  'storage-growth',
  'subject-filter',
  'synced-bytes',
  'telemetry-chunks',
  'telemetry-conversion',
  'telemetry-faults',
  'telemetry-file',
  'telemetry-flood',
  'telemetry-model',
  'telemetry-reader',
  'telemetry-rollups',
  'telemetry-store',
  'tls',
  'verify',
  'waiting-samples',
]);

/** Only in `npm run test:engines`. In other runs, `clickhouse-*.test.ts` start servers of their own. */
const overClickHouse: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'clickhouse',
    environment: 'node',
    isolate: false,
    experimental: byNode,
    ...testTimeouts,
    include: ['tests/service/**/*.test.ts'],
    exclude: notOverClickHouse,
    setupFiles: [contractCheck.inEachFile],
    globalSetup: [
      'tests/service/postgres-server.ts',
      'tests/service/clickhouse-server.ts',
      BUILT_SERVICE,
      contractCheck.before,
    ],
    env: { TEST_DIALECT: 'postgres', TEST_TELEMETRY: 'clickhouse' },
  },
};

/** The first script, and what it imports while it runs. */
const FIRST = /[\\/](index\.html|dashboard[\\/](main\.ts|styles\.css))$/;
const START = 'src/dashboard/start.tsx';

/** The URL of the service behind `npm run dev`. */
const serviceUrl = process.env['SERVICE_URL'];

export default defineConfig({
  ...(serviceUrl === undefined
    ? {}
    : { server: { proxy: { '/v1': { target: serviceUrl, changeOrigin: false } } } }),
  plugins: [
    react({ compiler: true }),
    tailwindcss(),
    contractWithoutDocumentation(),
    zodWithoutJsonSchema(),
    productionRouter(),
    licencesFile(),
    preloadStart(START),
    compileAtOnce(['vendor', 'start']),
  ],
  // Files refer to each other by relative paths, because the service may serve them below a path.
  base: './',
  build: {
    outDir: 'dist/dashboard',
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    manifest: true,
    rolldownOptions: {
      input: ['index.html', START],
      output: {
        // The first script lists the files of every page: short names make it shorter. The manifest has the long ones. 7 is the
        // shortest hash that the bundler accepts.
        chunkFileNames: 'assets/[hash:7].js',
        codeSplitting: {
          groups: [
            // Stays cached from release to release, without what only some pages use.
            {
              name: 'vendor',
              test: /node_modules[\\/](?!.*(?:useQueries|queriesObserver))(react|react-dom|scheduler|react-router|react-router-dom|zod|@tanstack[\\/](react-query|query-core))[\\/]|vite[\\/]preload-helper/,
              priority: 5,
            },
            // What the start imports: the lazily loaded code that shares it must not take it along. The first script imports it later.
            { name: 'shell', tags: ['$initial'], test: (id) => !FIRST.test(id), priority: 4 },
            // Code that nearly every page needs is in a few files; other code is split by page. Dialogs are loaded when
            // they open.
            {
              name: 'base',
              test: /[\\/]src[\\/](?!dashboard[\\/]ui[\\/]overlays[\\/]dialog\.tsx)/,
              minShareCount: 27,
              priority: 3,
            },
            // What Activity and the form of a pipeline share with tables.
            {
              name: 'rows',
              test: /[\\/]ui[\\/]table[\\/](more-rows|data-table-props)\.tsx?$|icons[\\/]arrow-(up|down)\.mjs$/,
              priority: 2,
            },
            // What most pages need, and what every page with a table needs: one file is smaller than one for each.
            {
              name: 'controls',
              test: /[\\/]dashboard[\\/](ui[\\/](controls[\\/](text-input|field|checkbox|search-input)|browser[\\/](query-params|with-params|debounced|once-true)|format[\\/](relative-time|format-time)|feedback[\\/](toast|stale-class))|api[\\/]paged-list)\.tsx?$|icons[\\/]plus\.mjs$/,
              priority: 1,
            },
            {
              name: 'table',
              test: /[\\/]dashboard[\\/](ui[\\/]table[\\/](data-table|found-count|state-toggles)|kit[\\/]resource[\\/]list-address)\.tsx?$/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  test: {
    // A test of the service waits about as long as it works. With more workers, each takes more CPU time.
    maxWorkers: 2 * availableParallelism(),
    // Room for what a test allocates: the collector runs less often.
    execArgv: ['--max-semi-space-size=64'],
    // After the tests of functions and those of the pages, which have fewer workers, if one run has all of them.
    sequence: { groupOrder: 2 },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          environment: 'node',
          isolate: false,
          maxWorkers: 1,
          include: pure,
          ...testTimeouts,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...overSqlite,
          name: 'waiting',
          include: waiting,
          exclude: leftOut,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          ...overSqlite,
          name: 'node',
          include: ['tests/*.test.ts', 'tests/service/**/*.test.ts'],
          exclude: [...testsOfService(['postgres-*']), ...waiting, ...leftOut],
        },
      },
      ...(postgresBin === undefined ? [] : [overPostgres]),
      ...(isEveryEngine && postgresBin !== undefined && hasClickHouse ? [overClickHouse] : []),
      {
        extends: true,
        test: {
          name: 'dashboard',
          // Away from UTC, so that its times cannot pass for local ones. Pages read the zone once.
          env: { TZ: 'America/New_York' },
          environment: 'jsdom',
          isolate: false,
          // Each worker spends ten seconds on modules and on code that is not compiled yet.
          maxWorkers: 2,
          include: ['tests/dashboard/**/*.test.{ts,tsx}'],
          exclude: [...pure, ...leftOut],
          setupFiles: ['tests/dashboard/act.ts', 'tests/dashboard/setup.ts', contractCheck.inEachFile],
          globalSetup: [contractCheck.before],
          ...testTimeouts,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
