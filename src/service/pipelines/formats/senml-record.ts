import type { JsonObject } from './json-object.ts';

/** The labels of RFC 8428 (section 4) and RFC 9193 (content types for `vd`). */
export const SENML_LABELS: readonly string[] = [
  'bn',
  'bt',
  'bu',
  'bv',
  'bs',
  'bver',
  'bct',
  'n',
  'u',
  'v',
  'vs',
  'vb',
  'vd',
  's',
  't',
  'ut',
  'ct',
];

/** Why a record is rejected. */
type RecordFault = { readonly reason: string; readonly detail: string };

const VALUE_LABELS = ['v', 'vs', 'vb', 'vd'] as const;
const TYPES: Record<string, 'string' | 'number' | 'boolean'> = {
  bn: 'string',
  bt: 'number',
  bu: 'string',
  bv: 'number',
  bs: 'number',
  bver: 'number',
  n: 'string',
  u: 'string',
  t: 'number',
  v: 'number',
  vs: 'string',
  vb: 'boolean',
  vd: 'string',
  s: 'number',
};
/** The version of RFC 8428, and the default version of records. */
const VERSION = 10;

/** The base fields of the previous records. */
export type SenmlBase = {
  name: string;
  time: number;
  unit: string;
  value: number | undefined;
  sum: number | undefined;
  version: number;
};

export const noBase: SenmlBase = {
  name: '',
  time: 0,
  unit: '',
  value: undefined,
  sum: undefined,
  version: VERSION,
};

/** A resolved record. `time` is in seconds, absolute or relative to now. */
export type SenmlRecord = {
  base: SenmlBase;
  name: string;
  unit: string;
  time: number;
  value: number | boolean | string | undefined;
  sum: number | undefined;
};

const text = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const added = (base: number | undefined, own: number | undefined): number | undefined =>
  own === undefined ? base : (base ?? 0) + own;

/** The base fields after this record. They apply to it and the following records. */
const baseAfter = (base: SenmlBase, record: JsonObject): SenmlBase => ({
  name: text(record['bn'], base.name),
  time: number(record['bt']) ?? base.time,
  unit: text(record['bu'], base.unit),
  value: number(record['bv']) ?? base.value,
  sum: number(record['bs']) ?? base.sum,
  version: number(record['bver']) ?? base.version,
});

const faultOf = (record: JsonObject, version: number): RecordFault | undefined => {
  for (const [label, type] of Object.entries(TYPES))
    if (record[label] !== undefined && typeof record[label] !== type)
      return { reason: 'invalid-value', detail: `${label} must be a ${type}.` };
  const unknown = Object.keys(record).find((label) => label.endsWith('_') && !SENML_LABELS.includes(label));
  // RFC 8428, 4.4: such a field must be understood.
  if (unknown !== undefined)
    return {
      reason: 'unknown-field',
      detail: `Unknown field ${unknown}. SenML does not allow ignoring fields that end in _. Remove it.`,
    };
  if (!Number.isInteger(version) || version < 1 || version > VERSION)
    return {
      reason: 'unknown-version',
      detail: `Version ${version} is not supported. Send version ${VERSION} or lower.`,
    };
  if (VALUE_LABELS.filter((label) => record[label] !== undefined).length > 1)
    return { reason: 'invalid-value', detail: `Use only one of ${VALUE_LABELS.join(', ')}.` };
  return undefined;
};

/** Resolves one record (RFC 8428, 4.6). `fault`: why the record is rejected. Its base fields apply anyway. */
export const resolveRecord = (
  record: JsonObject,
  before: SenmlBase,
): SenmlRecord & { fault: RecordFault | undefined } => {
  const base = baseAfter(before, record);
  const own = VALUE_LABELS.map((label) => record[label]).find((value) => value !== undefined);
  const isOther = typeof own === 'string' || typeof own === 'boolean';
  // Base values only apply to a record with a name and no value.
  const isBare = record['n'] !== undefined && own === undefined && record['s'] === undefined;
  const isNumber = typeof own === 'number' || (isBare && base.value !== undefined);
  const hasSum = record['s'] !== undefined || (isBare && base.sum !== undefined);
  return {
    base,
    name: text(record['n'], ''),
    unit: text(record['u'], base.unit),
    time: base.time + (number(record['t']) ?? 0),
    value: isOther ? own : isNumber ? added(base.value, number(own)) : undefined,
    sum: hasSum ? added(base.sum, number(record['s'])) : undefined,
    fault: faultOf(record, base.version),
  };
};
