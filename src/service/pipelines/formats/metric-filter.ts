import { METRIC_NAME_LENGTH } from '#contract/sample-rules.ts';

/** The metrics that a pipeline stores, as patterns in which `*` matches any characters, including none. */
export type MetricPatterns = {
  /** Undefined or empty: all metrics. */
  readonly include?: readonly string[] | undefined;
  /** Left out, also if they are included. */
  readonly exclude?: readonly string[] | undefined;
};

/** Whether a pipeline stores a metric. */
export type MetricFilter = (metric: string) => boolean;

/** Metrics whose result is cached. Devices keep sending the same ones. */
const MAX_METRICS = 10_000;

/** Takes linear time: a regular expression with many `.*` would take exponential time for hostile names. */
const matcherOf = (pattern: string): MetricFilter => {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (metric) => metric === first;
  return (metric) => {
    if (metric.length < first.length + last.length || !metric.startsWith(first) || !metric.endsWith(last))
      return false;
    const end = metric.length - last.length;
    let at = first.length;
    for (const part of rest) {
      const found = metric.indexOf(part, at);
      if (found === -1 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
};

const compile = ({ include = [], exclude = [] }: MetricPatterns): MetricFilter | undefined => {
  if (include.length === 0 && exclude.length === 0) return undefined;
  const [included, excluded] = [include.map(matcherOf), exclude.map(matcherOf)];
  const known = new Map<string, boolean>();
  return (metric) => {
    const before = known.get(metric);
    if (before !== undefined) return before;
    const isStored =
      (included.length === 0 || included.some((matches) => matches(metric))) &&
      !excluded.some((matches) => matches(metric));
    // A longer name is not stored, and would fill the memory.
    if (metric.length > METRIC_NAME_LENGTH) return isStored;
    if (known.size >= MAX_METRICS) known.clear();
    known.set(metric, isStored);
    return isStored;
  };
};

const compiled = new WeakMap<MetricPatterns, { filter: MetricFilter | undefined }>();

/** The filter of patterns, which are compiled once; undefined: all metrics are stored. */
export const metricFilterOf = (patterns: MetricPatterns | undefined): MetricFilter | undefined => {
  if (patterns === undefined) return undefined;
  const before = compiled.get(patterns);
  if (before !== undefined) return before.filter;
  const filter = compile(patterns);
  compiled.set(patterns, { filter });
  return filter;
};
