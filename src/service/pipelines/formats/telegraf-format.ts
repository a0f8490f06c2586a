import { metricOfParts } from '../../telemetry/write/metric-name.ts';
import { telegrafUnitOf } from '../../telemetry/write/telegraf-unit.ts';
import { hasOnly, isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { splitTags } from './tagged-metric.ts';

type TelegrafMetric = { name: string; tags: Record<string, string>; fields: JsonObject; timestamp: unknown };

const isTelegrafMetric = (value: unknown): value is TelegrafMetric =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  isObject(value['fields']) &&
  isObject(value['tags']) &&
  Object.values(value['tags']).every((tag) => typeof tag === 'string') &&
  'timestamp' in value &&
  hasOnly(value, ['name', 'tags', 'fields', 'timestamp']);

const metricsIn = (message: unknown): TelegrafMetric[] | undefined => {
  if (isTelegrafMetric(message)) return [message];
  if (!isObject(message) || !Array.isArray(message['metrics']) || !hasOnly(message, ['metrics']))
    return undefined;
  const { metrics } = message;
  return metrics.length > 0 && metrics.every(isTelegrafMetric) ? metrics : undefined;
};

const writeMetric = (writer: MessageWriter, { name, tags, fields, timestamp }: TelegrafMetric): void => {
  const { device: tag, labels } = splitTags(new Map(Object.entries(tags)));
  const device = tag === undefined ? undefined : writer.deviceNamed(tag);
  for (const field of Object.keys(fields)) {
    const metric = metricOfParts([name, ...labels.flat(), field]);
    const unit = telegrafUnitOf(metric);
    if (unit !== undefined) writer.addUnit(metric, unit, device);
    if (!writer.put(metric, fields[field]))
      writer.reject({
        reason: 'duplicate-metric',
        detail: `${metric} stands for several fields. Rename one of them.`,
        samples: 1,
      });
  }
  writer.endGroup(device, timestamp);
};

/**
 * JSON of Telegraf, single or in batches. The metric is the measurement, its other tags and the field, joined by dots,
 * and the device a tag, as in line protocol.
 * Source: https://docs.influxdata.com/telegraf/v1/data_formats/output/json/
 */
export const telegrafFormat: MessageFormat = {
  name: 'telegraf',
  write: (message, writer) => {
    const metrics = metricsIn(message);
    if (metrics === undefined) return false;
    writer.addAll(metrics, (metric) => writeMetric(writer, metric));
    return true;
  },
};
