import { LIMITS } from '#contract/telemetry.ts';
import { readSampleTime } from '../../telemetry/sample-time.ts';
import { type FormatReading, type JsonObject, type Refused } from './message-format.ts';
import { BadLine, readPrometheusLine, type PrometheusSample } from './prometheus-line.ts';

const META = /^#[ \t]+(HELP|TYPE|UNIT)[ \t]/;
const END = /^#[ \t]+EOF$/;
const NOT_IN_METRIC = /[^\p{L}\p{N}._\-/:]/gu;

/** `http_requests_total{code="200",method="get"}` is `http_requests_total.code.200.method.get`. */
const metricOf = ({ name, labels }: PrometheusSample): string =>
  [name, ...[...labels].toSorted(([a], [b]) => (a < b ? -1 : 1)).flat()]
    .join('.')
    .replace(NOT_IN_METRIC, '_');

/** Whether a text is of this format: what comes first in it, other than plain comments, says so. */
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

/** Samples by their time, none with more metrics than one may hold. */
class Samples {
  readonly all: Sample[] = [];
  readonly #open = new Map<unknown, Sample>();
  readonly #seen = new Set<string>();

  /** False where the metric stands there already. */
  put(metric: string, ts: number | undefined, value: number): boolean {
    const at = readSampleTime(ts) ?? ts;
    const key = `${at} ${metric}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    let sample = this.#open.get(at);
    if (sample === undefined || Object.keys(sample.values).length === LIMITS.metricsPerSample) {
      sample = { ...(ts === undefined ? {} : { ts }), values: {} };
      this.#open.set(at, sample);
      this.all.push(sample);
    }
    sample.values[metric] = value;
    return true;
  }
}

const readExposition = (lines: readonly string[]): FormatReading => {
  const end = lines.findIndex((line) => END.test(line));
  const samples = new Samples();
  const refused: Refused[] = [];
  for (const [index, line] of lines.entries()) {
    const refuse = (reason: string, detail: string) =>
      refused.push({ reason, detail: `Line ${index + 1} ${detail}.`, values: 1 });
    if (line === '' || line.startsWith('#')) continue;
    if (end !== -1 && index > end) {
      refuse('invalid-line', 'comes after # EOF');
      continue;
    }
    try {
      const sample = readPrometheusLine(line);
      const metric = metricOf(sample);
      if (!Number.isFinite(sample.value))
        refuse('not-finite', `says that ${metric} is ${sample.value}: a value must be a finite number`);
      else if (!samples.put(metric, sample.time, sample.value))
        refuse('duplicate-metric', `gives ${metric} a second time`);
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      refuse('invalid-line', error.message);
    }
  }
  return { samples: samples.all, refused };
};

/**
 * The text format of Prometheus (0.0.4), and OpenMetrics as far as it is the same: each series is a metric, its name
 * and its labels, sorted, joined by dots. Histograms and summaries are the series that they are written as.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export const prometheusFormat = {
  name: 'prometheus',
  read: (text: string): FormatReading | undefined => {
    const lines = text.split('\n').map((line) => line.trim());
    return isExposition(lines) ? readExposition(lines) : undefined;
  },
} as const;
