import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '#service/platform/storage/dialects/database-unavailable.ts';
import { readClickHouseAddress } from '#service/telemetry/store/clickhouse/clickhouse-address.ts';
import { createClickHouseOpener } from '#service/telemetry/store/clickhouse/clickhouse-client.ts';
import { openClickHouseTelemetryStore } from '#service/telemetry/store/clickhouse/clickhouse-telemetry-store.ts';
import { batchOf } from './batch-of.ts';
import { isInstalled } from './installed.ts';
import { isFullRun } from './sized.ts';
import { startClickHouseCluster } from './start-clickhouse-cluster.ts';
import { describeTelemetryStore } from './telemetry-store-cases.ts';

const DEVICES = Array.from({ length: 8 }, (_, n) => `dev_${n}`);

describe.skipIf(!isInstalled('clickhouse-server'))('telemetry in a cluster of ClickHouse', () => {
  let cluster: Awaited<ReturnType<typeof startClickHouseCluster>>;
  beforeAll(async () => {
    cluster = await startClickHouseCluster();
  });
  afterAll(() => cluster.close());

  let databases = 0;
  const createPlace = async () => {
    databases += 1;
    const database = `penstock_${databases}`;
    await cluster.runOnAll(`create database ${database}`);
    const address = readClickHouseAddress(cluster.urlOf(database))!;
    const openAt = (options: { metricsPerDevice?: number } = {}) =>
      openClickHouseTelemetryStore(createClickHouseOpener(address), {
        cluster: address.cluster,
        writeEveryMs: 0,
        ...options,
      });
    return {
      database,
      open: openAt,
      remove: async () => void (await cluster.runOnAll(`drop database ${database}`)),
      settle: async () =>
        void (await cluster.runOnAll(`optimize table ${database}.telemetry_sample_local final`)),
    };
  };

  if (isFullRun)
    describeTelemetryStore('a cluster of ClickHouse', createPlace, {
      historyShare: 0.2,
    });

  it('spreads series over the shards, and reads, deletes and counts on all of them', async () => {
    const place = await createPlace();
    const store = await place.open();
    const january = Date.parse('2026-01-15T00:00:00Z');
    const given = DEVICES.flatMap((device) => [
      { device, ts: january, value: 1 },
      { device, ts: january, value: 2 },
      { device, ts: january + 40 * 86_400_000, value: 3 },
    ]);
    await store.write(batchOf(given));
    const onShards = await cluster.runOnAll(
      `select count() from ${place.database}.telemetry_series_local where id in (select series from ${place.database}.telemetry_sample_local)`,
    );
    expect(onShards.map(Number).every((count) => count > 0)).toBe(true);
    expect(onShards.map(Number).reduce((sum, count) => sum + count)).toBe(DEVICES.length);
    const all = { devices: DEVICES, fromMs: -Infinity, toMs: Infinity };
    const read = async () =>
      (await store.read(all, { points: 9 }, [])).series.map(({ value }) => [...value!]);
    expect(await read()).toEqual(DEVICES.map(() => [2, 3]));
    await place.settle();
    expect(await store.stats()).toMatchObject({ samples: 16 });
    await store.removeBefore?.(january + 86_400_000);
    expect(await read()).toEqual(DEVICES.map(() => [3]));
    expect(await store.remove(all)).toBe(8);
    expect(await store.countSeries(DEVICES)).toBe(0);
    await store.close();
    await place.remove();
  });

  it('a killed server loses nothing that was answered, whether or not it had the connection', async () => {
    const place = await createPlace();
    const store = await place.open();
    const answered = new Map<string, number>();
    const writing = new AbortController();
    const failures: unknown[] = [];
    const writeAll = async (device: string) => {
      for (let ts = 0; !writing.signal.aborted; ts += 1)
        await store.write(batchOf([{ device, ts, value: ts }])).then(
          () => void answered.set(device, (answered.get(device) ?? 0) + 1),
          (error: unknown) => {
            failures.push(error);
            ts -= 1;
          },
        );
    };
    const senders = DEVICES.map(writeAll);
    const total = () => [...answered.values()].reduce((sum, count) => sum + count, 0);
    const selection = { devices: DEVICES, fromMs: -Infinity, toMs: Infinity };
    const read = () => store.read(selection, { points: 100_000 }, []);
    for (const server of cluster.servers) {
      const [before, failed] = [total(), failures.length];
      await expect.poll(total).toBeGreaterThan(before + 40);
      await server.stop();
      await expect.poll(() => failures.length).toBeGreaterThan(failed);
      await expect(read()).rejects.toBeInstanceOf(DatabaseUnavailable);
      await server.start();
    }
    const before = total();
    await expect.poll(total).toBeGreaterThan(before + 40);
    writing.abort();
    await Promise.all(senders);
    expect(failures.every((error) => error instanceof DatabaseUnavailable)).toBe(true);
    const { series } = await read();
    expect(Object.fromEntries(series.map(({ device, ts }) => [device, [...ts]]))).toEqual(
      Object.fromEntries([...answered].map(([device, count]) => [device, [...Array(count).keys()]])),
    );
    await store.close();
    await place.remove();
  });

  it('a start says what is wrong with the servers of the URL', async () => {
    const place = await createPlace();
    const open = (url: string) => {
      const address = readClickHouseAddress(url)!;
      return openClickHouseTelemetryStore(createClickHouseOpener(address), { cluster: address.cluster });
    };
    const url = cluster.urlOf(place.database);
    const [first, second] = cluster.servers;
    const alone = first!.urlOf(place.database);
    await expect(open(url.replace('cluster=two', 'cluster=three'))).rejects.toThrow(
      /^ClickHouse at \S+ has no cluster "three"\. Set cluster= in TELEMETRY_URL to one of its remote_servers\.$/,
    );
    await expect(open(`${alone}?cluster=two`)).rejects.toThrow(
      'TELEMETRY_URL lists 1 server, but the cluster "two" has 2. List each of them, with its HTTP port.',
    );
    await second!.stop();
    await expect(open(url)).rejects.toBeInstanceOf(DatabaseUnavailable);
    await second!.start();
    await (await place.open()).close();
    await expect(open(alone)).rejects.toThrow(
      / has tables of a cluster\. Set cluster= to its name, or use another/,
    );
    await place.remove();
  });
});

it('an address names several servers only of a cluster', () => {
  expect(readClickHouseAddress('clickhouses://a:b%40@h1,h2:9/db?cluster=c&insert_quorum=2')).toEqual({
    place: 'h1:8443, h2:9',
    servers: [
      { place: 'h1:8443', origin: 'https://h1:8443' },
      { place: 'h2:9', origin: 'https://h2:9' },
    ],
    user: 'a',
    password: 'b@',
    database: 'db',
    cluster: { name: 'c', database: 'db', insertQuorum: 2 },
  });
  for (const wrong of [
    'clickhouse://h1,h2/db',
    'clickhouse://h1,h1/db?cluster=c',
    'clickhouse://h1,/db?cluster=c',
    'clickhouse://h1/db?insert_quorum=2',
    'clickhouse://h1/db?cluster=c&insert_quorum=0',
    "clickhouse://h1/db?cluster='",
    'clickhouse://h1:70000/db',
  ])
    expect([wrong, readClickHouseAddress(wrong)]).toEqual([wrong, undefined]);
});
