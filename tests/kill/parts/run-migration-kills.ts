import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LAUNCH } from '#tests/service/built-service.ts';
import { copyInstallation, startFilledService } from '#tests/service/filled-installation.ts';
import { programEnv } from '#tests/service/program-env.ts';
import { runProgram } from '#tests/service/run-program.ts';
import { startClickHouse } from '#tests/service/start-clickhouse.ts';
import { startPostgres } from '#tests/service/start-postgres.ts';
import { seededRandom } from './seeded-random.ts';

/** The start of the program takes a second. A kill comes up to this much later. */
const FIRST_KILL_MS = 800;
const KILL_WITHIN_MS = 4_000;

type MigrationKillOptions = {
  times: number;
  samples: number;
  seed: number;
  /** Whether the telemetry goes to ClickHouse, which every second kill hits as well. */
  toClickHouse: boolean;
  /** Whether a migration that is not killed brings the data to PostgreSQL first: only the telemetry moves on then. */
  isFromPostgres: boolean;
};

/** Kills a migration `times` times, and lets the last one finish. Returns the errors. */
export const runMigrationKills = async (
  { times, samples, seed, toClickHouse, isFromPostgres }: MigrationKillOptions,
  print: (line: string) => void,
): Promise<string[]> => {
  const random = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'penstock-kill-migrate-'));
  const dataDir = join(folder, 'data');
  const server = await startPostgres({ isDurable: true });
  const clickhouse = toClickHouse ? await startClickHouse() : undefined;
  const toPostgres = { DATA_DIR: dataDir, DATABASE_URL: server.url };
  const migrate = [LAUNCH, 'migrate', ...(isFromPostgres ? ['--from', server.url] : [])];
  const env = {
    ...toPostgres,
    ...(clickhouse !== undefined && { TELEMETRY_URL: clickhouse.urlOf('default') }),
  };
  try {
    const service = await startFilledService();
    await service.restart(() => copyInstallation(service.dataDir, dataDir, samples));
    await service.close();
    if (isFromPostgres) {
      const { code, stderr } = await runProgram([LAUNCH, 'migrate'], toPostgres).ended;
      if (code !== 0) return [`The migration to PostgreSQL ended with ${code}: ${stderr}`];
    }
    for (let kill = 1; kill <= times; kill += 1) {
      const afterMs = Math.round(FIRST_KILL_MS + random() * KILL_WITHIN_MS);
      const child = spawn(process.execPath, migrate, {
        env: { ...programEnv, ...env },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      await Promise.race([delay(afterMs), ended]);
      if (child.exitCode !== null) return [`Run ${kill} ended with ${child.exitCode} before its kill.`];
      child.kill('SIGKILL');
      await ended;
      if (clickhouse !== undefined && kill % 2 === 0) {
        await clickhouse.stop();
        await clickhouse.start();
      }
      print(`kill ${kill} after ${afterMs} ms`);
    }
    for (const args of [[], ['--verify']]) {
      const { code, stdout, stderr } = await runProgram([...migrate, ...args], env).ended;
      if (code !== 0) return [`migrate ${args.join(' ')} ended with ${code}: ${stderr}`];
      const { state, seconds, telemetry } = JSON.parse(stdout) as Record<string, unknown>;
      print(JSON.stringify({ state, seconds, telemetry }));
    }
    return [];
  } finally {
    await clickhouse?.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
