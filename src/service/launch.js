#!/usr/bin/env node
// The command `penstock`: plain JavaScript that Node 16 and newer can run, so that it can replace a Node that is too old.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const NEEDED = 24;
const { version, config } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** A clone builds the programs from its sources. The npm package contains the built ones. */
const BUILD = join(ROOT, 'vite/build.js');
const isClone = existsSync(BUILD);
const PROGRAMS = join(ROOT, 'dist/service');

const HELP = `Penstock ${version}, a self-hosted console for IoT devices

  penstock                start the service
  penstock signin         print a new sign-in link
  penstock backup FILE    back up the data into one file, also while the service is running
  penstock restore FILE   restore a backup into a DATA_DIR without databases
  penstock verify [FILE]  check the databases of DATA_DIR, or a backup
  penstock migrate        copy the data of a DATA_DIR to PostgreSQL: --from DATA_DIR --to postgres://…
  penstock --version      print the version
  penstock --help         print this text

Environment variables configure Penstock. The most important ones:

  DATA_DIR     the directory of all data (default: ./data)
  HOST, PORT   the address to listen on (default: 127.0.0.1, 8080)
  BASE_URL     the address that browsers use
  MQTT_PORT    the port of the MQTT broker (default: 1883; 0: no broker)
`;

const giveUp = (line, code = 1) => {
  process.stderr.write(`penstock: ${line}\n`);
  process.exit(code);
};

/** EX_CONFIG of sysexits.h: systemd does not restart the service. */
const EXIT_CONFIG = 78;

const majorOf = (text) => Number(text.split('.')[0]);

/** The Node of the npm package `node`; undefined if it is missing or too old. */
const findInstalledNode = () => {
  const require = createRequire(import.meta.url);
  try {
    const isNewEnough = majorOf(require('node/package.json').version) >= NEEDED;
    return isNewEnough ? require.resolve('node/bin/node') : undefined;
  } catch {
    return undefined;
  }
};

const INSTALL_NODE = `Install Node ${NEEDED}, or the npm package "node": npm install node@${NEEDED}${isClone ? ' (in a clone: npm ci)' : ''}. Then start Penstock again.`;

/** Runs this program with another Node until it ends, and ends in the same way. */
const runWith = (node) => {
  const child = spawn(node, process.execArgv.concat(process.argv.slice(1)), { stdio: 'inherit' });
  const forward = (signal) => child.kill(signal);
  const forwarded = ['SIGTERM', 'SIGHUP'];
  forwarded.forEach((signal) => process.on(signal, forward));
  // A terminal sends SIGINT to both processes.
  process.on('SIGINT', () => undefined);
  child.on('error', ({ message }) =>
    giveUp(`The npm package "node" cannot be run on this machine (${message}). ${INSTALL_NODE}`, EXIT_CONFIG),
  );
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    forwarded.concat('SIGINT').forEach((name) => process.removeAllListeners(name));
    process.kill(process.pid, signal);
  });
};

/** `--max_semi_space_size=16` is the flag `--max-semi-space-size`. */
const nameOfFlag = (flag) => flag.split('=')[0].replace(/_/g, '-');

/** The flags of Penstock that are not set, by the command line or `NODE_OPTIONS`. */
const missingFlags = () => {
  const set = process.execArgv.concat((process.env.NODE_OPTIONS || '').split(/\s+/)).map(nameOfFlag);
  return config.flags.filter((flag) => !set.includes(nameOfFlag(flag)));
};

/**
 * Restarts this program in the same process with settings that are read at the start only. glibc: threads share two heaps,
 * and a large buffer returns to the system as soon as it is freed, which saves about 60 MiB under load. Node: compiled code
 * is kept on disk, which saves 40 % of the CPU time of a start, and the memory of the compiler.
 */
const restartWithSettings = () => {
  if (process.platform === 'win32' || process.execve === undefined) return;
  const settings = Object.assign(
    { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/penstock') },
    process.platform === 'linux' ? config.malloc : {},
  );
  const flags = missingFlags();
  const isSet = Object.keys(settings).every((name) => process.env[name] !== undefined);
  if (isSet && flags.length === 0) return;
  process.execve(
    process.execPath,
    [process.execPath].concat(process.execArgv, flags, process.argv.slice(1)),
    Object.assign(settings, process.env),
  );
};

const run = async (program, parts) => {
  if (isClone) (await import('#vite/build.js')).buildWhereStale(parts);
  await import(pathToFileURL(join(PROGRAMS, `${program}.mjs`)).href);
};

const start = () => {
  restartWithSettings();
  return run('main', ['dashboard', 'service']);
};

const COMMANDS = {
  signin: () => run('signin', ['service']),
  backup: () => run('backup-command', ['service']),
  restore: () => run('backup-command', ['service']),
  verify: () => run('verify-command', ['service']),
  migrate: () => run('migrate-command', ['service']),
  '--version': () => process.stdout.write(`${version}\n`),
  '--help': () => process.stdout.write(HELP),
};
const WITH_ARGUMENTS = ['backup', 'restore', 'verify', 'migrate'];

/** Options of the npm scripts of a clone. */
const DEVELOPMENT = {
  '--dev': async () => (await import('#vite/develop.js')).develop(),
  '--build': async () => (await import('#vite/build.js')).buildAll(),
  '--build-stale': async (parts) => (await import('#vite/build.js')).buildWhereStale(parts),
  '--build-package': async () => (await import('#vite/build.js')).buildPackage(),
};

const main = async () => {
  const [command, ...args] = process.argv.slice(2);
  if (command === undefined) return start();
  const develop = isClone ? DEVELOPMENT[command] : undefined;
  if (develop !== undefined) return develop(args);
  if (args.includes('--help')) return COMMANDS['--help']();
  const known = Object.keys(COMMANDS);
  if (!known.includes(command))
    giveUp(
      `"${command}" is not a command. The commands are ${known.join(', ')}. Without a command, penstock starts the service.`,
    );
  if (args.length > 0 && !WITH_ARGUMENTS.includes(command))
    giveUp(`${command} takes no arguments (you gave "${args.join(' ')}").`);
  return COMMANDS[command]();
};

process.title = 'penstock';
if (majorOf(process.versions.node) >= NEEDED) await main();
else {
  const node = findInstalledNode();
  if (node === undefined)
    giveUp(
      `Node ${NEEDED} or newer is required (this is ${process.versions.node}). ${INSTALL_NODE}`,
      EXIT_CONFIG,
    );
  runWith(node);
}
