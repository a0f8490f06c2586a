import { LIMITS } from '#contract/telemetry.ts';
import { metricOfParts } from '../../telemetry/write/metric-name.ts';
import { readSampleTime } from '../../telemetry/write/sample-time.ts';
import { type FormatReading, type JsonObject, type FormatRejection } from './message-format.ts';
import { BadLine, readPrometheusLine, type PrometheusSample } from './prometheus-line.ts';

const META = /^#[ \t]+(HELP|TYPE|UNIT)[ \t]/;
const END = /^#[ \t]+EOF$/;

/** `http_requests_total{code="200",method="get"}` is `http_requests_total.code.200.method.get`. */
const metricOf = ({ name, labels }: PrometheusSample): string =>
  metricOfParts([name, ...[...labels].toSorted(([a], [b]) => (a < b ? -1 : 1)).flat()]);

/** Whether a text has this format, by its first line that is not a plain comment. */
const isExposition = (lines: readonly string[]): boolean => {
  const first = lines.find(
    (line) => line !== '' && (!line.startsWith('#') || META.test(line) || END.test(line)),
  );
  if (first === undefined) return false;
  if (first.startsWith('#')) return true;
  try {
    readPrometheusLine(first);
    return true;
  } catch {
    return false;
  }
};

type Sample = { ts?: number; values: JsonObject };

/** Collects samples by time, split by the limit of metrics per sample. */
class Samples {
  readonly all: Sample[] = [];
  readonly #open = new Map<unknown, Sample>();
  readonly #lines = new Map<string, number>();

  /** Returns the line that already set the metric at this time; undefined if none did. */
  put(line: number, metric: string, ts: number | undefined, value: number): number | undefined {
    const at = readSampleTime(ts) ?? ts;
    const key = `${at} ${metric}`;
    const before = this.#lines.get(key);
    if (before !== undefined) return before;
    this.#lines.set(key, line);
    let sample = this.#open.get(at);
    if (sample === undefined || Object.keys(sample.values).length === LIMITS.metricsPerSample) {
      sample = { ...(ts === undefined ? {} : { ts }), values: {} };
      this.#open.set(at, sample);
      this.all.push(sample);
    }
    sample.values[metric] = value;
    return undefined;
  }
}

const isValueLine = (line: string): boolean => line !== '' && !line.startsWith('#');

const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim());

const readExposition = (lines: readonly string[]): FormatReading => {
  const end = lines.findIndex((line) => END.test(line));
  const samples = new Samples();
  const rejections: FormatRejection[] = [];
  let noValues = 0;
  for (const [index, line] of lines.entries()) {
    const reject = (reason: string, detail: string, ...others: number[]) =>
      rejections.push({
        reason,
        detail: `Line ${index + 1} ${detail}.`,
        values: 1,
        lines: [...others, index],
      });
    if (!isValueLine(line)) continue;
    if (end !== -1 && index > end) {
      reject('invalid-line', 'comes after # EOF');
      continue;
    }
    try {
      const sample = readPrometheusLine(line);
      // The quantiles of a summary without observations are NaN. Infinity cannot be stored either.
      if (!Number.isFinite(sample.value)) {
        noValues += 1;
        continue;
      }
      const metric = metricOf(sample);
      const before = samples.put(index, metric, sample.time, sample.value);
      if (before !== undefined) reject('duplicate-metric', `gives ${metric} a second time`, before);
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      reject('invalid-line', error.message);
    }
  }
  return { samples: samples.all, rejections, noValues };
};

/** First line of an excerpt that would not be recognised as Prometheus text without it. */
const EXCERPT_HEAD = '# HELP excerpt Lines of a longer text.';

/**
 * The lines of a Prometheus text that set these metrics or have these numbers (from 0), as text in the same format.
 * `values`: the number of values in them.
 */
export const excerptOf = (
  text: string,
  { metrics, numbers }: { metrics: ReadonlySet<string>; numbers: ReadonlySet<number> },
): { text: string; values: number } => {
  const isSelected = (line: string, index: number): boolean => {
    if (numbers.has(index)) return true;
    try {
      const sample = readPrometheusLine(line);
      return Number.isFinite(sample.value) && metrics.has(metricOf(sample));
    } catch (error) {
      if (error instanceof BadLine) return false;
      throw error;
    }
  };
  const kept = linesOf(text).filter((line, index) =>
    isValueLine(line) ? isSelected(line, index) : END.test(line),
  );
  const head = isExposition(kept) ? [] : [EXCERPT_HEAD];
  return {
    text: [...head, ...kept].map((line) => `${line}\n`).join(''),
    values: kept.filter(isValueLine).length,
  };
};

/**
 * The text format of Prometheus (0.0.4), and OpenMetrics where it is the same. Each series is a metric: its name and
 * sorted labels, joined by dots. Histograms and summaries become the series that they consist of. NaN and infinity are
 * not values.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export const prometheusFormat = {
  name: 'prometheus',
  read: (text: string): FormatReading | undefined => {
    const lines = linesOf(text);
    return isExposition(lines) ? readExposition(lines) : undefined;
  },
} as const;
