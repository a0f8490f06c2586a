import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BackupError } from '#service/backup/backup-error.ts';
import { DATA_FILES, type DataFile } from '#service/backup/data-files.ts';
import { createBackup } from '#service/backup/backup.ts';
import type { DatabaseSync } from '#service/platform/storage/dialects/sqlite.ts';
import { upgradeTelemetryFile } from '#service/telemetry/store/embedded/convert-sample-table.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { STORE_SIZES } from '#service/telemetry/store/embedded/store-sizes.ts';
import { packBatch } from '#service/telemetry/store/pack-batch.ts';
import { formatQuantity, type CheckResult } from '#service/platform/storage/database-check.ts';
import { verifyDatabase } from '#service/verify/verify-database.ts';
import { verifyDataDir } from '#service/verify/verify-databases.ts';
import { batchOf } from './batch-of.ts';
import { LAUNCH } from './built-service.ts';
import { createEarlierDatabase, versions } from './earlier-database.ts';
import { runProgram } from './run-program.ts';
import { sized } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { canTrace } from './strace.ts';
import { withSqlite } from './with-sqlite.ts';

const START = 1_760_000_000_000;
/** A compaction begins as soon as there is anything to move. */
const EAGER = { samples: 1, series: 1, rows: 1, bytes: 1 };

let service: TestService;
let folder: string;
/** A data directory with 3 devices, a spool, 5 chunks, rollups and a journal that replaces, adds and deletes samples. */
let original: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-verify-'));
  service = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
  const createDevice = async (name: string, tags: Record<string, string>): Promise<string> =>
    (
      await service.request('POST', '/v1/devices', {
        body: { externalId: name, name, type: 'machine', tags },
      })
    ).body.id;
  await createDevice('pump', { site: 'north', line: '1' });
  await createDevice('tank', { site: 'north' });
  await service.request('DELETE', `/v1/devices/${await createDevice('gone', { site: 'south' })}`);
  await service.request('POST', '/v1/destinations', {
    body: { name: 'Down', type: 'webhook', url: 'http://127.0.0.1:9/', options: {} },
  });
  for (const [name, destination] of [
    ['Plant', 'telemetry'],
    ['Remote', 'Down'],
  ]) {
    const { body: pipeline } = await service.request('POST', '/v1/pipelines', {
      body: { name, type: 'http', interval: 1, destination },
    });
    for (let n = 0; n < 5; n += 1)
      await service.request('POST', `/v1/pipelines/${pipeline.id}/messages`, {
        body: { device: 'pump', ts: START + n * 1_000, values: { level: n, mode: `m${n % 2}` } },
      });
  }
  original = join(folder, 'original');
  await service.restart(() => cpSync(service.dataDir, original, { recursive: true }));
  withSqlite(join(original, 'telemetry.db'), fillChunks);
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const samplesOf = (
  metric: string,
  from: number,
  count: number,
  value: (n: number) => number | string = (n) => n / 10,
) =>
  packBatch(
    batchOf(
      Array.from({ length: count }, (_, n) => ({ metric, ts: START + (from + n) * 1_000, value: value(n) })),
    ),
  );

const fillChunks = (db: DatabaseSync): void => {
  const store = new SampleStore(db, {
    limit: EAGER,
    sizes: { ...STORE_SIZES, samplesPerChunk: 256, chunksPerRollup: 4 },
  });
  store.write([samplesOf('flow', 0, 5_000, Math.sqrt), samplesOf('once', 0, 1)]);
  while (store.compact(1_000));
  const lasting = new SampleStore(db);
  // Replaces 10 samples of a chunk, adds 10, and deletes samples of chunks and of the journal.
  lasting.write([samplesOf('flow', 4_990, 20)]);
  for (const _ of lasting.remove({
    devices: ['dev_a'],
    metrics: ['flow'],
    fromMs: START + 4_985_000,
    toMs: START + 4_995_000,
  }));
};

/** Runs the command on a data directory, or on a backup. */
const verify = async (dataDir: string, ...files: string[]) => {
  const env = { DATA_DIR: dataDir, INIT_CWD: folder };
  const { code, stdout, stderr } = await runProgram([LAUNCH, 'verify', ...files], env).ended;
  return { code, lines: stdout.trimEnd().split('\n'), stderr };
};

/** Runs the checks of a database in this process: a program with its threads takes seconds. */
const check = (dataDir: string, file: DataFile): CheckResult[] => {
  const results: CheckResult[] = [];
  verifyDatabase({ file, path: join(dataDir, file), isReadOnly: false }, (message) => {
    if ('result' in message) results.push(message.result);
  });
  return results;
};

/** The problems of a data directory, by check. */
const findProblems = (dataDir: string): Record<string, readonly string[]> =>
  Object.fromEntries(
    DATA_FILES.flatMap((file) =>
      check(dataDir, file)
        .filter(({ problemCount }) => problemCount > 0)
        .map(({ name, problems }) => [`${file} ${name}`, problems]),
    ),
  );

let copies = 0;
/** A copy of the data directory, with a change to one of its files. */
const changed = (file: string, change: (db: DatabaseSync) => unknown): string => {
  const dataDir = join(folder, `copy-${(copies += 1)}`);
  cpSync(original, dataDir, { recursive: true });
  withSqlite(join(dataDir, file), change);
  return dataDir;
};

const overwrite = (path: string, position: number, bytes: Buffer): void => {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, position);
  closeSync(file);
};

const METADATA = [
  expect.stringMatching(/^penstock\.db {3}structure {5}ok {7}[\d.]+ MiB$/),
  expect.stringMatching(/^penstock\.db {3}foreign keys {2}ok {7}\d+ references$/),
  'penstock.db   devices       ok       2 devices, 4 tags',
  'penstock.db   pipelines     ok       2 ledgers',
  'penstock.db   spool         ok       5 batches, 10 samples',
  expect.stringMatching(/^telemetry\.db {2}structure {5}ok {7}[\d.]+ MiB$/),
];

const temporaryFolders = () => readdirSync(folder).filter((name) => name.startsWith('.penstock'));

it('finds no damage in the data of a running service, which goes on', async () => {
  expect(await verify(service.dataDir)).toEqual({
    code: 0,
    stderr: '',
    lines: [
      ...METADATA,
      expect.stringMatching(/^telemetry\.db {2}journal {7}ok {7}\d writes$/),
      'telemetry.db  chunks        ok       0 chunks, 0 samples',
      'telemetry.db  rollups       ok       0 rollups',
      'telemetry.db  samples       ok       10 samples',
      'No damage found.',
    ],
  });
  expect((await service.request('GET', '/v1/devices')).status).toBe(200);
});

it('checks a backup, counts samples as a reader finds them, and leaves nothing beside it', async () => {
  const archive = join(folder, 'whole.tar');
  await createBackup({ dataDir: original, archive, now: () => START, report: () => undefined });
  expect(await verify(folder, 'whole.tar')).toEqual({
    code: 0,
    stderr: '',
    lines: [
      ...METADATA,
      'telemetry.db  journal       ok       2 writes',
      expect.stringMatching(/^telemetry\.db {2}chunks {8}ok {7}\d+ chunks, 5,001 samples$/),
      'telemetry.db  rollups       ok       1 rollup',
      'telemetry.db  samples       ok       5,011 samples',
      expect.stringMatching(
        /^whole\.tar: checksums ok, written by Penstock \S+, taken 2025-10-09T08:53:20\.000Z$/,
      ),
      'No damage found.',
    ],
  });
  overwrite(archive, statSync(archive).size - 20_000, Buffer.from('damaged'));
  expect(await verify(folder, 'whole.tar')).toMatchObject({
    code: 1,
    stderr: `penstock: ${archive} is damaged: telemetry.db is missing, or its checksum is wrong.\n`,
  });
  expect(temporaryFolders()).toEqual([]);
});

/** Changes one byte of the first row. */
const flipByte = (db: DatabaseSync, table: string, key: string, where = 'true'): void => {
  const row = db.prepare(`SELECT ${key} AS id, coded FROM ${table} WHERE ${where} ORDER BY 1 LIMIT 1`).get()!;
  const coded = Uint8Array.from(row['coded'] as Uint8Array);
  coded[Math.floor(coded.length / 2)]! ^= 1;
  db.prepare(`UPDATE ${table} SET coded = ? WHERE ${key} = ?`).run(coded, row['id']!);
};

it('finds no damage at any step of random writes, deletions and compactions', () => {
  const dataDir = join(folder, 'random');
  mkdirSync(dataDir);
  const step = fc.record({
    metric: fc.constantFrom('a', 'b', 'text'),
    from: fc.integer({ min: 0, max: 60 }),
    count: fc.integer({ min: 1, max: 30 }),
    what: fc.constantFrom('write', 'write', 'compact', 'remove'),
  });
  const sizes = {
    ...STORE_SIZES,
    samplesPerChunk: 16,
    samplesPerBlock: 4,
    samplesPerStep: 4,
    chunksPerRollup: 2,
  };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      withSqlite(join(dataDir, 'telemetry.db'), (db) => {
        upgradeTelemetryFile(db, { freeBytes: () => Infinity, report: () => undefined });
        let now = 0;
        const store = new SampleStore(db, { limit: EAGER, sizes, nowMs: () => (now += 1) });
        for (const { metric, from, count, what } of steps) {
          const value = (n: number) => (metric === 'text' ? `t${n % 3}` : n / 10);
          if (what === 'write') store.write([samplesOf(metric, from, count, value)]);
          else if (what === 'compact') store.compact(2);
          else {
            const [fromMs, toMs] = [START + from * 1_000, START + (from + count) * 1_000];
            for (const _ of store.remove({ devices: ['dev_a'], metrics: [metric], fromMs, toMs }));
          }
          const results = check(dataDir, 'telemetry.db');
          expect(results.flatMap(({ problems }) => problems)).toEqual([]);
          expect(results.at(-1)?.summary).toBe(formatQuantity(store.samples, 'sample'));
        }
      });
      for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name));
    }),
    { numRuns: sized(8, 100) },
  );
});

it('rejects an option, which the command does not have', async () => {
  expect(await verify(original, '--all')).toMatchObject({
    code: 1,
    stderr: 'penstock: Specify at most one file: penstock verify penstock.tar\n',
  });
});

it('says which check runs before its result', () => {
  const messages: string[] = [];
  verifyDatabase(
    { file: 'telemetry.db', path: join(original, 'telemetry.db'), isReadOnly: false },
    (message) => {
      if ('running' in message) messages.push(`${message.running} runs`);
      else if ('result' in message) messages.push(message.result.name);
    },
  );
  expect(messages).toEqual(
    ['structure', 'journal', 'chunks', 'rollups', 'samples'].flatMap((name) => [`${name} runs`, name]),
  );
});

describe('damage', () => {
  it('to a chunk is reported with its device, metric and time, also in a backup that was written from it', async () => {
    const dataDir = changed('telemetry.db', (db) =>
      flipByte(
        db,
        'chunk_data',
        'id',
        "id IN (SELECT data FROM chunk, series WHERE id = series AND metric = 'flow')",
      ),
    );
    const archive = join(folder, 'damaged.tar');
    await createBackup({ dataDir, archive, now: Date.now, report: () => undefined });
    const { code, lines, stderr } = await verify(folder, 'damaged.tar');
    expect([code, stderr]).toEqual([1, 'penstock: Damaged: telemetry.db (chunks).\n']);
    const at = lines.findIndex((line) => line.includes('DAMAGED'));
    expect(lines.slice(at, at + 4)).toEqual([
      expect.stringMatching(/^telemetry\.db {2}chunks {8}DAMAGED {2}\d+ chunks, 5,001 samples$/),
      expect.stringMatching(
        /^ {2}dev_a flow, 2025-10-09T\S+Z to 2025-10-09T\S+Z, \d+ samples: The checksum is wrong\.$/,
      ),
      expect.stringMatching(/^ {2}What to do: Restore telemetry\.db from a backup/),
      'telemetry.db  rollups       ok       1 rollup',
    ]);
    expect(temporaryFolders()).toEqual([]);
  });

  it.each([
    ['journal', 'journal', 'seq', /^Row \d+ cannot be decoded \(The checksum is wrong\.\)\.$/],
    ['rollups', 'rollup', 'id', /^Rollup 1, 2025-\S+Z to 2025-\S+Z, cannot be decoded\.$/],
  ])('to the %s is reported', async (check, table, key, problem) => {
    expect(findProblems(changed('telemetry.db', (db) => flipByte(db, table, key)))).toEqual({
      [`telemetry.db ${check}`]: [expect.stringMatching(problem)],
    });
  });

  it('to the rows of chunks is reported', async () => {
    const change = `
      UPDATE chunk SET max = max + 1 WHERE series = (SELECT id FROM series WHERE metric = 'flow') AND first_ts = ${START};
      DELETE FROM series WHERE metric = 'once';
      INSERT INTO chunk_data VALUES (900, x'00')`;
    expect(findProblems(changed('telemetry.db', (db) => db.exec(change)))).toEqual({
      'telemetry.db chunks': [
        expect.stringMatching(/^dev_a flow, .+ samples: its stored statistics are wrong\.$/),
        expect.stringMatching(/^unknown series \d+, .+, 1 sample: no series has this ID\.$/),
        'Found 1 row of chunk_data without a chunk.',
      ],
    });
  });

  it('to a page is reported, and other parts are checked', async () => {
    const dataDir = changed('telemetry.db', () => undefined);
    const page = withSqlite(join(dataDir, 'telemetry.db'), (db) =>
      db
        .prepare(
          "SELECT rootpage AS root, page_size AS size FROM sqlite_schema, pragma_page_size WHERE name = 'chunk_data'",
        )
        .get(),
    );
    const [root, size] = [Number(page?.['root']), Number(page?.['size'])];
    overwrite(join(dataDir, 'telemetry.db'), (root - 1) * size, Buffer.alloc(size, 0x5a));
    const { 'telemetry.db structure': structure, ...others } = findProblems(dataDir);
    expect(structure?.length).toBeGreaterThan(0);
    expect(others).toEqual({
      'telemetry.db chunks': ['The file cannot be read (database disk image is malformed).'],
    });
  });

  it('to the first page is reported as the structure', async () => {
    const dataDir = changed('telemetry.db', () => undefined);
    overwrite(join(dataDir, 'telemetry.db'), 0, Buffer.alloc(4_096, 0x5a));
    expect(findProblems(dataDir)).toEqual({
      'telemetry.db structure': ['The file cannot be read (file is not a database).'],
    });
  });
});

it.each([
  [
    'devices',
    "UPDATE device_count SET count = 7 WHERE state = 'online'",
    /^The stored number of devices that are online is 7, but there are \d\.$/,
  ],
  [
    'devices',
    "UPDATE device_facet SET total = 9 WHERE name = 'tag:site' AND value = 'north'",
    /^The stored counts of devices with tag:site north are wrong: 9 in total, but there are 2\.$/,
  ],
  [
    'devices',
    "UPDATE device_facet_size SET size = 7 WHERE name = 'tag:site'",
    /^The stored number of values of tag:site is 7, but there are \d\.$/,
  ],
  [
    'devices',
    "DELETE FROM device_place WHERE seq = (SELECT seq FROM device WHERE name = 'tank')",
    /^Searches do not find 1 device\.$/,
  ],
  [
    'devices',
    "INSERT INTO device_search (rowid, search_key) VALUES (1, 'gone')",
    /^The index of searches has 1 row without a device\.$/,
  ],
  [
    'devices',
    "DROP TRIGGER device_place_change; UPDATE device SET name_key = '!' WHERE name = 'tank'",
    /^Searches list \d devices? out of the order of their names\.$/,
  ],
  [
    'devices',
    "UPDATE device_tag SET device_seq = 0 WHERE value = 'north'",
    /^\d tags refer to the wrong device\.$/,
  ],
  [
    'devices',
    "UPDATE device SET tags = '{}' WHERE name = 'tank'",
    /^Device dev_\S+ is listed under 1 tag, but has 0\.$/,
  ],
  [
    'pipelines',
    "UPDATE pipeline SET received = 99 WHERE name = 'Plant'",
    /^The ledger of “Plant” is not balanced: 99 received, but delivered, pending, rejected and skipped add up to 10\.$/,
  ],
  [
    'spool',
    "UPDATE pipeline SET spool_bytes = 0 WHERE name = 'Remote'",
    /^The stored size of the spool of “Remote” is 0 bytes, but it holds \d+\.$/,
  ],
  [
    'spool',
    "UPDATE spool_batch SET body = '{' WHERE seq = (SELECT min(seq) FROM spool_batch)",
    /^Batch \d+ of pipeline pip_\S+ cannot be read\.$/,
  ],
  [
    'foreign keys',
    "PRAGMA foreign_keys = OFF; INSERT INTO device_tag (device_id, key, value) VALUES ('gone', 'a', 'b')",
    /^Row \d+ of device_tag refers to a missing row of device\.$/,
  ],
])('a wrong number or reference in penstock.db is reported: %s', async (check, sql, problem) => {
  expect(findProblems(changed('penstock.db', (db) => db.exec(sql)))).toEqual({
    [`penstock.db ${check}`]: [expect.stringMatching(problem)],
  });
});

it('a wrong number of samples is reported', async () => {
  const dataDir = changed('telemetry.db', (db) => db.exec('UPDATE progress SET samples = samples + 1'));
  expect(findProblems(dataDir)).toEqual({
    'telemetry.db samples': ['The stored number of samples is 5,012, but there are 5,011.'],
  });
});

it('only the structure of a database of an earlier version is checked', async () => {
  const dataDir = changed('telemetry.db', () => undefined);
  for (const name of readdirSync(dataDir).filter((file) => file.startsWith('penstock.db')))
    rmSync(join(dataDir, name));
  await createEarlierDatabase(join(dataDir, 'penstock.db'), versions.at(-2)!);
  const { code, lines } = await verify(dataDir);
  expect(code).toBe(0);
  expect(lines.filter((line) => line.startsWith('penstock.db'))).toEqual([
    expect.stringMatching(/^penstock\.db {3}structure {5}ok /),
    expect.stringMatching(/^penstock\.db {3}foreign keys {2}ok /),
    'penstock.db   content       skipped  not checked: an earlier version of Penstock wrote the file, and the next start migrates it',
  ]);
  expect(lines.at(-1)).toBe('No damage found. Not checked: penstock.db (content).');
});

it('the number of samples is not counted where a chunk with them is damaged', () => {
  const dataDir = changed('telemetry.db', (db) => db.exec("UPDATE chunk_data SET coded = x'00'"));
  const states = check(dataDir, 'telemetry.db').map(({ name, state }) => `${name} ${state}`);
  expect(states).toEqual(['structure ok', 'journal ok', 'chunks damaged', 'rollups ok', 'samples skipped']);
});

it.skipIf(!canTrace())('an error of the disk is a problem of the check that it ends', async () => {
  const path = join(
    changed('telemetry.db', () => undefined),
    'telemetry.db',
  );
  const fault = ['-e', 'trace=pread64', '-P', path, '-e', 'inject=pread64:error=ETIMEDOUT:when=20+'];
  const args = ['-f', '-qq', '-o', '/dev/null', ...fault, process.execPath, LAUNCH, 'verify'];
  const { code, stdout, stderr } = await runProgram(args, { DATA_DIR: dirname(path) }, 'strace').ended;
  expect(code).toBe(1);
  expect(stdout).toContain('  The file cannot be read (disk I/O error).');
  expect(stderr).toMatch(/^penstock: Damaged: telemetry\.db \(\w+\).*\.\n$/);
});

describe('data that cannot be checked', () => {
  it('of a newer version, missing, without tables or not openable, is named', async () => {
    const report = { onProgress: () => undefined, onResult: () => undefined };
    const newer = changed('telemetry.db', (db) => db.exec('PRAGMA user_version = 99'));
    await expect(verifyDataDir(newer, ['telemetry.db'], report)).rejects.toThrow(
      new BackupError(
        'telemetry.db was written by a newer version of Penstock (schema 99). Install that version or a newer one, or set DATA_DIR to another directory.',
      ),
    );
    await expect(verifyDataDir(folder, DATA_FILES, report)).rejects.toThrow(
      new BackupError(`There is no penstock.db in DATA_DIR "${folder}".`),
    );
    for (const file of DATA_FILES) {
      const blank = changed(file, () => undefined);
      rmSync(join(blank, file));
      withSqlite(join(blank, file), (db) => db.exec('CREATE TABLE x (y); DROP TABLE x'));
      await expect(verifyDataDir(blank, [file], report)).rejects.toThrow(
        new BackupError(
          `${file} has no tables of Penstock. Start Penstock with this DATA_DIR once, which creates them.`,
        ),
      );
    }
    const path = join(
      changed('telemetry.db', () => undefined),
      'telemetry.db',
    );
    rmSync(path);
    mkdirSync(path);
    await expect(verifyDataDir(dirname(path), ['telemetry.db'], report)).rejects.toThrow(
      new BackupError(`${path} cannot be opened. Check that it is a file that this user can read and write.`),
    );
  });

  it('in PostgreSQL is named', async () => {
    const env = { DATA_DIR: folder, DATABASE_URL: 'postgres://127.0.0.1/penstock' };
    expect(await runProgram([LAUNCH, 'verify'], env).ended).toMatchObject({
      code: 1,
      stderr:
        'penstock: Penstock checks the files of DATA_DIR, but all data of this service is on database servers (DATABASE_URL, TELEMETRY_URL). Use pg_amcheck: docs/postgresql.md. For ClickHouse: docs/clickhouse.md.\n',
    });
  });
});
