import { join } from 'node:path';
import { LAUNCH } from '#tests/service/built-service.ts';
import { runOn } from '#tests/service/postgres-client.ts';
import { runProgram } from '#tests/service/run-program.ts';
import { canTrace } from '#tests/service/strace.ts';
import { findPostgres, startPostgres } from '#tests/service/start-postgres.ts';

/** What a backup says about itself. */
export type Taken = {
  /** Everything that was answered before this time is in the backup, in epoch ms. */
  readonly atMs: number;
  /** Its number of samples, where the command prints it. */
  readonly samples: number | undefined;
};

export type BackupEngine = {
  /** The environment of the service that is backed up. */
  readonly env: Record<string, string>;
  /**
   * Backs up the running service.
   * @param isSlow the databases are opened long after one another
   */
  take(backup: { dataDir: string; file: string; isSlow: boolean }): Promise<Taken>;
  /** Checks a backup and restores it. Returns the environment of a service on the restored data. */
  restore(file: string, dataDir: string): Promise<Record<string, string>>;
  close(): Promise<void>;
};

const run = async (
  args: readonly string[],
  { env = {}, command = process.execPath }: { env?: Record<string, string>; command?: string } = {},
): Promise<string> => {
  const { code, stdout, stderr } = await runProgram(args, env, command).ended;
  if (code === 0) return stdout;
  throw new Error(`${[command, ...args].join(' ')} ended with ${code}:\n${stdout}${stderr}`);
};

/** Delays each opening of the databases by 100 ms, so that the service writes a lot between their snapshots. */
const slowly = (dataDir: string): string[] => {
  const paths = ['penstock.db', 'telemetry.db'].flatMap((name) => ['-P', join(dataDir, name)]);
  const delays = ['-e', 'trace=openat', '-e', 'inject=openat:delay_enter=100000'];
  return ['-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', ...paths, ...delays, process.execPath];
};

/** Both databases in the data directory. */
const startOverFiles = (): BackupEngine => ({
  env: {},
  take: async ({ dataDir, file, isSlow }) => {
    const args = [LAUNCH, 'backup', file];
    const env = { DATA_DIR: dataDir };
    const output = await (isSlow && canTrace()
      ? run([...slowly(dataDir), ...args], { env, command: 'strace' })
      : run(args, { env }));
    const [, samples, takenAt] = /([\d,]+) samples\b[^]*; taken (\S+)/.exec(output) ?? [];
    if (samples === undefined || takenAt === undefined) throw new Error(output);
    return { atMs: Date.parse(takenAt), samples: Number(samples.replaceAll(',', '')) };
  },
  restore: async (file, dataDir) => {
    await run([LAUNCH, 'verify', file]);
    await run([LAUNCH, 'restore', file], { env: { DATA_DIR: dataDir } });
    return {};
  },
  close: () => Promise.resolve(),
});

/** Metadata and telemetry in one PostgreSQL, which `pg_dump` backs up. */
const startOverPostgres = async (): Promise<BackupEngine> => {
  const server = await startPostgres();
  const program = (name: string) => join(findPostgres() ?? '', name);
  let restored = 0;
  return {
    env: { DATABASE_URL: server.url },
    take: async ({ file }) => {
      const atMs = Date.now();
      await run(['--format', 'custom', '--file', file, server.url], { command: program('pg_dump') });
      return { atMs, samples: undefined };
    },
    restore: async (file) => {
      const url = new URL(server.url);
      url.pathname = `/restored_${(restored += 1)}`;
      await runOn(server.url, `create database ${url.pathname.slice(1)} encoding 'UTF8' template template0`);
      await run(['--exit-on-error', '--dbname', url.href, file], { command: program('pg_restore') });
      return { DATABASE_URL: url.href };
    },
    close: server.close,
  };
};

export const engines = ['embedded', 'postgres'] as const;
export type EngineName = (typeof engines)[number];

export const startEngine = (name: EngineName): BackupEngine | Promise<BackupEngine> =>
  name === 'postgres' ? startOverPostgres() : startOverFiles();
