import { toIsoTime } from '../../../platform/iso-time.ts';
import { isDamage } from '../../../platform/storage/damaged-file.ts';
import {
  countOf,
  formatQuantity,
  structureCheck,
  type CheckContext,
  type DatabaseCheck,
} from '../../../platform/storage/database-check.ts';
import type { DatabaseSync } from '../../../platform/storage/dialects/sqlite.ts';
import { ChunkTable, NO_DATA, type Chunk } from './chunk-table.ts';
import { statisticsOf } from './chunk-statistics.ts';
import { COUNT_SAMPLES, Journal } from './journal.ts';
import { decodeJournalRow } from './journal-coding.ts';
import { RecentSamples } from './recent-samples.ts';
import { RollupTable } from './rollup-table.ts';
import type { Samples } from './samples.ts';
import { SeriesSamples } from './series-samples.ts';
import { SeriesTable } from './series-table.ts';
import { STORE_SIZES } from './store-sizes.ts';

const RESTORE =
  'Restore telemetry.db from a backup (docs/storage.md), or continue: the rest of the samples can be read.';

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) throw error;
  return error.cause instanceof Error ? error.cause.message : error.message;
};

/** Times of a damaged row may be beyond those of `Date`. */
const describeTime = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? toIsoTime(ms) : `${ms} ms`);

const partsOf = (db: DatabaseSync) => {
  const rollups = new RollupTable(db);
  const chunks = new ChunkTable(db, rollups, STORE_SIZES.samplesPerChunk);
  return { series: new SeriesTable(db), rollups, chunks };
};

const journalCheck: DatabaseCheck = {
  name: 'journal',
  advice: 'Restore telemetry.db from a backup: the service cannot open it.',
  run: ({ db, addProblem }) => {
    let rows = 0;
    for (const { seq, coded } of db.prepare('SELECT seq, coded FROM journal ORDER BY seq').iterate()) {
      rows += 1;
      try {
        decodeJournalRow(coded as Uint8Array);
      } catch (error) {
        addProblem(`Row ${String(seq)} cannot be decoded (${messageOf(error)}).`);
      }
    }
    return formatQuantity(rows, 'write');
  },
};

const isSame = (a: number, b: number): boolean => a === b || (Number.isNaN(a) && Number.isNaN(b));

/** What is wrong with the row of a chunk that was decoded; undefined: nothing. */
const findContradiction = (chunk: Chunk, { ts, cells }: Samples): string | undefined => {
  if (ts[0] !== chunk.firstTs || ts.at(-1) !== chunk.lastTs) return 'its first or last time is wrong';
  if (ts.some((time, position) => position > 0 && time <= ts[position - 1]!))
    return 'its times are not in order';
  const { sum, min, max, first, last } = statisticsOf(cells);
  const isRight =
    isSame(sum, chunk.sum) &&
    isSame(min, chunk.min) &&
    isSame(max, chunk.max) &&
    isSame(first, chunk.first) &&
    isSame(last, chunk.last);
  return isRight ? undefined : 'its stored statistics are wrong';
};

const chunksCheck: DatabaseCheck = {
  name: 'chunks',
  advice: `${RESTORE} To remove damaged chunks, delete the telemetry of these devices, metrics and times.`,
  run: ({ db, addProblem, onProgress }) => {
    const { chunks } = partsOf(db);
    const total = countOf(db, 'SELECT count(*) FROM chunk');
    const find = db.prepare('SELECT device, metric, kind FROM series WHERE id = ?');
    let series: ReturnType<typeof find.get>;
    let [done, coded, samples] = [0, 0, 0];
    let before: Chunk | undefined;
    for (const chunk of chunks.all()) {
      if (before?.series !== chunk.series) {
        before = undefined;
        series = find.get(chunk.series);
      }
      const name =
        series === undefined
          ? `unknown series ${chunk.series}`
          : `${String(series['device'])} ${String(series['metric'])}`;
      const describe = (problem: string) =>
        addProblem(
          `${name}, ${describeTime(chunk.firstTs)} to ${describeTime(chunk.lastTs)}, ${formatQuantity(chunk.count, 'sample')}: ${problem}.`,
        );
      if (series === undefined) describe('no series has this ID');
      if (before !== undefined && chunk.firstTs <= before.lastTs) describe('overlaps the previous chunk');
      try {
        const problem = findContradiction(chunk, chunks.decode(chunk, series?.['kind'] === 'string'));
        if (problem !== undefined) describe(problem);
      } catch (error) {
        if (!isDamage(error)) throw error;
        describe(messageOf(error).replace(/\.$/, ''));
      }
      before = chunk;
      done += 1;
      samples += chunk.count;
      if (chunk.data !== NO_DATA) coded += 1;
      onProgress(done / total);
    }
    const unused = countOf(db, 'SELECT count(*) FROM chunk_data') - coded;
    if (unused > 0) addProblem(`Found ${formatQuantity(unused, 'row')} of chunk_data without a chunk.`);
    return `${formatQuantity(done, 'chunk')}, ${formatQuantity(samples, 'sample')}`;
  },
};

const rollupsCheck: DatabaseCheck = {
  name: 'rollups',
  advice: 'No samples are lost: Penstock reads chunks instead of a damaged rollup.',
  run: ({ db, addProblem, onProgress }) => {
    const rollups = new RollupTable(db);
    const total = countOf(db, 'SELECT count(*) FROM rollup');
    let done = 0;
    for (const rollup of rollups.all()) {
      if (rollups.load(rollup) === undefined)
        addProblem(
          `Rollup ${rollup.id}, ${describeTime(rollup.fromTs)} to ${describeTime(rollup.toTs)}, cannot be decoded.`,
        );
      done += 1;
      onProgress(done / total);
    }
    return formatQuantity(done, 'rollup');
  },
};

/** The samples in chunks, and those of the journal that no chunk has at their time. */
const countSamples = ({ db, onProgress }: Pick<CheckContext, 'db' | 'onProgress'>): number => {
  const { series, rollups, chunks } = partsOf(db);
  const recent = new RecentSamples(
    chunks,
    new Journal(db),
    (id) => series.kindOf(id),
    STORE_SIZES.samplesPerBlock,
  );
  const stored = new SeriesSamples(chunks, recent, rollups);
  let count = countOf(db, 'SELECT coalesce(sum(samples), 0) FROM chunk');
  const total = countOf(db, 'SELECT count(*) FROM series');
  let done = 0;
  for (const { id, kind } of db.prepare('SELECT id, kind FROM series').iterate()) {
    const isText = kind === 'string';
    const added = recent.find(Number(id));
    if (added !== undefined) {
      const { ts } = stored.recentSamples(Number(id), isText, -Infinity, Infinity);
      for (const time of ts)
        if (time > added.chunksEnd || chunks.find(Number(id), time, isText) === undefined) count += 1;
    }
    done += 1;
    onProgress(done / total);
  }
  return count;
};

const samplesCheck: DatabaseCheck = {
  name: 'samples',
  advice: 'The samples themselves can be read. Please report this line as a bug.',
  run: ({ db, addProblem, onProgress }) => {
    const stored = countOf(db, COUNT_SAMPLES);
    let counted: number;
    try {
      counted = countSamples({ db, onProgress });
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { skipped: 'not counted, because a part is damaged' };
    }
    if (stored !== counted)
      addProblem(
        `The stored number of samples is ${stored.toLocaleString('en')}, but there are ${counted.toLocaleString('en')}.`,
      );
    return formatQuantity(counted, 'sample');
  },
};

export const telemetryStructure = structureCheck(
  'Restore telemetry.db from a backup (docs/storage.md), even if the checks below find no damage.',
);

/** The checks of a telemetry.db whose schema is the newest. */
export const telemetryChecks: readonly DatabaseCheck[] = [
  journalCheck,
  chunksCheck,
  rollupsCheck,
  samplesCheck,
];
