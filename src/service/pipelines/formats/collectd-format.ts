import { LIMITS } from '#contract/sample-rules.ts';
import { distinctMetricOf, otlpSpelling } from '../../telemetry/write/metric-name.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import { topicAfter, topicDevice } from './topic-device.ts';
import { TimedSamples } from './timed-samples.ts';

const TEXTS = ['host', 'plugin', 'plugin_instance', 'type', 'type_instance'] as const;

type ValueList = JsonObject & { [K in (typeof TEXTS)[number]]: string } & {
  readonly values: readonly unknown[];
  readonly dsnames: readonly string[];
  readonly time: number;
};

/** The names of collectd have at most 127 bytes. */
const MAX_LENGTH = 127;
const isName = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_LENGTH;

const isValueList = (item: unknown): item is ValueList =>
  isObject(item) &&
  TEXTS.every((field) => isName(item[field])) &&
  typeof item['time'] === 'number' &&
  Array.isArray(item['values']) &&
  Array.isArray(item['dsnames']) &&
  item['values'].length === item['dsnames'].length &&
  item['dsnames'].every((name) => typeof name === 'string');

const join = (name: string, instance: string): string => (instance === '' ? name : `${name}-${instance}`);

/**
 * JSON of collectd's plugin write_http: `cpu-0/cpu-idle` of the host, as collectd names it, and
 * `interface-eth0/if_octets/rx` for one of several values. null is not a value.
 * Source: https://collectd.org/wiki/index.php/JSON
 */
export const collectdFormat: MessageFormat = {
  name: 'collectd',
  write: (message, writer) => {
    if (!Array.isArray(message) || message.length === 0 || !message.every(isValueList)) return false;
    const groups = new TimedSamples();
    for (const [index, list] of message.entries()) {
      const { host, plugin, plugin_instance, type, type_instance, values, dsnames, time } = list;
      const device = writer.deviceNamed(host);
      const identifier = `${join(plugin, plugin_instance)}/${join(type, type_instance)}`;
      for (const [i, value] of values.entries()) {
        const name = dsnames[i] ?? '';
        const full = name === 'value' ? identifier : `${identifier}/${name}`;
        const { metric } = distinctMetricOf(full, [], otlpSpelling);
        if (value === null) writer.noValues += 1;
        else if (groups.add({ device, ts: time }, metric, value, index) !== undefined)
          writer.reject({
            reason: 'duplicate-metric',
            detail: `Item ${index + 1} repeats ${metric} for the same host and time. Remove one of the items.`,
            samples: 1,
          });
      }
    }
    groups.writeTo(writer, LIMITS.metricsPerTimestamp);
    return true;
  },
};

/** The time in seconds, and the values. `U` means no value. */
const VALUES = /^(\d{10}(?:\.\d+)?)((?::(?:[+-]?[\d.]+(?:e[+-]?\d+)?|U|-?nan))+)\0?$/i;

/**
 * The plugin mqtt of collectd: `1795253400.000:0.5` on `collectd/HOST/cpu-0/cpu-idle`. Several values are named by their
 * positions, because their names are not in the message.
 * Source: https://www.collectd.org/documentation/manpages/collectd.conf.html#plugin_mqtt
 */
export const collectdMqttFormat: MessageFormat = {
  name: 'collectd-mqtt',
  write: (content, writer, { topic }) => {
    const [host, plugin, type, ...others] = topicAfter(topic, 'collectd/')?.split('/') ?? [];
    const [, time, list] = (typeof content === 'string' && VALUES.exec(content)) || [];
    if (host === undefined || plugin === undefined || type === undefined || others.length > 0) return false;
    if (time === undefined || list === undefined) return false;
    const values = list.slice(1).split(':');
    for (const [i, text] of values.entries()) {
      const value = Number(text);
      const metric = values.length === 1 ? `${plugin}/${type}` : `${plugin}/${type}/${i}`;
      if (Number.isNaN(value)) writer.noValues += 1;
      else writer.put(metric, value);
    }
    if (writer.hasSamples) writer.endGroup(topicDevice(writer, host), time);
    return true;
  },
};
