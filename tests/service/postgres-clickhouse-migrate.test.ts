import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { migrateData, type Migration } from '#service/migrate/migrate-data.ts';
import { openPostgresSource } from '#service/migrate/postgres-source.ts';
import type { Progress } from '#service/migrate/migration-steps.ts';
import { TELEMETRY_LOCK } from '#service/open-postgres.ts';
import { readPostgresAddress } from '#service/platform/storage/dialects/postgres-address.ts';
import { openPostgresDatabase } from '#service/platform/storage/postgres-database.ts';
import { TIMEOUTS } from '#service/platform/timeouts.ts';
import { readClickHouseAddress } from '#service/telemetry/store/clickhouse/clickhouse-address.ts';
import { packBatch } from '#service/telemetry/store/pack-batch.ts';
import { openPostgresTelemetryStore } from '#service/telemetry/store/postgres/postgres-telemetry-store.ts';
import { batchOf, type GivenSample } from './batch-of.ts';
import { LAUNCH } from './built-service.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { isInstalled } from './installed.ts';
import { connectTo, runOn } from './postgres-client.ts';
import { runProgram } from './run-program.ts';
import { startClickHouse } from './start-clickhouse.ts';
import { startTestService } from './start-test-service.ts';
import { createEmptyDatabase, type TestDatabase } from './test-database.ts';

const START = 1_760_000_000_000;

/** Series of numbers, texts and booleans next to each other. A step copies 1,000 texts. */
const SAMPLES: readonly GivenSample[] = [
  ...Array.from({ length: 3_000 }, (_, n) => ({ metric: 'level', value: Math.sqrt(n), n })),
  ...Array.from({ length: 2_500 }, (_, n) => ({ metric: 'state', value: `läuft \0 ${n}`, n })),
  ...Array.from({ length: 300 }, (_, n) => ({ metric: 'mode', value: `m${n}`, n })),
  ...Array.from({ length: 300 }, (_, n) => ({ metric: 'on', value: n % 3 === 0, n })),
].map(({ metric, value, n }) => ({ device: 'dev_a', metric, value, ts: START - n * 60_000 }));

describe.skipIf(!isInstalled('clickhouse-server'))(
  'a migration of telemetry from PostgreSQL to ClickHouse',
  () => {
    let server: Awaited<ReturnType<typeof startClickHouse>>;
    let database: TestDatabase;
    let key: string;

    const openSource = (url: string) =>
      openPostgresDatabase({
        address: readPostgresAddress(url)!,
        variable: '--from',
        content: 'telemetry',
        lockId: TELEMETRY_LOCK,
        mayShare: false,
        timeouts: TIMEOUTS,
        log: pino({ level: 'silent' }),
        onUnusable: () => undefined,
      });

    beforeAll(async () => {
      [server, database] = [await startClickHouse(), await createEmptyDatabase()];
      const service = await startTestService({ env: { DATABASE_URL: database.url } });
      key = (await service.mintKey(['telemetry:read', 'devices:read'])).secret;
      const { create, send } = httpPipelinesOf(() => service);
      await send(await create(), { device: 'pump-7', ts: START, values: { flow: 7.5, mode: 'auto' } });
      await service.close();
      const { openPool, close } = await openSource(database.url);
      const store = await openPostgresTelemetryStore(openPool);
      await store.write(packBatch(batchOf(SAMPLES)));
      await store.close();
      await close();
    });
    afterAll(async () => {
      await server.close();
      await database.drop();
    });

    let databases = 0;
    const createDatabase = async (): Promise<string> => {
      databases += 1;
      await server.run(`create database moved_${databases}`);
      return `moved_${databases}`;
    };

    const migrate = (args: readonly string[], env: Record<string, string> = {}) =>
      runProgram([LAUNCH, 'migrate', ...args], env).ended;

    const copy = async (to: string, report: Migration['report']) => {
      const { openPool, close } = await openSource(database.url);
      try {
        return await migrateData({
          source: await openPostgresSource(
            { openPool },
            { name: 'The database of --from', variable: '--from' },
          ),
          metadata: undefined,
          telemetry: {
            clickhouse: readClickHouseAddress(server.urlOf(to))!,
            name: 'The database of --telemetry-to',
          },
          now: Date.now,
          signal: new AbortController().signal,
          report,
          onRetry: () => undefined,
        });
      } finally {
        await close();
      }
    };

    it('continues after an interruption, and a service goes on with the metadata in PostgreSQL', async () => {
      const to = await createDatabase();
      const url = server.urlOf(to);
      const killed: Progress[] = [];
      const kill = (progress: Progress) => {
        killed.push(progress);
        if (killed.length === 2) throw new Error('killed');
      };
      await expect(copy(to, kill)).rejects.toThrow('killed');
      const total = SAMPLES.length + 2;
      expect(killed[1]).toMatchObject({ phase: 'copied', total });
      expect(killed[1]!.done).toBeLessThan(total);
      const resumed: Progress[] = [];
      const { telemetry } = await copy(to, (progress) => void resumed.push(progress));
      expect(resumed[0]!.done, 'nothing is copied twice').toBeGreaterThan(killed[1]!.done);
      expect(telemetry).toMatchObject({ series: 6, samples: total });

      const verified = await migrate(['--from', database.url, '--telemetry-to', url, '--verify']);
      expect(JSON.parse(verified.stdout)).toMatchObject({ state: 'equal', tables: [], telemetry });
      expect(verified.stdout + verified.stderr).not.toContain(new URL(url).password);

      const service = await startTestService({ env: { DATABASE_URL: database.url, TELEMETRY_URL: url } });
      onTestFinished(service.close);
      const path = `/v1/telemetry?device=pump-7&from=${START}&to=${START + 1}`;
      const { body } = await service.request('GET', path, { token: key });
      expect(body.series).toMatchObject([
        { metric: 'flow', value: [7.5] },
        { metric: 'mode', value: ['auto'] },
      ]);
    });

    it('finds samples that differ, and is not continued after the source changed', async () => {
      const to = await createDatabase();
      await copy(to, () => undefined);
      await server.run(
        `insert into ${to}.telemetry_sample select series, ts, value + 1, text from ${to}.telemetry_sample final where value > 50 order by ts limit 1`,
      );
      const { code, stdout } = await migrate(['--from', database.url, '--verify'], {
        TELEMETRY_URL: server.urlOf(to),
      });
      expect([code, JSON.parse(stdout).problem]).toEqual([
        1,
        expect.stringMatching(
          /^The data in ClickHouse differs from the source\. dev_a level has 3,000 samples \(\w+\) in ClickHouse and 3,000 samples \(\w+\) in PostgreSQL\.$/,
        ),
      ]);
      const other = await createDatabase();
      const kill = () => {
        throw new Error('killed');
      };
      await expect(copy(other, kill)).rejects.toThrow('killed');
      await runOn(database.url, 'update telemetry_generation set value = value + 1');
      await expect(copy(other, kill)).rejects.toThrow(
        /^The database of --telemetry-to holds an unfinished migration of other data, or of this data before it changed, /,
      );
    });

    it('is rejected while a service uses the source', async () => {
      const to = await createDatabase();
      const client = await connectTo(database.url);
      onTestFinished(() => client.end());
      // As a service that shares the database with others.
      await client.query('select pg_advisory_lock_shared($1)', [TELEMETRY_LOCK]);
      const { code, stdout } = await migrate(['--from', database.url, '--telemetry-to', server.urlOf(to)]);
      expect([code, JSON.parse(stdout).problem]).toEqual([
        1,
        expect.stringMatching(
          /^Another Penstock process uses the database of --from at \S+\. Stop that process, /,
        ),
      ]);
    });

    it('rejects any other pair of databases', async () => {
      const [empty, unfinished] = [await createEmptyDatabase(), await createEmptyDatabase()];
      onTestFinished(async () => {
        await empty.drop();
        await unfinished.drop();
      });
      await runOn(
        unfinished.url,
        `create table data_migration (
           content text, source text, penstock text, started_at bigint, finished_at bigint
         );
         insert into data_migration values ('telemetry', '/data', '0.1.0', 1, null)`,
      );
      const to = ['--telemetry-to', server.urlOf(await createDatabase())];
      const rejected: [args: string[], problem: string][] = [
        [['--from', database.url], 'Telemetry in PostgreSQL can be copied only to ClickHouse.'],
        [
          ['--from', database.url, '--telemetry-to', empty.url],
          'Telemetry in PostgreSQL can be copied only to',
        ],
        [
          ['--from', database.url, '--to', empty.url, ...to],
          'From PostgreSQL, Penstock copies only telemetry',
        ],
        [['--from', server.urlOf('x'), ...to], '--from must be a DATA_DIR, or a URL such as postgres://'],
        [['--from', empty.url, ...to], 'The database of --from at'],
        [['--from', unfinished.url, ...to], 'The database of --from holds an unfinished migration.'],
      ];
      for (const [args, problem] of rejected) {
        const { code, stdout } = await migrate(args);
        expect([code, JSON.parse(stdout)]).toEqual([
          1,
          expect.objectContaining({ state: 'failed', problem: expect.stringContaining(problem) }),
        ]);
      }
    });
  },
);
