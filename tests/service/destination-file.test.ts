import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Papa from 'papaparse';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SpooledSamples } from '#service/pipelines/destinations/destination.ts';
import { fileFailure } from '#service/pipelines/destinations/file-failure.ts';
import { delivery, openDestination, timeoutSignal, wordsOfFailure } from './open-destination.ts';
import { FRAGILE_VALUES } from './fragile-values.ts';

const T = Date.parse('2026-11-21T08:00:00.123Z');
const HOUR_MS = 3_600_000;
/** A value that fills a MB with 1,000 of its kind. */
const KILOBYTE = 'x'.repeat(1_000);

describe('a destination in files', () => {
  let dataDir: string;
  let clockMs: number;
  let count = 0;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'penstock-files-'));
    clockMs = T;
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  const at = (...path: string[]) => join(dataDir, 'exports', 'out', ...path);
  const open = (options: Record<string, unknown> = {}, id = 'dst_01') => {
    const { deliver, probe, close } = openDestination('file', {
      options: { folder: 'out', ...options },
      id,
      dataDir,
      now: () => clockMs,
    });
    return {
      deliver: (samples: SpooledSamples[], id = `dlv_${count++}`, signal = timeoutSignal()) =>
        deliver(delivery(id, samples), signal),
      probe: () => probe(timeoutSignal()),
      close,
    };
  };
  const sample = (n: number, values: SpooledSamples['values'] = { n }): SpooledSamples => ({
    device: 'boiler-7',
    ts: T + n,
    values,
  });
  const names = async () => (await readdir(at())).filter((name) => name.startsWith('samples-')).toSorted();
  const text = async () =>
    (await Promise.all((await names()).map((name) => readFile(at(name), 'utf8')))).join('');
  const numbers = async () =>
    (await text())
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { values: { n: number } }).values.n);
  const large = (n: number) =>
    sample(n, { n, ...Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`m${i}`, KILOBYTE])) });

  it('writes one line per device and timestamp, with exact values, readable only by the owner', async () => {
    await open().deliver([sample(0, FRAGILE_VALUES), sample(1)]);
    expect(await names()).toEqual(['samples-2026-11-21T08-00-00Z.ndjson']);
    const lines = (await text()).split('\n');
    expect(lines).toHaveLength(3);
    const kept = JSON.parse(lines[0] ?? '') as { values: Record<string, unknown> };
    expect(kept).toEqual({ device: 'boiler-7', ts: '2026-11-21T08:00:00.123Z', values: FRAGILE_VALUES });
    expect(Object.is(kept.values['negativeZero'], -0)).toBe(true);
    const modes = await Promise.all([at('..'), at(), at((await names())[0] ?? '')].map((path) => stat(path)));
    expect(modes.map(({ mode }) => (mode & 0o777).toString(8))).toEqual(['700', '700', '600']);
  });

  it('writes one value per CSV line below a header, and neutralises formulas', async () => {
    const destination = open({ format: 'csv' });
    await destination.deliver([sample(0, FRAGILE_VALUES)]);
    await destination.deliver([sample(1, { formula: '=1+1', negative: -5, dash: '-5' })]);
    const { data } = Papa.parse<string[]>(await text(), { skipEmptyLines: true });
    const row = (n: number, metric: string, value: unknown) => [
      new Date(T + n).toISOString(),
      'boiler-7',
      metric,
      value,
    ];
    expect(data).toEqual([
      ['time', 'device', 'metric', 'value'],
      ...Object.entries(FRAGILE_VALUES).map(([metric, value]) =>
        row(0, metric, Object.is(value, -0) ? '-0' : String(value)),
      ),
      row(1, 'formula', "'=1+1"),
      row(1, 'negative', '-5'),
      row(1, 'dash', "'-5"),
    ]);
  });

  it('writes a repeated delivery once, also after a restart', async () => {
    const first = open();
    await first.deliver([sample(1)], 'dlv_1');
    await first.deliver([sample(1)], 'dlv_1');
    await first.close();
    const second = open();
    await second.deliver([sample(1)], 'dlv_1');
    await second.deliver([sample(2)], 'dlv_2');
    expect(await numbers()).toEqual([1, 2]);
    expect(await names()).toHaveLength(1);
  });

  it('writes repeated parts of a delivery once, and differently divided parts as a new delivery', async () => {
    const first = open();
    for (const n of [1, 2, 3]) await first.deliver([sample(n)], `dlv.${n}`);
    await first.close();
    const second = open();
    for (const n of [1, 2, 3, 4]) await second.deliver([sample(n)], `dlv.${n}`);
    expect(await numbers()).toEqual([1, 2, 3, 4]);
    await second.deliver([sample(1), sample(5)], 'dlv.1');
    expect(await numbers()).toEqual([1, 2, 3, 4, 1, 5]);
  });

  it('truncates a partial delivery after a crash, and writes the whole delivery again', async () => {
    const first = open();
    await first.deliver([sample(1)]);
    await first.close();
    const [name = ''] = await names();
    await appendFile(
      at(name),
      '{"device":"boiler-7","ts":"2026-11-21T08:00:00.125Z","values":{"n":2}}\n{"devi',
    );
    await open().deliver([sample(2), sample(3)]);
    expect(await numbers()).toEqual([1, 2, 3]);
    expect(await names()).toEqual([name]);
  });

  it('truncates an incomplete line if the position is unknown, and starts a new file', async () => {
    await mkdir(at(), { recursive: true });
    const line = `${JSON.stringify({ values: { n: 1 } })}\n`;
    await writeFile(
      at('samples-2026-11-21T07-00-00Z.ndjson'),
      `${line}{"values":{"n":"${'x'.repeat(200_000)}`,
    );
    await open().deliver([sample(2)]);
    expect(await numbers()).toEqual([1, 2]);
    expect(await names()).toHaveLength(2);
  });

  it('starts a new file by size, age and format, and keeps the configured number of closed files', async () => {
    const destination = open({ rotateMegabytes: 1, rotateHours: 2, keepFiles: 2 });
    await destination.deliver([large(1)]);
    await destination.deliver([sample(2)]);
    await destination.deliver([sample(3)]);
    expect(await names()).toEqual([
      'samples-2026-11-21T08-00-00Z.ndjson',
      'samples-2026-11-21T08-00-01Z.ndjson',
    ]);
    clockMs += 2 * HOUR_MS;
    await destination.deliver([sample(4)]);
    expect(await numbers()).toEqual([1, 2, 3, 4]);
    clockMs += 2 * HOUR_MS;
    await destination.deliver([sample(5)]);
    expect(await numbers()).toEqual([2, 3, 4, 5]);
    await destination.close();
    await open({ format: 'csv', keepFiles: 1 }).deliver([sample(6)]);
    expect(await names()).toEqual([
      'samples-2026-11-21T12-00-00Z.ndjson',
      'samples-2026-11-21T12-00-01Z.csv',
    ]);
  });

  it('never reuses a file name, even if the clock is set back', async () => {
    const destination = open({ rotateHours: 1 });
    await destination.deliver([sample(1)]);
    clockMs += HOUR_MS;
    await destination.deliver([sample(2)]);
    await destination.close();
    clockMs = T - 24 * HOUR_MS;
    await open({ format: 'csv' }).deliver([sample(3)]);
    expect((await names()).at(-1)).toBe('samples-2026-11-21T09-00-01Z.csv');
  });

  it('starts a new file if the old one was removed or truncated', async () => {
    const destination = open();
    await destination.deliver([sample(1)]);
    await rename(at((await names())[0] ?? ''), at('taken.ndjson'));
    await destination.deliver([sample(2)]);
    expect(await numbers()).toEqual([2]);
    await truncate(at((await names())[0] ?? ''), 0);
    await destination.deliver([sample(3)]);
    expect(await numbers()).toEqual([3]);
    expect((await names()).at(-1)).toBe('samples-2026-11-21T08-00-02Z.ndjson');
  });

  it('processes concurrent deliveries one after another', async () => {
    const destination = open();
    await Promise.all(Array.from({ length: 20 }, (_, n) => destination.deliver([sample(n), sample(n)])));
    expect(await numbers()).toEqual(Array.from({ length: 20 }, (_, n) => [n, n]).flat());
  });

  it('reports the result of a test and leaves no file behind', async () => {
    expect(await open().probe()).toMatch(
      /^exports\/out in the data directory is writable, with \d+\.\d GB free\.$/,
    );
    expect(await readdir(join(dataDir, 'exports'))).toEqual([]);
    await open().deliver([sample(1)]);
    const before = await readdir(at());
    await open().probe();
    expect(await readdir(at())).toEqual(before);
  });

  it('rejects a folder that another destination uses, until that is closed', async () => {
    const first = open();
    await first.deliver([sample(1)]);
    const other = open({}, 'dst_02');
    expect(await wordsOfFailure(other.deliver([sample(2)]))).toMatch(
      /^unavailable: Another destination writes to exports\/out/,
    );
    await first.close();
    await other.deliver([sample(2)]);
    expect(await numbers()).toEqual([1, 2]);
  });

  it('waits for its previous instance after a change of options', async () => {
    const before = open();
    await before.deliver([sample(1)]);
    const after = open({ rotateHours: 1 }).deliver([sample(2)]);
    await before.deliver([sample(3)]);
    await before.close();
    await after;
    expect(await numbers()).toEqual([1, 3, 2]);
  });

  it('follows no symbolic link out of the exports folder', async () => {
    await mkdir(join(dataDir, 'exports'));
    await mkdir(join(dataDir, 'elsewhere'));
    await symlink(join(dataDir, 'elsewhere'), at());
    const destination = open();
    expect(await wordsOfFailure(destination.probe())).toMatch(/^refused: .*export folder is a symbolic link/);
    expect(await wordsOfFailure(destination.deliver([sample(1)]))).toMatch(
      /^refused: .*export folder is a symbolic link/,
    );
    expect(await readdir(join(dataDir, 'elsewhere'))).toEqual([]);
  });

  it('is blocked if a file has the name of its folder, and continues after the file is removed', async () => {
    const destination = open();
    await writeFile(join(dataDir, 'exports'), '');
    expect(await wordsOfFailure(destination.deliver([sample(1)]))).toMatch(
      /^refused: exports\/out is not a folder.*\(ENOTDIR\)\.$/,
    );
    await rm(join(dataDir, 'exports'));
    await destination.deliver([sample(1)]);
    expect(await numbers()).toEqual([1]);
  });

  it('writes a whole delivery again if its position was not stored', async () => {
    const destination = open();
    await destination.deliver([sample(1)]);
    // A folder with the name of the file to be written.
    await mkdir(at('.position.json.next'));
    expect(await wordsOfFailure(destination.deliver([sample(2)], 'dlv'))).toMatch(
      /^unavailable: exports\/out could not be written \(EISDIR\)/,
    );
    expect(await numbers()).toEqual([1, 2]);
    await rm(at('.position.json.next'), { recursive: true });
    await destination.deliver([sample(2)], 'dlv');
    expect(await numbers()).toEqual([1, 2]);
  });

  it('ends with the signal', async () => {
    const ended = new AbortController();
    ended.abort();
    expect(await wordsOfFailure(open().deliver([sample(1)], 'dlv', ended.signal))).toBe(
      'unavailable: Writing to exports/out timed out.',
    );
  });
});

it.each([
  ['ENOSPC', 'unavailable: exports/out cannot be written: the disk is full (ENOSPC).'],
  ['EIO', 'unavailable: exports/out is on a failing disk (EIO).'],
  ['EROFS', 'refused: exports/out is on a read-only disk (EROFS).'],
  ['EACCES', 'refused: exports/out is not writable by the user of the service (EACCES).'],
  ['EMFILE', 'unavailable: exports/out could not be written (EMFILE).'],
])('describes %s', async (code, words) => {
  const error = Object.assign(new Error('/secret/path'), { code });
  const failing = Promise.reject(fileFailure(error, 'out', new AbortController().signal));
  expect(await wordsOfFailure(failing)).toBe(words);
});
