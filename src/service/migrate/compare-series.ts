import { createHash } from 'node:crypto';
import type { ImportedSeries } from '../telemetry/store/imported-series.ts';
import type { MigrationSteps } from './migration-steps.ts';
import type { SampleDestination } from './sample-destination.ts';
import { FIRST_POSITION, type SampleSource } from './sample-source.ts';

const MAX_DIFFERENCES = 10;

export type SeriesComparison = {
  readonly series: number;
  readonly samples: number;
  /** Of the checksums of all series. */
  readonly sha256: string;
  /** The first differences, each a sentence. */
  readonly differences: readonly string[];
};

type SeriesDigest = { readonly samples: number; readonly sha256: string };

const bytesOf = (column: Float64Array): Uint8Array =>
  new Uint8Array(column.buffer, column.byteOffset, column.byteLength);

const createSeriesHash = () => {
  const hash = createHash('sha256');
  let samples = 0;
  return {
    add: ({ device, metric, kind, unit, ts, value }: ImportedSeries): void => {
      samples += ts.length;
      hash.update(JSON.stringify([device, metric, kind, unit])).update(bytesOf(ts));
      hash.update(value instanceof Float64Array ? bytesOf(value) : JSON.stringify(value));
    },
    end: (): SeriesDigest => ({ samples, sha256: hash.digest('hex') }),
  };
};

const describe = ({ samples, sha256 }: SeriesDigest): string =>
  `${samples.toLocaleString('en')} samples (${sha256.slice(0, 8)})`;

/** Compares series one after another, each by parts in order of time. */
const createComparison = (product: SampleDestination['product'], place: SampleSource['place']) => {
  const all = createHash('sha256');
  const differences: string[] = [];
  let [series, samples] = [0, 0];
  let open: { id: number; name: string; source: SeriesHash; copy: SeriesHash } | undefined;
  const closeOpen = (): void => {
    if (open === undefined) return;
    const [source, copy] = [open.source.end(), open.copy.end()];
    if (source.sha256 !== copy.sha256 && differences.length < MAX_DIFFERENCES)
      differences.push(
        `${open.name} has ${describe(copy)} in ${product} and ${describe(source)} in ${place}.`,
      );
    all.update(`${open.name} ${source.sha256}\n`);
    series += 1;
    samples += source.samples;
    open = undefined;
  };
  return {
    add: (source: ImportedSeries, copy: ImportedSeries | undefined): void => {
      const { id, device, metric } = source;
      if (open?.id !== id) closeOpen();
      open ??= { id, name: `${device} ${metric}`, source: createSeriesHash(), copy: createSeriesHash() };
      open.source.add(source);
      if (copy !== undefined) open.copy.add(copy);
    },
    end: (): SeriesComparison => {
      closeOpen();
      return { series, samples, sha256: all.digest('hex'), differences };
    },
  };
};

type SeriesHash = ReturnType<typeof createSeriesHash>;

/** Compares every sample of every series. */
export const compareSeries = async (
  source: SampleSource,
  destination: SampleDestination,
  steps: MigrationSteps,
): Promise<SeriesComparison> => {
  const { product } = destination;
  const comparison = createComparison(product, source.place);
  const total = source.samples;
  let done = 0;
  const batches = source.readBatches(FIRST_POSITION, destination.samplesPerBatch);
  for await (const { parts, samples } of batches) {
    const copies = await destination.read(parts);
    for (const part of parts) comparison.add(part, copies.get(part.id));
    done += samples;
    steps.complete({ phase: 'compared', table: 'telemetry_sample', done, total, unit: 'samples' });
  }
  const compared = comparison.end();
  const counts = await destination.count();
  const isComplete =
    counts.series === compared.series &&
    counts.samples === compared.samples &&
    (counts.countedSamples ?? compared.samples) === compared.samples;
  if (compared.differences.length > 0 || isComplete) return compared;
  const [series, samples] = [counts.series.toLocaleString('en'), counts.samples.toLocaleString('en')];
  const counted =
    counts.countedSamples === undefined
      ? ''
      : ` (${counts.countedSamples.toLocaleString('en')} by the counts of its partitions)`;
  return {
    ...compared,
    differences: [
      `${product} has ${series} series and ${samples} samples${counted}; ${source.place} has ${compared.series.toLocaleString('en')} and ${compared.samples.toLocaleString('en')}.`,
    ],
  };
};
