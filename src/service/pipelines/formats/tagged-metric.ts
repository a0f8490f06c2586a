import { distinctMetricOf, otlpSpelling } from '../../telemetry/write/metric-name.ts';

/** Tags that name the device, the preferred one first, as in line protocol. */
const DEVICE_TAGS = ['device_id', 'host', 'device'] as const;

type Tags = ReadonlyMap<string, string>;

/** The tag that names the device, and the other tags in the order of their names. */
export const splitTags = (
  tags: Tags,
): { device: string | undefined; labels: readonly (readonly [label: string, value: string])[] } => {
  const deviceTag = DEVICE_TAGS.find((tag) => (tags.get(tag) ?? '') !== '');
  const labels = [...tags].filter(([tag]) => tag !== deviceTag).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { device: deviceTag === undefined ? undefined : tags.get(deviceTag), labels };
};

/** The device of a metric with tags, and the metric: `sys.cpu/cpu:0`. Different tags never give the same metric. */
export const taggedMetricOf = (name: string, tags: Tags): { device: string | undefined; metric: string } => {
  const { device, labels } = splitTags(tags);
  return { device, metric: distinctMetricOf(name, labels, otlpSpelling).metric };
};
