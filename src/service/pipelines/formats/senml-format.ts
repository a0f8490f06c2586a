import { isDisplayUnit } from '../../telemetry/write/display-unit.ts';
import { toSampleTime } from '../../telemetry/write/sample-time.ts';
import { externalIdOf } from './external-id-of.ts';
import { hasOnly, isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { TimedSamples } from './timed-samples.ts';
import { shortenMetric } from '../../telemetry/write/metric-name.ts';
import { noBase, resolveRecord, SENML_LABELS, type SenmlRecord } from './senml-record.ts';

/** Seconds: a time below it is relative to now (RFC 8428, 4.5.3). */
const LEAST_ABSOLUTE_S = 2 ** 28;

/** A resolved name that begins with a device URN (RFC 9039): the device, and the rest of the name. */
const DEVICE_URN = /^(urn:dev:[a-z]+:[A-Za-z0-9.-]+)(?:[:/_](.+))?$/;
const NOT_IN_METRIC = /[^\p{L}\p{N}._\-/:]/gu;

/** Removes the separator at the end of prefixes such as `2001:db8::2/` and `urn:dev:ow:10e2073a01080063:`. */
const withoutSeparator = (baseName: string): string => baseName.replace(/[-:./_]$/, '');

/** The metric of a record without a name: its unit (`%RH` becomes `RH`), which distinguishes it from other records. */
const metricOfUnit = (unit: string): string => unit.replace(NOT_IN_METRIC, '') || 'value';

const subjectOf = ({ base, name, unit }: SenmlRecord): { device: string | undefined; metric: string } => {
  if (base.name !== '') return { device: withoutSeparator(base.name), metric: name || metricOfUnit(unit) };
  const [, device, rest] = DEVICE_URN.exec(name) ?? [];
  return { device, metric: device === undefined ? name : (rest ?? metricOfUnit(unit)) };
};

/** Units of the SenML registry that people write otherwise. https://www.iana.org/assignments/senml */
const DISPLAY_UNITS = new Map(
  Object.entries({
    Cel: '°C',
    '%RH': '%',
    '%EL': '%',
    Ohm: 'Ω',
    m2: 'm²',
    m3: 'm³',
    'm/s2': 'm/s²',
    'm3/s': 'm³/s',
    lon: '°',
    lat: '°',
    deg: '°',
  }),
);
/** A ratio and a number of things have no unit. */
const NO_UNITS = new Set(['', '/', 'count']);

const displayUnit = (unit: string): string | undefined =>
  NO_UNITS.has(unit) || !isDisplayUnit(unit) ? undefined : (DISPLAY_UNITS.get(unit) ?? unit);

/** The timestamp of a sample; undefined: now. */
const tsOf = (time: number, nowMs: number): number | string | undefined => {
  if (time === 0) return undefined;
  return toSampleTime(Math.round(time < LEAST_ABSOLUTE_S ? nowMs + time * 1_000 : time * 1_000));
};

const setsBaseAlone = (record: JsonObject): boolean =>
  hasOnly(record, ['bn', 'bt', 'bu', 'bv', 'bs', 'bver', 'bct']);

/** A pack begins with a name and contains at least one sample. */
const isPack = (message: unknown): message is unknown[] => {
  if (!Array.isArray(message)) return false;
  const [first] = message as unknown[];
  if (!isObject(first) || (typeof first['bn'] !== 'string' && typeof first['n'] !== 'string')) return false;
  const isRecord = (item: unknown): item is JsonObject =>
    isObject(item) && Object.keys(item).every((label) => SENML_LABELS.includes(label) || label.endsWith('_'));
  if (!isRecord(first)) return false;
  return message.some(
    (item) => isRecord(item) && ['v', 'vs', 'vb', 'vd', 's', 'bv', 'bs'].some((label) => label in item),
  );
};

const writePack = (pack: readonly unknown[], writer: MessageWriter, nowMs: number): void => {
  const groups = new TimedSamples();
  const repeats: { device: string | undefined; ts: number | string; metric: string; value: unknown }[] = [];
  const reject = (index: number, reason: string, detail: string) =>
    writer.reject({ reason, detail: `Record ${index + 1}: ${detail}`, samples: 1 });

  const add = (index: number, record: SenmlRecord, suffix: string, value: unknown) => {
    const subject = subjectOf(record);
    const device = subject.device === undefined ? undefined : externalIdOf(subject.device);
    if (device !== undefined && device !== subject.device) writer.nameDevice(device, subject.device ?? '');
    const metric = shortenMetric(subject.metric + suffix);
    const unit = displayUnit(record.unit);
    if (unit !== undefined && suffix === '') writer.addUnit(metric, unit, device);
    const ts = tsOf(record.time, nowMs);
    const before = groups.add({ device, ts }, metric, value, index);
    // Samples with the same timestamp are compared after the whole pack was read.
    if (before !== undefined && ts !== undefined) repeats.push({ device, ts, metric, value });
    else if (before !== undefined)
      reject(
        index,
        'duplicate-metric',
        `${metric} has two values for the same time. Give each its own name or time.`,
      );
  };

  let base = noBase;
  for (const [index, item] of pack.entries()) {
    if (!isObject(item)) {
      reject(index, 'invalid-sample', 'Must be an object.');
      continue;
    }
    const { fault, ...record } = resolveRecord(item, base);
    base = record.base;
    if (fault !== undefined) reject(index, fault.reason, fault.detail);
    else if (base.name === '' && record.name === '')
      reject(index, 'invalid-sample', 'Has no name. Set n or bn.');
    else if (record.value === undefined && record.sum === undefined) {
      if (!setsBaseAlone(item)) reject(index, 'no-values', 'Has no value: v, vs, vb, vd or s.');
    } else {
      if (record.value !== undefined) add(index, record, '', record.value);
      if (record.sum !== undefined) add(index, record, '.sum', record.sum);
    }
  }
  groups.writeTo(writer);
  for (const { device, ts, metric, value } of repeats) {
    writer.put(metric, value);
    writer.endGroup(device, ts);
  }
};

/**
 * SenML as JSON (RFC 8428): base fields of a record apply to the following records. The base name is the device, `n`
 * the metric. The metric of a record without `n` is its unit. `s` becomes the metric with the suffix `.sum`. Times are
 * epoch seconds; below 2^28 they are relative to now. Source: https://www.rfc-editor.org/rfc/rfc8428
 */
export const senmlFormat: MessageFormat = {
  name: 'senml',
  write: (message, writer, { nowMs }) => {
    if (!isPack(message)) return false;
    writePack(message, writer, nowMs);
    return true;
  },
};
