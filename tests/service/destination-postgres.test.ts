import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SpooledSamples } from '#service/pipelines/destinations/destination.ts';
import { startFaultProxy } from './fault-proxy.ts';
import {
  delivery,
  openDestination,
  timeoutSignal,
  trustTestCertificate,
  wordsOfFailure,
} from './open-destination.ts';
import { findPostgres, startPostgres } from './start-postgres.ts';
import { FRAGILE_VALUES } from './fragile-values.ts';

const OWNER = 'canary-of-the-owner';
const PASSWORD = 'canary-of-postgres';
const T = 1_700_000_000_123;

describe.skipIf(findPostgres() === undefined)('a destination in PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  const open = (options: Record<string, unknown> = {}, url?: string, allowedNetworks?: string[]) => {
    let count = 0;
    const { deliver, probe } = openDestination('postgres', {
      url: url ?? `postgres://127.0.0.1:${server.port}/plant`,
      options: { username: 'penstock', password: PASSWORD, ...options },
      ...(allowedNetworks === undefined ? {} : { allowedNetworks }),
    });
    return {
      deliver: (samples: SpooledSamples[], signal = timeoutSignal()) =>
        deliver(delivery(`dlv_${count++}`, samples), signal),
      probe: () => probe(timeoutSignal()),
    };
  };
  /** Runs SQL as the owner, in the database of the destination. */
  const run = async <R extends object>(sql: string, database = 'plant'): Promise<R[]> => {
    const url = new URL(server.url);
    url.pathname = `/${database}`;
    const client = new Client({ connectionString: url.href });
    await client.connect();
    try {
      return (await client.query<R>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  type Row = {
    ts: Date;
    device: string;
    metric: string;
    value: number | null;
    text: string | null;
    flag: boolean | null;
  };
  const rows = (table = 'penstock_samples') => run<Row>(`select * from ${table} order by device, metric, ts`);
  const values = async () => (await rows()).map(({ value, text, flag }) => value ?? text ?? flag);
  const sample = (n: number, of: SpooledSamples['values'] = { n }): SpooledSamples => ({
    device: 'boiler-7',
    ts: T + n,
    values: of,
  });

  beforeAll(async () => {
    server = await startPostgres({ password: OWNER });
    await run(`create role penstock login password '${PASSWORD}'`, 'postgres');
    await run('create database plant owner penstock', 'postgres');
  });
  afterAll(() => server.close());
  afterEach(async () => {
    await run('drop table if exists penstock_samples');
  });

  it('stores each value exactly, in the column of its kind', async () => {
    const destination = open();
    await destination.deliver([sample(0, FRAGILE_VALUES)]);
    const stored = Object.fromEntries(
      (await rows()).map(({ metric, value, text, flag }) => [metric, [value, text, flag]]),
    );
    const expected = Object.entries(FRAGILE_VALUES).map(([metric, value]) => [
      metric,
      [
        typeof value === 'number' ? value : null,
        typeof value === 'string' ? value : null,
        typeof value === 'boolean' ? value : null,
      ],
    ]);
    expect(stored).toEqual(Object.fromEntries(expected));
    expect(Object.is(stored['negativeZero']?.[0], -0)).toBe(true);
    expect((await rows())[0]?.ts.getTime()).toBe(T);
  });

  it('replaces NUL by its picture, and unpaired surrogates by the replacement character', async () => {
    const destination = open();
    await destination.deliver([{ device: 'a\0', ts: T, values: { 'm\0': 'x\0y\ud800' } }]);
    expect(await rows()).toMatchObject([{ device: 'a␀', metric: 'm␀', text: 'x␀y\ufffd' }]);
  });

  it('writes a repeated delivery once, and overwrites changed values with their kind', async () => {
    const destination = open();
    await destination.deliver([sample(1), sample(2)]);
    const [first] = await run<{ xmin: string }>(
      'select xmin::text from penstock_samples order by ts limit 1',
    );
    await destination.deliver([sample(1), sample(2, { n: 'two' })]);
    expect(await values()).toEqual([1, 'two']);
    expect(await run('select xmin::text from penstock_samples order by ts limit 1')).toEqual([first]);
  });

  it('keeps the last of two samples with the same key in a delivery', async () => {
    const destination = open();
    await destination.deliver([sample(1, { n: 5 }), sample(1, { n: 6 }), sample(1, { n: true })]);
    expect(await values()).toEqual([true]);
  });

  it('accepts concurrent deliveries for the same rows without deadlocks', async () => {
    const destination = open();
    const samples = Array.from({ length: 500 }, (_, n) => sample(n));
    await Promise.all(
      Array.from({ length: 8 }, (_, k) => destination.deliver(k % 2 === 0 ? samples : samples.toReversed())),
    );
    expect(await values()).toHaveLength(500);
    const connections = `select 1 from pg_stat_activity where usename = 'penstock'`;
    await expect.poll(() => run(connections)).toHaveLength(4);
  });

  it('reports in a test whether the table exists, without writing samples', async () => {
    const destination = open();
    expect(await destination.probe()).toMatch(
      /^Connected to PostgreSQL \d+\.\d+\. Penstock will create the table penstock_samples\.$/,
    );
    expect(await run(`select to_regclass('penstock_samples') t`)).toEqual([{ t: null }]);
    await destination.deliver([sample(1)]);
    expect(await destination.probe()).toMatch(/\. The table penstock_samples accepts samples\.$/);
    expect(await values()).toEqual([1]);
  });

  it('uses an existing schema, and names a missing one', async () => {
    const other = open({ table: 'site.samples' });
    expect(await wordsOfFailure(other.deliver([sample(1)]))).toMatch(
      /^refused: .*has no schema with this name.*"site" does not exist/,
    );
    await run('create schema site authorization penstock');
    await other.deliver([sample(1)]);
    expect(await rows('site.samples')).toHaveLength(1);
    await run('drop schema site cascade');
  });

  it('creates the table again after it was dropped', async () => {
    const destination = open();
    await destination.deliver([sample(1)]);
    await run('drop table penstock_samples');
    await destination.deliver([sample(2)]);
    expect(await values()).toEqual([2]);
  });

  it('is blocked by a table with other columns, and by one without access', async () => {
    const destination = open();
    await run('create table penstock_samples (ts timestamptz); grant all on penstock_samples to penstock');
    expect(await wordsOfFailure(destination.probe())).toMatch(/^refused: .*other columns or another key/);
    expect(await wordsOfFailure(destination.deliver([sample(1)]))).toMatch(
      /^refused: .*other columns or another key/,
    );
    await run('drop table penstock_samples');
    await destination.deliver([sample(1)]);
    await run('alter table penstock_samples owner to postgres');
    expect(await wordsOfFailure(destination.deliver([sample(2)]))).toMatch(
      /^refused: .*denies access to this user/,
    );
  });

  it('rejects a value that violates a constraint, and stores nothing of its delivery', async () => {
    const destination = open();
    await destination.deliver([sample(1)]);
    await run('alter table penstock_samples add check (value < 1000)');
    expect(await wordsOfFailure(destination.deliver([sample(2), sample(1_000)]))).toMatch(
      /^unacceptable: .*check constraint/,
    );
    await destination.deliver([sample(3)]);
    expect(await values()).toEqual([1, 3]);
  });

  it('is blocked with a wrong or missing password, user or database, and never quotes the password', async () => {
    const url = `postgres://penstock:${PASSWORD}@127.0.0.1:${server.port}`;
    const failures = [
      await wordsOfFailure(open({ password: 'canary-of-a-wrong-one' }).deliver([sample(1)])),
      await wordsOfFailure(
        open({ username: undefined, password: undefined }, `${url}/nowhere`).deliver([sample(1)]),
      ),
      await wordsOfFailure(open({ password: undefined }).probe()),
      await wordsOfFailure(open({ username: undefined, password: undefined }).probe()),
    ];
    expect(failures).toEqual([
      expect.stringMatching(
        /^refused: 127\.0\.0\.1:\d+ rejects the user name or password: .*authentication failed/,
      ),
      expect.stringMatching(/^refused: .*has no database with this name: .*"nowhere"/),
      expect.stringMatching(/^refused: .*requires a password/),
      expect.stringMatching(/^refused: .*requires a user name/),
    ]);
    expect(failures.join()).not.toContain('canary');
  });

  it('signs in with the credentials of its URL, never with those of the environment', async () => {
    const secret = encodeURIComponent(PASSWORD);
    const own = open(
      { username: undefined, password: undefined },
      `postgres://penstock:${secret}@127.0.0.1:${server.port}/plant`,
    );
    await own.deliver([sample(1)]);
    process.env['PGPASSWORD'] = PASSWORD;
    try {
      expect(await wordsOfFailure(open({ password: undefined }).probe())).toContain('requires a password');
    } finally {
      delete process.env['PGPASSWORD'];
    }
  });

  it('uses TLS if configured, and verifies the certificate for “verify-full”', async () => {
    await open({ sslmode: 'require' }).deliver([sample(1)]);
    const connections = `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'penstock'`;
    await expect.poll(() => run(connections)).toEqual([{ ssl: true }]);
    expect(await wordsOfFailure(open({ sslmode: 'verify-full' }).probe())).toMatch(
      /^unavailable: TLS: .*self-signed/,
    );
    const asked = open({}, `postgres://localhost:${server.port}/plant?sslmode=verify-full`);
    expect(await wordsOfFailure(asked.probe())).toMatch(/^unavailable: TLS: .*self-signed/);
    trustTestCertificate();
    await asked.probe();
  });

  it('is unavailable while the server is stopped, and delivers after a restart of the server', async () => {
    const destination = open();
    await destination.deliver([sample(1)]);
    await server.stop();
    expect(await wordsOfFailure(destination.deliver([sample(2)]))).toMatch(
      /^unavailable: 127\.0\.0\.1:\d+ refused the connection/,
    );
    await server.start();
    await destination.deliver([sample(2)]);
    expect(await values()).toEqual([1, 2]);
  });

  it('ends at the signal if the server hangs, and leaves no connection open', async () => {
    const proxy = await startFaultProxy(server.port);
    proxy.fault = 'hang';
    const ended = new AbortController();
    const stuck = open({}, `postgres://127.0.0.1:${proxy.port}/plant`).deliver([sample(1)], ended.signal);
    const failure = wordsOfFailure(stuck);
    await expect.poll(proxy.open).toBe(2);
    ended.abort();
    expect(await failure).toMatch(/^unavailable: 127\.0\.0\.1:\d+ timed out before acknowledging/);
    await expect.poll(proxy.open).toBe(0);
    await proxy.close();
  });

  it('ends at the signal while another transaction locks the table, and writes nothing later', async () => {
    const destination = open();
    await destination.deliver([sample(1)]);
    const url = new URL(server.url);
    url.pathname = '/plant';
    const other = new Client({ connectionString: url.href });
    await other.connect();
    await other.query('begin; lock table penstock_samples in exclusive mode');
    const ended = new AbortController();
    const failure = wordsOfFailure(destination.deliver([sample(2)], ended.signal));
    const waiting = `select 1 from pg_stat_activity where usename = 'penstock' and wait_event_type = 'Lock'`;
    await expect.poll(() => run(waiting)).toHaveLength(1);
    ended.abort();
    expect(await failure).toMatch(/^unavailable: .*timed out before acknowledging/);
    await other.query('rollback');
    await other.end();
    await expect.poll(() => run(waiting)).toHaveLength(0);
    expect(await values()).toEqual([1]);
    await destination.deliver([sample(3)]);
    expect(await values()).toEqual([1, 3]);
  });

  it('rejects forbidden addresses with the reason', async () => {
    expect(await wordsOfFailure(open({}, undefined, []).deliver([sample(1)]))).toMatch(
      /^refused: 127\.0\.0\.1 is a loopback address.*ALLOWED_NETWORKS/,
    );
  });
});
