import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { list } from 'tar';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import packageJson from '#package.json' with { type: 'json' };
import { freePort } from './service/free-port.ts';
import { runProgram } from './service/run-program.ts';

const ROOT = join(import.meta.dirname, '..');
const NPM = { npm_config_update_notifier: 'false', npm_config_loglevel: 'error' };

let folder: string;
let tarball: string;
/** An empty folder in which the package was installed. */
let installed: string;

const runNpm = async (args: readonly string[], cwd: string) => {
  const { code, stderr } = await runProgram(args, NPM, 'npm', cwd).ended;
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`);
};

/** The command as a shell finds it, in the folder of the installation unless another is named. */
const penstock = (args: readonly string[], env: Record<string, string> = {}, cwd = installed) =>
  runProgram(args, env, join(installed, 'node_modules/.bin/penstock'), cwd);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-package-'));
  await runNpm(['run', 'package', '--', '--pack-destination', folder], ROOT);
  tarball = join(folder, `penstock-${packageJson.version}.tgz`);
  installed = join(folder, 'installed');
  mkdirSync(installed);
  // The package needs no other package. Node is the one that runs the tests.
  await runNpm(['install', '--offline', '--omit=optional', '--no-audit', '--no-fund', tarball], installed);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tokenIn = (stdout: string): string => /#signin=(\S+)/.exec(stdout)?.[1] ?? '';

/** Starts the service, and returns functions that call its API and stop it. */
const start = async (
  env: Record<string, string>,
  run: (env: Record<string, string>) => ReturnType<typeof runProgram> = (withPorts) =>
    penstock([], withPorts),
) => {
  const port = await freePort();
  const service = run({ PORT: String(port), MQTT_PORT: '0', SEED: 'none', ...env });
  onTestFinished(() => void service.child.kill('SIGKILL'));
  await expect.poll(() => service.output.stderr).toContain('"listening"');
  await expect.poll(() => service.output.stdout).toContain('http');
  const send = async (method: string, path: string, token: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const stop = async () => {
    service.child.kill('SIGTERM');
    return (await service.ended).code;
  };
  return { output: service.output, port, send, stop };
};

it('contains the command, the built programs and pages, and no other packages', async () => {
  const files: string[] = [];
  await list({ file: tarball, onReadEntry: ({ path }) => void files.push(path.replace('package/', '')) });
  const others = files.filter((file) => !file.startsWith('dist/'));
  expect(others.toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'package.json',
    'src/service/launch.js',
  ]);
  expect(files.filter((file) => file.includes('/.'))).toEqual([]);
  expect(files).toContain('dist/dashboard/index.html');
  expect(readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'penstock',
  ]);
});

it('lists the licences of the packages that it contains, not those of the tools that build it', () => {
  const dashboard = join(installed, 'node_modules/penstock/dist/dashboard');
  const licences = readFileSync(join(dashboard, 'licences.txt'), 'utf8');
  for (const name of ['fastify', 'react', 'react-is', '@fontsource-variable/inter', 'abstract-logging'])
    expect(licences).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
  for (const name of ['vite', 'vitest', 'lightningcss', '@types/react'])
    expect(licences).not.toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
});

it('starts in an empty folder, keeps its data there, and restores it from a backup', async () => {
  const service = await start({}, (env) => runProgram(['penstock'], { ...NPM, ...env }, 'npx', installed));
  const session = await service.send('POST', '/v1/sessions', '', { token: tokenIn(service.output.stdout) });
  expect(session.status).toBe(201);
  const { token } = JSON.parse(session.text) as { token: string };
  const ts = 1_790_000_000_000;
  const written = await service.send('POST', '/v1/telemetry', token, {
    samples: [{ device: 'boiler-7', ts, values: { temperature: 71.5 } }],
  });
  expect(written.status).toBe(200);
  const query = `/v1/telemetry?device=boiler-7&metric=temperature&from=${ts - 1}&to=${ts + 1}`;
  expect((await service.send('GET', query, token)).text).toContain('71.5');
  expect((await service.send('GET', '/', token)).text).toContain('<title>Penstock</title>');
  expect(readdirSync(join(installed, 'data'))).toContain('penstock.db');

  const signin = await penstock(['signin']).ended;
  const opened = await service.send('POST', '/v1/sessions', '', { token: tokenIn(signin.stdout) });
  expect([opened.status, signin.code]).toEqual([201, 0]);
  const backup = await penstock(['backup', 'penstock.tar']).ended;
  expect(backup).toMatchObject({ code: 0, stdout: expect.stringContaining('Backup written to') });
  await service.stop();
  expect(service.output.stderr, 'npx ends first').toMatch(/"signal":"(SIGTERM|npm was stopped)"/);

  const restored = { DATA_DIR: join(folder, 'restored') };
  expect(await penstock(['restore', 'penstock.tar'], restored).ended).toMatchObject({ code: 0 });
  const second = await start(restored);
  expect(second.output.stdout).toContain('(for a new sign-in link: penstock signin)');
  expect((await second.send('GET', query, token)).text, 'with the session of the backup').toContain('71.5');
  expect(await second.stop()).toBe(0);
});

describe('the command', () => {
  it('prints its version and its commands', async () => {
    expect(await penstock(['--version']).ended).toMatchObject({
      code: 0,
      stdout: `${packageJson.version}\n`,
    });
    const help = await penstock(['backup', '--help']).ended;
    expect(help.code).toBe(0);
    for (const line of [
      'penstock signin',
      'penstock backup FILE',
      'penstock restore FILE',
      'penstock verify [FILE]',
      'penstock migrate',
      'DATA_DIR',
    ])
      expect(help.stdout).toContain(`\n  ${line} `);
  });

  it.each([
    [
      ['sign-in'],
      'penstock: "sign-in" is not a command. The commands are signin, backup, restore, verify, migrate, --version, --help. Without a command, penstock starts the service.\n',
    ],
    [['toString'], expect.stringContaining('"toString" is not a command.')],
    [['--build'], expect.stringContaining('"--build" is not a command.')],
    [['signin', 'again'], 'penstock: signin takes no arguments (you gave "again").\n'],
    [['backup'], 'penstock: Specify one file: penstock backup penstock.tar\n'],
    [['restore', '--force'], 'penstock: Specify one file: penstock restore penstock.tar\n'],
  ])('rejects %j in one line', async (args, stderr) => {
    expect(await penstock(args).ended).toMatchObject({ code: 1, stdout: '', stderr });
  });
});

it.each([
  ['penstock backup penstock.tar', {}],
  ['npx penstock backup penstock.tar', { npm_lifecycle_event: 'npx', npm_package_name: 'penstock' }],
  ['npx penstock backup penstock.tar', { npm_lifecycle_event: 'nightly', npm_package_name: 'plant' }],
  ['npm run backup -- penstock.tar', { npm_lifecycle_event: 'backup', npm_package_name: 'penstock' }],
])('names the command %s as npm or a shell started the program (%j)', async (line, env) => {
  expect((await penstock(['backup'], env).ended).stderr).toBe(`penstock: Specify one file: ${line}\n`);
});

it.each([
  [[], '', '8'],
  [['--max_semi_space_size=16'], '', '16'],
  [[], '--max-semi-space-size=32', '32'],
])('keeps the Node flags of the operator: %s NODE_OPTIONS=%s', async (flags, options, size) => {
  const show = join(folder, 'show-flags.mjs');
  writeFileSync(show, 'process.stderr.write(`flags ${process.execArgv} ${process.env.NODE_OPTIONS}\\n`);');
  const command = [...flags, join(installed, 'node_modules/penstock/src/service/launch.js')];
  // Ends at once, with the flags of the program.
  const env = { PORT: 'none', NODE_OPTIONS: `--import=${show} ${options}` };
  const { stderr } = await runProgram(command, env).ended;
  const last = stderr.split('\n').findLast((line) => line.startsWith('flags')) ?? '';
  expect([...last.matchAll(/semi.space.size=(\d+)/g)].map(([, each]) => each)).toEqual([size]);
});

describe('with a Node that is too old', () => {
  let oldNode: Record<string, string>;
  const otherNode = () => join(installed, 'node_modules/node');
  beforeAll(() => {
    // Only a process of the npm package `node` reports its real version.
    const pretend = join(folder, 'old-node.cjs');
    writeFileSync(
      pretend,
      `if (process.env.IS_OTHER_NODE === undefined)
         Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`,
    );
    oldNode = { NODE_OPTIONS: `--require=${pretend}` };
  });
  const installNode = (version: string) => {
    const program = join(otherNode(), 'bin/node');
    mkdirSync(join(otherNode(), 'bin'), { recursive: true });
    writeFileSync(join(otherNode(), 'package.json'), JSON.stringify({ name: 'node', version }));
    writeFileSync(program, `#!/bin/sh\nIS_OTHER_NODE=1 exec '${process.execPath}' "$@"\n`);
    chmodSync(program, 0o755);
    onTestFinished(() => rmSync(otherNode(), { recursive: true }));
  };

  it.each([[undefined], ['22.1.0']])('says which Node to install (npm package node: %s)', async (version) => {
    if (version !== undefined) installNode(version);
    expect(await penstock(['--version'], oldNode).ended).toMatchObject({
      code: 78,
      stdout: '',
      stderr:
        'penstock: Node 24 or newer is required (this is 20.20.2). Install Node 24, or the npm package "node": npm install node@24. Then start Penstock again.\n',
    });
  });

  it('says so if the npm package node cannot be run here', async () => {
    installNode('24.21.0');
    writeFileSync(join(otherNode(), 'bin/node'), '#!/nowhere/node\n');
    const { code, stderr } = await penstock(['--version'], oldNode).ended;
    expect(code).toBe(78);
    expect(stderr).toMatch(
      /^penstock: The npm package "node" cannot be run on this machine \(.*ENOENT\)\. Install Node 24, .*\n$/,
    );
  });

  it('runs with the npm package node, and passes on signals and the exit code', async () => {
    installNode('24.21.0');
    expect((await penstock(['nothing'], oldNode).ended).code).toBe(1);
    const dataDir = join(folder, 'old');
    const service = await start({ ...oldNode, DATA_DIR: dataDir });
    expect(existsSync(join(dataDir, 'penstock.db'))).toBe(true);
    expect(await service.stop()).toBe(0);
    expect(service.output.stderr).toContain('"signal":"SIGTERM"');
  });
});
