import { isDisplayUnit } from '../../telemetry/write/display-unit.ts';
import { putField } from './flatten.ts';
import { hasOnly, isComposite, isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { isTimestamp } from './flat-format.ts';

/** The fields of a record. Of several fields, the first one applies. */
const NAMES = ['id', 'name', 'n', 'tag', 'tagname', 'metric', 'key', 'variable', 'code'] as const;
const VALUES = ['v', 'val', 'value'] as const;
const TIMES = ['t', 'ts', 'time', 'timestamp'] as const;
/** Other fields of a record. Only `unit` is used. */
const OTHERS = ['q', 'qc', 'quality', 'unit', 'type', 'error'];
/** Fields of an envelope that contain the list of records. */
const LISTS = [
  'values',
  'vals',
  'tags',
  'records',
  'metrics',
  'readings',
  'measurements',
  'data',
  'properties',
];

type NamedRecord = {
  readonly metric: string;
  /** null: there is none, or an error. */
  readonly value: unknown;
  readonly ts: unknown;
  readonly unit: unknown;
};

const fieldIn = <Name extends string>(object: JsonObject, names: readonly Name[]): Name | undefined =>
  names.find((name) => object[name] !== undefined);

/** Reads a record: a value with its name, and no field that can be another value. null means no value. */
const recordOf = (item: unknown): NamedRecord | undefined => {
  if (!isObject(item)) return undefined;
  const [name, value, time] = [fieldIn(item, NAMES), fieldIn(item, VALUES), fieldIn(item, TIMES)];
  if (name === undefined || (value === undefined && item['error'] === undefined)) return undefined;
  const metric = item[name];
  const found = value === undefined ? null : item[value];
  const ts = time === undefined ? undefined : item[time];
  if (typeof metric !== 'string' || metric === '' || isComposite(found)) return undefined;
  if (ts !== undefined && !isTimestamp(ts)) return undefined;
  const known: string[] = [name, ...OTHERS];
  for (const field of [value, time]) if (field !== undefined) known.push(field);
  return hasOnly(item, known) ? { metric, value: found, ts, unit: item['unit'] } : undefined;
};

const recordsIn = (list: unknown): NamedRecord[] | undefined => {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const records = list.map(recordOf);
  const found = records.filter((record) => record !== undefined);
  return found.length === records.length ? found : undefined;
};

/** Fields of an envelope that are not values. */
const ENVELOPE = [
  'device',
  'deviceId',
  'device_id',
  'node',
  'group',
  'timestamp',
  'ts',
  'time',
  'seq',
  'errors',
  'metas',
];

type Envelope = {
  readonly records: readonly NamedRecord[];
  readonly device?: unknown;
  readonly ts?: unknown;
  readonly group?: unknown;
};

const envelopeOf = (message: unknown): Envelope | undefined => {
  const own = recordsIn(message);
  if (own !== undefined) return { records: own };
  if (!isObject(message)) return undefined;
  const list = LISTS.find((name) => Array.isArray(message[name]));
  if (list === undefined || !hasOnly(message, [...ENVELOPE, list])) return undefined;
  const records = recordsIn(message[list]);
  if (records === undefined) return undefined;
  const { device, deviceId, device_id, node, group, timestamp, ts, time } = message;
  return { records, device: device ?? deviceId ?? device_id ?? node, group, ts: ts ?? timestamp ?? time };
};

const writeRecords = (writer: MessageWriter, { records, device, group, ts: sentAt }: Envelope): void => {
  const owner = typeof device === 'string' ? writer.deviceNamed(device) : undefined;
  const prefix = typeof group === 'string' && group !== '' ? `${group}.` : '';
  for (const [ts, own] of Map.groupBy(records, (record) => record.ts ?? sentAt)) {
    for (const { metric, value, unit } of own) {
      if (value === null) writer.noValues += 1;
      putField(writer, prefix + metric, value);
      if (isDisplayUnit(unit)) writer.addUnit(prefix + metric, unit, owner);
    }
    if (writer.hasSamples) writer.endGroup(owner, ts);
  }
};

/**
 * Records with a name, a value, and often a time and a quality, in a list or in an envelope with a list:
 * `{ "timestamp": …, "values": [{ "id": "Line1.Temp", "v": 21, "q": true, "t": … }] }`. The metric is the name, after
 * the group of the envelope if there is one.
 * Sources: Kepware IoT Gateway (standard template), Siemens Industrial Edge (`vals`), EMQX Neuron (tags format)
 */
export const recordsFormat: MessageFormat = {
  name: 'records',
  write: (message, writer) => {
    const envelope = envelopeOf(message);
    if (envelope === undefined) return false;
    writeRecords(writer, envelope);
    return true;
  },
};
