import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '#service/platform/storage/dialects/database-unavailable.ts';
import { QueryTooLarge } from '#service/platform/storage/store-errors.ts';
import { readClickHouseAddress } from '#service/telemetry/store/clickhouse/clickhouse-address.ts';
import { createClickHouseOpener } from '#service/telemetry/store/clickhouse/clickhouse-client.ts';
import { openClickHouseTelemetryStore } from '#service/telemetry/store/clickhouse/clickhouse-telemetry-store.ts';
import { waitForMutation } from '#service/telemetry/store/clickhouse/clickhouse-mutations.ts';
import { RowReader, RowWriter } from '#service/telemetry/store/clickhouse/row-binary.ts';
import { OUTCOME } from '#service/telemetry/store/telemetry-store.ts';
import { createWriteQueue } from '#service/telemetry/store/write-queue.ts';
import { batchOf } from './batch-of.ts';
import { isInstalled } from './installed.ts';
import { sized } from './sized.ts';
import { CLICKHOUSE_PASSWORD, startClickHouse } from './start-clickhouse.ts';
import { startTestService } from './start-test-service.ts';
import { describeTelemetryStore } from './telemetry-store-cases.ts';
import { ALL, plain } from './tested-store.ts';
import { writeSample } from './write-sample.ts';

describe.skipIf(!isInstalled('clickhouse-server'))('telemetry in ClickHouse', () => {
  let server: Awaited<ReturnType<typeof startClickHouse>>;
  beforeAll(async () => {
    server = await startClickHouse();
  });
  afterAll(() => server.close());

  let databases = 0;
  const createDatabase = async (): Promise<string> => {
    databases += 1;
    await server.run(`create database penstock_${databases}`);
    return `penstock_${databases}`;
  };
  const createPlace = async () => {
    const database = await createDatabase();
    const address = readClickHouseAddress(server.urlOf(database))!;
    return {
      open: (options: { metricsPerDevice?: number } = {}) =>
        openClickHouseTelemetryStore(createClickHouseOpener(address), {
          writeEveryMs: 0,
          ...options,
        }),
      remove: async () => void (await server.run(`drop database ${database}`)),
      settle: async () => void (await server.run(`optimize table ${database}.telemetry_sample final`)),
    };
  };

  describeTelemetryStore('ClickHouse', createPlace, { historyShare: sized(0.2, 1) });

  it('deletes old months whole, and old days from the month where the retention ends', async () => {
    const place = await createPlace();
    const store = await place.open();
    const times = ['1970-01-02', '2025-11-15', '2026-01-14', '2026-01-15', '2026-02-15', '2101-01-01'];
    const given = times.map((time, value) => ({ ts: Date.parse(`${time}T06:00:00Z`), value }));
    await store.write(batchOf([...given, { ...given[0]!, metric: 'ended' }]));
    await store.removeBefore?.(Date.parse('2026-01-15T12:00:00Z'));
    const { series } = await store.read(ALL, { points: 9 }, []);
    expect(series.map(plain)).toMatchObject([{ metric: 'temp', value: [3, 4, 5] }]);
    await store.close();
    await place.remove();
  });

  it('leaves out a metric whose samples are deleted while its latest value is read', async () => {
    const database = await createDatabase();
    const open = createClickHouseOpener(readClickHouseAddress(server.urlOf(database))!);
    const store = await openClickHouseTelemetryStore((options) => {
      const opened = open(options);
      const select = async (query: string) => {
        const rows = await opened.select(query);
        if (query.includes('maxIf(ts')) await server.run(`truncate table ${database}.telemetry_sample`);
        return rows;
      };
      return { ...opened, select };
    });
    await store.write(batchOf([{ ts: 1, value: 1 }]));
    expect(await store.metrics(['dev_a'])).toEqual([]);
    await store.close();
  });

  it('rejects a read that takes too much memory, with advice', async () => {
    const address = readClickHouseAddress(server.urlOf(await createDatabase()))!;
    const open = createClickHouseOpener(address);
    const store = await openClickHouseTelemetryStore((options) => {
      const isForReads = options.settings?.['max_execution_time'] !== undefined;
      const limit = isForReads ? { max_memory_usage: 6_000_000 } : {};
      return open({ ...options, settings: { ...options.settings, ...limit } });
    });
    await store.write(batchOf(Array.from({ length: 20_000 }, (_, ts) => ({ ts, value: ts }))));
    const error = await store.read(ALL, { bucketMs: 1 }, ['first']).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(QueryTooLarge);
    expect(String(error)).toContain('Choose fewer devices or metrics, or a shorter range.');
    await store.close();
  });

  it('closes although a mutation fails forever, and reports the removal that waits for it', async () => {
    const database = await createDatabase();
    const address = readClickHouseAddress(server.urlOf(database))!;
    const open = createClickHouseOpener(address);
    const store = await openClickHouseTelemetryStore(open, { closeWithinMs: 50 });
    await store.write(batchOf([{ ts: 1, value: 1 }]));
    await server.run(`alter table ${database}.telemetry_sample delete where intDiv(1, ts - ts) = 1`);
    const removal = store.remove(ALL).catch((error: unknown) => error);
    await store.close();
    expect(await removal).toBeInstanceOf(DatabaseUnavailable);
    expect(String(await removal)).toContain('Penstock stopped before the deletion was complete');
    await server.run(`drop database ${database}`);
  });

  it('does not open tables of a newer version', async () => {
    const database = await createDatabase();
    const address = readClickHouseAddress(server.urlOf(database))!;
    const open = () => openClickHouseTelemetryStore(createClickHouseOpener(address));
    await (await open()).close();
    await server.run(`insert into ${database}.telemetry_schema values (99)`);
    await expect(open()).rejects.toThrow(/newer version of Penstock \(schema 99\)/);
    await server.run(`drop database ${database}`);
  });

  it('a service starts only with a server, a password and a database, and never names the password', async () => {
    const url = new URL(server.urlOf('default'));
    const wrong = (change: Partial<URL>): string => Object.assign(new URL(url.href), change).href;
    for (const [env, line] of [
      [{ port: '1' }, 'No ClickHouse server answers at 127.0.0.1:1. Start it, or correct TELEMETRY_URL'],
      [{ password: 'hunter2' }, 'rejects the user or the password of TELEMETRY_URL. Correct them'],
      [{ pathname: '/missing' }, 'has no database "missing". Create it, or set TELEMETRY_URL to another'],
      [{ port: String(server.tcpPort) }, 'does not speak HTTP. Set the HTTP port of ClickHouse'],
    ] as const) {
      const started = startTestService({
        env: { TELEMETRY_URL: wrong(env) },
        timeouts: { databaseWaitMs: 0 },
      });
      const error = await started.then(
        () => 'started',
        ({ message }: Error) => message,
      );
      expect(error).toContain(line);
      expect(error).not.toMatch(new RegExp(`hunter2|${CLICKHOUSE_PASSWORD}`));
    }
  });

  it('a service rejects requests while the server is down, and goes on when it answers', async () => {
    const lines: string[] = [];
    const env = { TELEMETRY_URL: server.urlOf(await createDatabase()) };
    const service = await startTestService({ env, logTo: { write: (line) => void lines.push(line) } });
    const now = Date.now();
    expect((await writeSample(service, now)).body).toMatchObject({ accepted: 1, duplicates: 0 });
    await server.stop();
    for (let i = 0; i < 3; i += 1) expect((await writeSample(service, now + 1)).status).toBe(503);
    await server.start();
    expect((await writeSample(service, now + 2)).body).toMatchObject({ accepted: 1 });
    await service.close();
    const logged = (text: string) => lines.filter((line) => line.includes(text)).length;
    expect(
      ['does not wait for the disk', 'a call to ClickHouse failed', 'ClickHouse answers again'].map(logged),
    ).toEqual([1, 1, 1]);
    expect(logged(CLICKHOUSE_PASSWORD)).toBe(0);
  });
});

it('a removal ends with the reason for which a newer ClickHouse cannot delete', async () => {
  const reason = `Code: 241. DB::Exception: Memory limit exceeded`;
  const answers = [
    new RowWriter().uint8(1).bytes(),
    new RowWriter().text('0000000003').uint8(0).text(reason).bytes(),
  ];
  const server = {
    place: 'db:8123',
    run: async () => undefined,
    insert: async () => undefined,
    select: async () => new RowReader(answers.shift() ?? Buffer.alloc(0)),
    close: async () => undefined,
  };
  await expect(
    waitForMutation({ server, table: 'telemetry_sample', earlier: new Set() }, new AbortController().signal),
  ).rejects.toMatchObject({ name: 'ClickHouseFailure', code: 241, message: 'Memory limit exceeded' });
});

it('writes that arrive soon after another are written together, up to a number of samples', async () => {
  const sizes: number[] = [];
  const queue = createWriteQueue(
    async (batches) => {
      sizes.push(batches.length);
      return batches.map(() => ({ outcome: Uint8Array.of(OUTCOME.accepted), kinds: [] }));
    },
    { writeEveryMs: 100, samplesPerTransaction: 3 },
  );
  const write = () => queue.write(batchOf([{ ts: 0, value: 1 }]));
  await write();
  await Promise.all([write(), write(), setImmediate().then(write), setImmediate().then(write)]);
  expect(sizes).toEqual([1, 3, 1]);
});
