import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareMigration, migrateData, type Migration } from '#service/migrate/migrate-data.ts';
import { openMigrationSource } from '#service/migrate/migration-source.ts';
import type { Progress } from '#service/migrate/migration-steps.ts';
import { readClickHouseAddress } from '#service/telemetry/store/clickhouse/clickhouse-address.ts';
import { LAUNCH } from './built-service.ts';
import { copyInstallation, FILLED_ENV, startFilledService } from './filled-installation.ts';
import { isInstalled } from './installed.ts';
import { runProgram } from './run-program.ts';
import { startClickHouse } from './start-clickhouse.ts';
import { startTestService } from './start-test-service.ts';

const SAMPLES = 230_000;

describe.skipIf(!isInstalled('clickhouse-server'))('a migration of telemetry to ClickHouse', () => {
  let folder: string;
  let dataDir: string;
  let key: string;
  let server: Awaited<ReturnType<typeof startClickHouse>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'penstock-clickhouse-migrate-'));
    dataDir = join(folder, 'data');
    server = await startClickHouse();
    const service = await startFilledService();
    key = (await service.mintKey(['telemetry:read', 'devices:read'])).secret;
    await service.restart(() => copyInstallation(service.dataDir, dataDir, SAMPLES));
    await service.close();
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  let databases = 0;
  const createDatabase = async (): Promise<string> => {
    databases += 1;
    await server.run(`create database migrated_${databases}`);
    return `migrated_${databases}`;
  };

  const run = async (work: typeof migrateData, database: string, more: Partial<Migration> = {}) => {
    const source = await openMigrationSource(dataDir);
    try {
      return await work({
        source: source.telemetry,
        metadata: undefined,
        telemetry: {
          clickhouse: readClickHouseAddress(server.urlOf(database))!,
          name: 'The database of --telemetry-to',
        },
        now: Date.now,
        signal: new AbortController().signal,
        report: () => undefined,
        onRetry: () => undefined,
        retriesMs: [50, 100, 200, 400, 800],
        ...more,
      });
    } finally {
      source.close();
    }
  };

  const killAfter = (steps: number) => {
    let left = steps;
    return () => {
      left -= 1;
      if (left === 0) throw new Error('killed');
    };
  };

  it('arrives although it is killed after each step, and the comparison finds what was changed', async () => {
    const database = await createDatabase();
    await expect(run(migrateData, database, { report: killAfter(1) })).rejects.toThrow('killed');
    const start = () =>
      startTestService({ env: { TELEMETRY_URL: server.urlOf(database) }, timeouts: { databaseWaitMs: 0 } });
    await expect(start()).rejects.toThrow(
      /^The database of TELEMETRY_URL holds an unfinished migration\. To continue the migration, run .*migrate again, then start Penstock\.$/,
    );
    const seen: Progress[] = [];
    const kill = killAfter(2);
    const killed = run(migrateData, database, {
      report: (progress) => {
        seen.push(progress);
        kill();
      },
    });
    await expect(killed).rejects.toThrow('killed');
    expect(seen[0]!.done, 'nothing is copied twice').toBeGreaterThan(100_000);
    // As if the last position had not been saved: its samples are inserted again.
    await server.run(
      `insert into ${database}.data_migration select content, source, penstock, started_at, -1, '', 0 from ${database}.data_migration final`,
    );
    let isStopped = false;
    const { telemetry } = await run(migrateData, database, {
      // Restarts the server once, while samples are copied.
      report: () => {
        if (!isStopped) void server.stop().then(server.start);
        isStopped = true;
      },
    });
    expect(telemetry.samples).toBeGreaterThan(SAMPLES);
    await run(compareMigration, database);
    await server.run(
      `insert into ${database}.telemetry_sample select series, ts, value + 1, text from ${database}.telemetry_sample final where value > 400 order by ts limit 1`,
    );
    await expect(run(compareMigration, database)).rejects.toThrow(
      /^The data in ClickHouse differs from the source\. dev_\S+ level has [\d,]+ samples \(\w+\) in ClickHouse and [\d,]+ samples \(\w+\) in telemetry\.db\.$/,
    );
    await server.run(`drop database ${database}`);
  });

  it('by the command leaves the rest where it is, and a service continues with both', async () => {
    const database = await createDatabase();
    const url = server.urlOf(database);
    const { code, stdout, stderr } = await runProgram([LAUNCH, 'migrate', '--from', dataDir], {
      TELEMETRY_URL: url,
    }).ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('Everything but the telemetry stays in')]);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'finished', tables: [] });
    const again = await runProgram(
      [LAUNCH, 'migrate', '--from', dataDir, '--verify', '--telemetry-to', url],
      {},
    ).ended;
    expect(JSON.parse(again.stdout)).toMatchObject({ state: 'equal' });
    const service = await startTestService({ env: { DATABASE_URL: '', TELEMETRY_URL: url, ...FILLED_ENV } });
    await service.restart(() => cpSync(dataDir, service.dataDir, { recursive: true }));
    const ts = 1_760_000_000_000;
    const path = `/v1/telemetry?device=pump-7&metric=level&from=${ts}&to=${ts + 240_000}`;
    const { body } = await service.request('GET', path, { token: key });
    expect(body.series[0]).toMatchObject({ value: [0, 1, Math.SQRT2, Math.sqrt(3)] });
    await service.close();
  });

  it('rejects a database that contains anything else', async () => {
    const database = await createDatabase();
    await server.run(`create table ${database}.a_log (id UInt8) engine = MergeTree order by id`);
    await expect(run(migrateData, database)).rejects.toThrow(
      'The database of --telemetry-to is not empty: it contains a_log. Specify an empty database.',
    );
  });
});
