import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { ConfigError, readConfig } from './config.ts';
import { commandLine } from './platform/command-line.ts';
import { createLog } from './platform/log.ts';
import { isCannotOpen } from './platform/storage/damaged-file.ts';
import { isDiskFull, isDiskReadOnly } from './platform/storage/disk-full.ts';
import { UnusableDatabase } from './platform/storage/database.ts';
import { isReadOnlyStateOver } from './platform/storage/read-only-state.ts';
import { startService } from './start-service.ts';
import { DirectoryInUse } from './platform/storage/lock-directory.ts';

const EXIT = {
  /** Another start may succeed: a port, a disk or a server may become available. */
  failed: 1,
  /** EX_CONFIG of sysexits.h: each further start fails until someone changes the configuration or the data. */
  config: 78,
};

/** Prints one line that says what to do, and exits. */
const giveUp = (line: string, code = EXIT.failed): never => {
  process.stderr.write(`penstock: ${line}\n`);
  process.exit(code);
};

/**
 * The heap of each thread may double before V8 collects it. By default V8 lets it grow fourfold under a steady load:
 * measured, 490 MB of memory instead of 370 MB.
 */
setFlagsFromString('--heap-growing-percent=100');

/** More than what running requests and connections to other services may take together, less than `docker stop` waits. */
const STOP_WITHIN_MS = 8_000;
const PARENT_EVERY_MS = 500;
const WRITABLE_EVERY_MS = 1_000;

/** npm runs scripts in a shell that does not forward signals, so the service stops when its parent process changes. */
const stopWithParent = (stop: (signal: string) => void): void => {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop('npm was stopped');
  }, PARENT_EVERY_MS).unref();
};

/** Prints why the service cannot start, and exits. @throws unexpected errors */
const exitOnStartError = (error: unknown): never => {
  if (error instanceof ConfigError) giveUp(error.message, EXIT.config);
  if (error instanceof UnusableDatabase) giveUp(error.message, error.isFinal ? EXIT.config : EXIT.failed);
  if (error instanceof DirectoryInUse) giveUp(error.message);
  if (isDiskFull(error))
    giveUp(
      `The disk of DATA_DIR "${readConfig(process.env).dataDir}" is full. Free at least 16 MB, then start Penstock again.`,
    );
  if (isCannotOpen(error))
    giveUp(
      `penstock.db or lock.db in DATA_DIR "${readConfig(process.env).dataDir}" cannot be opened. Check that both are files that this user can read and write.`,
      EXIT.config,
    );
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  const { PORT = '8080', HOST = '127.0.0.1' } = process.env;
  const { metricsHost, metricsPort } = readConfig(process.env);
  if (port === metricsPort)
    giveUp(
      `Cannot listen on METRICS_HOST ${metricsHost}, METRICS_PORT ${metricsPort} (${code}). Set another port.`,
    );
  if (code === 'EADDRINUSE')
    giveUp(`Another program uses PORT ${PORT} on ${HOST}. Stop that program, or set PORT to another port.`);
  if (code === 'EACCES')
    giveUp(`This user cannot listen on PORT ${PORT}. Set PORT to 1024 or higher.`, EXIT.config);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    giveUp(
      `HOST is "${HOST}", which is not an address of this machine. Set HOST to one of its addresses, such as 127.0.0.1.`,
    );
  throw error;
};

const main = async (): Promise<void> => {
  // Only the owner can read new files, even in a data directory that was created with wider permissions.
  process.umask(0o077);
  const config = readConfig(process.env);
  const destination = pino.destination(2);
  const log = createLog(config.logLevel, destination);
  // `log` writes in other threads, which may not finish before the process ends.
  const lastLog = createLog(config.logLevel, pino.destination({ dest: 2, sync: true }));
  const logEnd = (entry: object, message: string): void => {
    destination.flushSync();
    lastLog.fatal(entry, message);
  };
  for (const warning of config.warnings) log.warn(warning);
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    accessSync(config.dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    // On a read-only disk, an existing database can still be read.
    if (!isDiskReadOnly(error) || !existsSync(join(config.dataDir, 'penstock.db')))
      giveUp(
        `DATA_DIR "${config.dataDir}" is not writable (${(error as NodeJS.ErrnoException).code}). Allow this user to write there, or set DATA_DIR to another directory.`,
      );
  }
  const onSyncFailure = (error: unknown) => {
    try {
      logEnd({ err: error, dataDir: config.dataDir }, 'the disk failed to save data (fsync)');
      process.stderr.write(
        `penstock: The disk of DATA_DIR "${config.dataDir}" failed to save data, so the service stopped. All acknowledged writes are on disk. Check the disk, then start Penstock again.\n`,
      );
    } finally {
      // An exit would end the telemetry thread, which closes telemetry.db and copies the log into it. The log of the service may
      // be on the same disk, and fail too.
      process.kill(process.pid, 'SIGKILL');
    }
  };
  const onDatabaseUnusable = (error: UnusableDatabase) => {
    logEnd({ err: error }, 'this process can no longer use the database');
    giveUp(error.message, error.isFinal ? EXIT.config : EXIT.failed);
  };
  let stopping = false;
  const onTelemetryEnd = (error: Error) => {
    if (stopping) return;
    logEnd({ err: error }, 'the telemetry thread has ended');
    giveUp(
      `The thread that reads and writes telemetry.db ended (${error.message}), so the service stopped. All acknowledged writes are on disk. Start Penstock again.`,
    );
  };
  // Only the built service is beside a built dashboard. `npm run dev` serves the pages itself.
  const dashboardDir = join(import.meta.dirname, '../dashboard');
  const callbacks = { onSyncFailure, onDatabaseUnusable, onTelemetryEnd };
  const options = { config, log, dashboardDir, recordsStart: true, ...callbacks };
  let service = await startService(options);
  if (service.signinLink !== undefined)
    process.stdout.write(
      `\nSign in with this link within 10 minutes. It works once:\n\n  ${service.signinLink}\n\n`,
    );
  else
    process.stdout.write(
      `\nPenstock is running at ${service.url} (for a new sign-in link: ${commandLine('signin')})\n\n`,
    );

  // A database opened read-only stays read-only: the service restarts once the disk is writable.
  let restarting = Promise.resolve();
  const restart = async () => {
    log.info('the disk of DATA_DIR is writable again, restarting the service');
    await service.close();
    service = await startService(options);
    log.info({ url: service.url, dataDir: config.dataDir }, 'listening');
  };
  const restartOnceWritable = async () => {
    const { readOnlyState } = service;
    if (readOnlyState === undefined) clearInterval(watch);
    else if (!stopping && (await isReadOnlyStateOver(config.dataDir, readOnlyState))) await restart();
  };
  const watch = setInterval(() => {
    restarting = restarting.then(restartOnceWritable).catch(exitOnStartError);
  }, WRITABLE_EVERY_MS).unref();

  const draining = new AbortController();
  const stop = (signal: string) => {
    // A second signal ends the wait.
    if (stopping) return draining.abort();
    stopping = true;
    log.info({ signal, drainMs: config.drainMs }, 'stopping');
    setTimeout(() => {
      log.error('the service did not stop in time');
      process.exit(EXIT.failed);
    }, config.drainMs + STOP_WITHIN_MS).unref();
    clearInterval(watch);
    void restarting
      .then(() => service.drain())
      // Load balancers need time to see that the service is not ready.
      .then(() => delay(config.drainMs, undefined, { signal: draining.signal }).catch(() => undefined))
      .then(() => service.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'could not stop the service cleanly');
          process.exit(EXIT.failed);
        },
      );
  };
  stopWithParent(stop);
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Logged last: a program that reads this line may send SIGTERM at once.
  log.info({ url: service.url, dataDir: config.dataDir }, 'listening');
};

await main().catch(exitOnStartError);
