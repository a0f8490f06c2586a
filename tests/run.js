// The whole suite: finds or installs what it needs, runs every part, and ends with one line that counts.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { constants, freemem, setPriority, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** `npm run test:full` */
const isFullRun = process.env.TEST_SIZE === 'full';
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const MEMORY = '/dev/shm';
const NEEDED_BYTES = 4 * 2 ** 30;

/** Tests write to memory where there is room. On a disk, the databases of all tests wait for it at each commit. */
const hasRoomInMemory = () => {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY) || freemem() < 2 * NEEDED_BYTES) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= NEEDED_BYTES;
};
const temporary = mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), 'penstock-tests-'));
// PostgreSQL has a user of its own.
chmodSync(temporary, 0o1777);
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const totals = { passed: 0, failed: 0, skipped: 0 };
/** Printed once more at the end: what failed is found without reading the whole output. */
const failures = [];
/** Without the lines of the stack, of a page or of a difference, which are in the output above. */
const addFailure = (name, message = '') => {
  const lines = stripVTControlCharacters(message).trim().split('\n').slice(0, 6);
  failures.push([name, ...lines.map((line) => `    ${line}`)].join('\n').trimEnd());
};

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `The tests require Node 24 or newer (this is ${process.versions.node}). "npm ci" installs it from the npm registry.`,
  );
  process.exit(1);
}

/** Debian installs servers in a folder that is only in the PATH of root. */
const whereIs = (names, folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']) =>
  folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));

const run = (command, args, env = {}) =>
  spawnSync(command, args, {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  }).status === 0;

const isDebianRoot = process.getuid?.() === 0 && whereIs(['apt-get']) !== undefined;
let isUpdated = false;
const installByApt = (packages) => {
  if (!isDebianRoot) return;
  isUpdated ||= run('apt-get', ['update', '-qq']);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
    DEBIAN_FRONTEND: 'noninteractive',
  });
};

/** Counts as missing if it cannot be imported without its optional parts. */
const findPymodbus = () =>
  existsSync('/usr/bin/python3') &&
  spawnSync('/usr/bin/python3', ['-c', 'import pymodbus.server'], { stdio: 'ignore' }).status === 0
    ? '/usr/bin/python3'
    : undefined;

/** Debian installs the programs of PostgreSQL outside the PATH, in a folder for each version. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const findInitdb = () => {
  if (process.env.POSTGRES_BIN) return join(process.env.POSTGRES_BIN, 'initdb');
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).toSorted() : [];
  return (
    whereIs(['initdb']) ??
    whereIs(
      ['initdb'],
      versions.toReversed().map((version) => join(DEBIAN_POSTGRES, version, 'bin')),
    )
  );
};

const downloadedChromium = () => {
  const playwright = join(ROOT, 'node_modules/@playwright/test/cli.js');
  if (!run(process.execPath, [playwright, 'install', 'chromium'])) return undefined;
  const script =
    "import('@playwright/test').then(({ chromium }) => process.stdout.write(chromium.executablePath()))";
  return execFileSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
};

const program = (names, packages, find = () => whereIs(names)) => ({ packages, find });
const programs = {
  // The same browser without its own windows: a journey takes half the CPU time.
  chromiumShell: program([], ['chromium-headless-shell'], () =>
    process.env.CHROMIUM === undefined ? whereIs(['chromium-headless-shell']) : process.env.CHROMIUM,
  ),
  mosquittoPub: program(['mosquitto_pub'], ['mosquitto-clients']),
  mosquitto: program(['mosquitto'], ['mosquitto']),
  pymodbus: program([], ['python3-pymodbus', 'python3-serial', 'python3-serial-asyncio'], findPymodbus),
  natsServer: program(['nats-server'], ['nats-server']),
  influxd: program(['influxd'], ['influxdb', 'influxdb-client']),
  nodeExporter: program(['prometheus-node-exporter'], ['prometheus-node-exporter']),
  prometheus: program(['prometheus'], ['prometheus']),
  // The libraries of its plugins write_http and mqtt.
  collectd: program(['collectd'], ['collectd-core', 'libyajl2', 'libcurl3-gnutls', 'libmosquitto1']),
  ...(isFullRun && { clickhouseServer: program(['clickhouse-server'], ['clickhouse-server']) }),
  initdb: program([], ['postgresql'], findInitdb),
  strace: program(['strace'], ['strace']),
  systemdAnalyze: program(['systemd-analyze'], ['systemd']),
};
const notFound = Object.values(programs).filter(({ find }) => find() === undefined);
if (notFound.length > 0) installByApt(notFound.flatMap(({ packages }) => packages));

/** Finds a program, or installs it alone; undefined if its tests must be skipped. */
const tool = ({ packages, find }) => {
  if (find() === undefined) installByApt(packages);
  return find();
};
const chromium =
  tool(programs.chromiumShell) ??
  tool(program(['chromium', 'chromium-browser', 'google-chrome'], ['chromium'])) ??
  downloadedChromium();
const mosquittoPub = tool(programs.mosquittoPub);
const mosquitto = tool(programs.mosquitto);
const pymodbus = tool(programs.pymodbus);
const natsServer = tool(programs.natsServer);
const influxd = tool(programs.influxd);
const nodeExporter = tool(programs.nodeExporter);
const prometheus = tool(programs.prometheus);
const collectd = tool(programs.collectd);
const lacksClickHouse =
  programs.clickhouseServer !== undefined && tool(programs.clickhouseServer) === undefined;
const initdb = tool(programs.initdb);
const strace = tool(programs.strace);
const systemdAnalyze = tool(programs.systemdAnalyze);
const missing = [
  ...(chromium === undefined
    ? ['Chromium (Debian: apt-get install chromium-headless-shell, or set CHROMIUM to its path)']
    : []),
  ...(mosquittoPub === undefined ? ['mosquitto_pub (Debian: apt-get install mosquitto-clients)'] : []),
  ...(mosquitto === undefined ? ['mosquitto (Debian: apt-get install mosquitto)'] : []),
  ...(pymodbus === undefined
    ? ['pymodbus (Debian: apt-get install python3-pymodbus python3-serial python3-serial-asyncio)']
    : []),
  ...(natsServer === undefined ? ['nats-server (Debian: apt-get install nats-server)'] : []),
  ...(influxd === undefined ? ['influxd (Debian: apt-get install influxdb influxdb-client)'] : []),
  ...(nodeExporter === undefined
    ? ['prometheus-node-exporter (Debian: apt-get install prometheus-node-exporter)']
    : []),
  ...(prometheus === undefined ? ['prometheus (Debian: apt-get install prometheus)'] : []),
  ...(collectd === undefined
    ? ['collectd (Debian: apt-get install collectd-core libyajl2 libcurl3-gnutls libmosquitto1)']
    : []),
  ...(lacksClickHouse ? ['ClickHouse (Debian: apt-get install clickhouse-server)'] : []),
  ...(initdb === undefined
    ? ['PostgreSQL (Debian: apt-get install postgresql, or set POSTGRES_BIN to the folder of its programs)']
    : []),
  ...(strace === undefined ? ['strace (Debian: apt-get install strace)'] : []),
  ...(systemdAnalyze === undefined ? ['systemd-analyze (Debian: apt-get install systemd)'] : []),
];
for (const name of missing) console.error(`\nMISSING: ${name}. The tests that need it are skipped.\n`);
const env = {
  TMPDIR: temporary,
  // Programs and threads of the service start in half the time with code that Node has compiled before.
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node'),
  ...(chromium === undefined ? {} : { CHROMIUM: chromium }),
  ...(initdb === undefined ? {} : { POSTGRES_BIN: dirname(realpathSync(initdb)) }),
};

/** Runs a program and returns its output at the end, so that it does not mix with that of others. */
const runQuietly = async (command, args, more = {}, priority) => {
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, ...more },
  });
  // The programs that it starts inherit its priority.
  if (child.pid !== undefined && priority !== undefined) setPriority(child.pid, priority);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const passed = (await new Promise((resolve) => child.on('close', resolve))) === 0;
  return { passed, output: Buffer.concat(output) };
};

/** The type checker is a Go program: it ends after seconds, so its collector only runs when memory is large. */
const GO = { GOGC: 'off', GOMEMLIMIT: '3GiB' };

/** Runs an npm script, which passes or fails as a whole. */
const runScript = async (script, priority) => {
  const { passed, output } = await runQuietly('npm', ['run', '--silent', script], GO, priority);
  console.error(`\n== npm run ${script}: ${passed ? 'passed' : 'failed'}`);
  process.stderr.write(output);
  totals[passed ? 'passed' : 'failed'] += 1;
  if (!passed) addFailure(`npm run ${script}`);
  return passed;
};

/**
 * The compilers take the time in which tests wait. At the same priority, pages would wait for them. At the lowest, they would
 * not end on a machine that has other work.
 */
const runChecks = async () => {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  for (const script of ['check:text', 'check:code']) await runScript(script, PRIORITY_BELOW_NORMAL);
};

const readReport = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);

/** Runs the tests of some projects of `vite.config.ts`. */
const runVitest = async (...projects) => {
  const file = join(temporary, `vitest-${projects[0]}.json`);
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...projects.map((project) => `--project=${project}`),
  ];
  console.error(`\n== vitest: ${projects.join(', ')}`);
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  const passed = (await new Promise((resolve) => child.on('close', resolve))) === 0;
  const found = readReport(file);
  totals.passed += found?.numPassedTests ?? 0;
  totals.skipped += (found?.numPendingTests ?? 0) + (found?.numTodoTests ?? 0);
  // A file that breaks before its tests counts as one failure too.
  totals.failed += Math.max(found?.numFailedTests ?? 0, passed ? 0 : 1);
  for (const { name, status, message, assertionResults } of found?.testResults ?? []) {
    const failedTests = assertionResults.filter((result) => result.status === 'failed');
    if (status === 'failed' && failedTests.length === 0) addFailure(name, message);
    for (const { fullName, failureMessages } of failedTests)
      addFailure(`${name}: ${fullName}`, failureMessages[0]);
  }
  if (!passed && (found?.numFailedTests ?? 0) === 0 && found?.success !== false)
    addFailure(`vitest: ${projects.join(', ')}`);
};

const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];

/** A journey that exceeds its time has two errors: the time limit, and the call that was waiting. */
const messagesOf = (errors) => errors.map(({ message }) => message).join('\n');

const runPlaywright = async () => {
  const file = join(temporary, 'playwright.json');
  const args = [
    'node_modules/@playwright/test/cli.js',
    'test',
    '--config=tests/e2e/playwright.config.ts',
    '--reporter=list,json',
  ];
  const { passed, output } = await runQuietly(process.execPath, args, { PLAYWRIGHT_JSON_OUTPUT_NAME: file });
  console.error('\n== browser journeys');
  process.stderr.write(output);
  const report = readReport(file);
  const stats = report?.stats;
  totals.passed += (stats?.expected ?? 0) + (stats?.flaky ?? 0);
  totals.skipped += stats?.skipped ?? 0;
  totals.failed += Math.max(stats?.unexpected ?? 0, passed ? 0 : 1);
  const failedJourneys = (report?.suites ?? []).flatMap(specsOf).filter(({ ok }) => !ok);
  for (const { file: spec, line, title, tests } of failedJourneys)
    addFailure(`tests/e2e/${spec}:${line}: ${title}`, messagesOf(tests[0]?.results[0]?.errors ?? []));
  if (!passed && failedJourneys.length === 0) addFailure('browser journeys');
};

const checks = runChecks();
const isBuilt = await runScript('build');
if (initdb === undefined) totals.skipped += 1;
if (chromium === undefined) totals.skipped += 1;
const runJourneys = async () => {
  if (chromium !== undefined && isBuilt) await runPlaywright();
};
// Tests of pages and journeys wait half of their time, so one alone leaves a core idle. The other tests of the service begin when
// the first of them end, and keep the cores busy while the last ones wait.
const [pages, journeys] = [runVitest('pure', 'dashboard'), runJourneys()];
const waiting = runVitest('waiting');
await Promise.race([pages, journeys]);
await Promise.all([
  runVitest('node', ...(initdb === undefined ? [] : ['postgres'])),
  pages,
  journeys,
  waiting,
  checks,
]);

const { passed, failed, skipped } = totals;
const isFailure = failed > 0 || passed === 0 || (process.env.CI === 'true' && skipped > 0);
if (isFailure && failed === 0)
  console.error(`\n${skipped} tests were skipped, which counts as a failure with CI=true.`);
for (const failure of failures) console.error(`\nFAILED ${failure}`);
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(isFailure ? 1 : 0);
