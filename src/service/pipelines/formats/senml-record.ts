import { type JsonObject, type FormatRejection } from './message-format.ts';

/** The labels of RFC 8428 (section 4) and of RFC 9193, which says of `vd` what it holds. */
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
/** The version of RFC 8428, and of a record that names none. */
const VERSION = 10;

/** What the base fields of the records so far add to the ones that follow. */
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

/** What a record alone says; `time` in seconds, absolute or relative to now. */
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

/** Base fields hold for this record and the ones after it. */
const baseAfter = (base: SenmlBase, record: JsonObject): SenmlBase => ({
  name: text(record['bn'], base.name),
  time: number(record['bt']) ?? base.time,
  unit: text(record['bu'], base.unit),
  value: number(record['bv']) ?? base.value,
  sum: number(record['bs']) ?? base.sum,
  version: number(record['bver']) ?? base.version,
});

const faultOf = (record: JsonObject, version: number): Omit<FormatRejection, 'values'> | undefined => {
  for (const [label, type] of Object.entries(TYPES))
    if (record[label] !== undefined && typeof record[label] !== type)
      return { reason: 'invalid-value', detail: `${label} must be a ${type}.` };
  const strange = Object.keys(record).find((label) => label.endsWith('_') && !SENML_LABELS.includes(label));
  // RFC 8428, 4.4: such a field must be understood.
  if (strange !== undefined)
    return { reason: 'unknown-field', detail: `${strange} must be understood to read this record.` };
  if (!Number.isInteger(version) || version < 1 || version > VERSION)
    return {
      reason: 'unknown-version',
      detail: `Version ${version} is not known; ${VERSION} is the newest.`,
    };
  if (VALUE_LABELS.filter((label) => record[label] !== undefined).length > 1)
    return { reason: 'invalid-value', detail: `Give one of ${VALUE_LABELS.join(', ')}, not several.` };
  return undefined;
};

/** Resolves one record (RFC 8428, 4.6); `fault` where nothing of it can be taken. Its base fields hold all the same. */
export const resolveRecord = (
  record: JsonObject,
  before: SenmlBase,
): SenmlRecord & { fault: Omit<FormatRejection, 'values'> | undefined } => {
  const base = baseAfter(before, record);
  const own = VALUE_LABELS.map((label) => record[label]).find((value) => value !== undefined);
  const isOther = typeof own === 'string' || typeof own === 'boolean';
  // A base stands for what a record leaves out only where it names something and gives nothing else.
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
