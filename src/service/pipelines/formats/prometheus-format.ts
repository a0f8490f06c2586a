import { LIMITS } from '#contract/sample-rules.ts';
import { metricOfParts } from '../../telemetry/write/metric-name.ts';
import { readSampleTime } from '../../telemetry/write/sample-time.ts';
import type { MessageWriter } from './message-writer.ts';
import { BadLine, readPrometheusLine, type PrometheusSample } from './prometheus-line.ts';
import { TimedSamples } from './timed-samples.ts';

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

const isSampleLine = (line: string): boolean => line !== '' && !line.startsWith('#');

const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim());

const writeExposition = (lines: readonly string[], writer: MessageWriter): void => {
  const end = lines.findIndex((line) => END.test(line));
  const groups = new TimedSamples();
  for (const [index, line] of lines.entries()) {
    const reject = (reason: string, detail: string, ...others: number[]) =>
      writer.reject({
        reason,
        detail: `Line ${index + 1} ${detail}.`,
        samples: 1,
        lines: [...others, index],
      });
    if (!isSampleLine(line)) continue;
    if (end !== -1 && index > end) {
      reject('invalid-line', 'comes after # EOF');
      continue;
    }
    try {
      const sample = readPrometheusLine(line);
      // The quantiles of a summary without observations are NaN. Infinity cannot be stored either.
      if (!Number.isFinite(sample.value)) {
        writer.noValues += 1;
        continue;
      }
      const { time: ts, value } = sample;
      const metric = metricOf(sample);
      const time = ts === undefined ? undefined : (readSampleTime(ts) ?? ts);
      const before = groups.add({ device: undefined, ts, time }, metric, value, index);
      if (before !== undefined)
        reject('duplicate-metric', `repeats ${metric}. Remove one of the lines`, before);
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      reject('invalid-line', error.message);
    }
  }
  groups.writeTo(writer, LIMITS.metricsPerTimestamp);
};

/** First line of an excerpt that would not be recognised as Prometheus text without it. */
const EXCERPT_HEAD = '# HELP excerpt Lines of a longer text.';

/**
 * The lines of a Prometheus text that set these metrics or have these numbers (from 0), as text in the same format.
 * `samples`: the number of samples in them.
 */
export const excerptOf = (
  text: string,
  { metrics, numbers }: { metrics: ReadonlySet<string>; numbers: ReadonlySet<number> },
): { text: string; samples: number } => {
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
    isSampleLine(line) ? isSelected(line, index) : END.test(line),
  );
  const head = isExposition(kept) ? [] : [EXCERPT_HEAD];
  return {
    text: [...head, ...kept].map((line) => `${line}\n`).join(''),
    samples: kept.filter(isSampleLine).length,
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
  /** Returns false, and writes nothing, if the text has another format. */
  write: (text: string, writer: MessageWriter): boolean => {
    const lines = linesOf(text);
    if (!isExposition(lines)) return false;
    writeExposition(lines, writer);
    return true;
  },
} as const;
