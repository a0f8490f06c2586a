import type { Preview } from '#contract/messages.ts';
import { slugOf } from '#contract/text.ts';
import { isRecord } from '../../kit/schema-form/schema-field.ts';

/** A value in a message. `name`: the name of the metric. `isInList`: it cannot be the device or the time of the message. */
export type MessageField = {
  path: readonly string[];
  name: string;
  isInList: boolean;
  value: string | number | boolean;
};

/** What a field of a message is: a metric, the device, the time of the samples, the unit of metrics, or not stored. */
export const fieldRoles = ['metric', 'device', 'time', 'unit', 'ignored'] as const;
export type FieldRole = (typeof fieldRoles)[number];

/** More fields do not fit a list that people read. */
const MAX_FIELDS = 60;

const leavesOf = (value: unknown, path: readonly string[], isInList: boolean): MessageField[] => {
  if (isRecord(value) || Array.isArray(value))
    return Object.entries(value).flatMap(([key, inner]) =>
      // Backticks quote names in expressions.
      key === '' || key.includes('`')
        ? []
        : leavesOf(inner, [...path, key], isInList || Array.isArray(value)),
    );
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? [{ path, name: path.join('.'), isInList, value }]
    : [];
};

/** The fields of a message: an object, or the first object of a list. Empty for other messages. */
export const messageFields = (message: string): readonly MessageField[] => {
  try {
    const content: unknown = JSON.parse(message);
    const first: unknown = Array.isArray(content) ? content[0] : content;
    return isRecord(first) ? leavesOf(first, [], false).slice(0, MAX_FIELDS) : [];
  } catch {
    return [];
  }
};

export type FieldRoles = ReadonlyMap<string, FieldRole>;

/** The units in an expression of `roleExpression`. */
const UNITS = /, "units": \{ .*? \} \} : \$$/s;

/**
 * The role of each field in the preview of its message. Fields without a role are missing. `expression`: of the mapping;
 * null: the automatic detection.
 */
export const rolesIn = (
  fields: readonly MessageField[],
  preview: Preview,
  expression: string | null,
): FieldRoles => {
  const units = expression === null ? '' : (UNITS.exec(expression)?.[0] ?? '');
  const groups = [...preview.samples, ...preview.unnamed];
  const metrics = new Set(groups.flatMap(({ values }) => Object.keys(values)));
  const leftOut = new Set(preview.leftOut);
  const device = preview.samples[0]?.device;
  const isTimed = groups.some(({ ts }) => ts !== undefined);
  const isDevice = ({ value, isInList }: MessageField): boolean =>
    !isInList && device !== undefined && (String(value) === device || slugOf(String(value), 128) === device);
  const roles = new Map<string, FieldRole>();
  for (const field of fields)
    if (units.includes(`: ${pathText(field.path)}`) && !metrics.has(field.name))
      roles.set(field.name, 'unit');
    else if (metrics.has(field.name)) roles.set(field.name, 'metric');
    else if (leftOut.has(field.name)) roles.set(field.name, 'ignored');
    else if (isDevice(field)) roles.set(field.name, 'device');
    else if (isTimed && !field.isInList && looksLikeTime(field)) roles.set(field.name, 'time');
  return roles;
};

const IDENTIFIER = /^[A-Za-z_]\w*$/;
const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null']);

/** A path of JSONata. */
const pathText = (path: readonly string[]): string =>
  path.map((name) => (IDENTIFIER.test(name) && !KEYWORDS.has(name) ? name : `\`${name}\``)).join('.');

/** All fields of a message but the used ones, also those that only other messages have. */
const valuesText = (used: readonly MessageField[]): string =>
  used.reduce((text, { path }) => {
    const parent = path.length === 1 ? '$' : pathText(path.slice(0, -1));
    return `${text} ~> |${parent}|{}, ${JSON.stringify(path.slice(-1))}|`;
  }, '$');

const parentOf = ({ path }: MessageField): string => path.slice(0, -1).join('.');

/**
 * The metrics that a field gives a unit: the one whose name begins its own (`temp` for `temp_unit`), else all numbers
 * beside it.
 */
const metricsWithUnit = (
  unit: MessageField,
  fields: readonly MessageField[],
  roles: FieldRoles,
): MessageField[] => {
  const beside = fields.filter(
    (field) =>
      !field.isInList &&
      typeof field.value === 'number' &&
      roles.get(field.name) === 'metric' &&
      parentOf(field) === parentOf(unit),
  );
  const named = beside.filter(({ path }) => unit.path.at(-1)?.startsWith(path.at(-1) ?? ''));
  return named.length > 0 ? named : beside;
};

const unitsText = (fields: readonly MessageField[], roles: FieldRoles): string[] =>
  fields
    .filter(({ name }) => roles.get(name) === 'unit')
    .flatMap((unit) =>
      metricsWithUnit(unit, fields, roles).map(
        ({ name }) => `${JSON.stringify(name)}: ${pathText(unit.path)}`,
      ),
    );

/**
 * The expression that gives fields their roles. `changed`: the field whose role the user changed. Messages without this
 * field, the device or the time (without all of them: the units) are left to the automatic detection.
 */
export const roleExpression = (
  fields: readonly MessageField[],
  roles: FieldRoles,
  changed: string,
): string => {
  const fieldWith = (role: FieldRole) => fields.find(({ name }) => roles.get(name) === role);
  const [device, time] = [fieldWith('device'), fieldWith('time')];
  const units = fields.filter(({ name }) => roles.get(name) === 'unit');
  const used = [device, time, ...units].filter((field) => field !== undefined);
  // A message may lack the unit if the device or the time says that the rule applies.
  const isOptional = (field: MessageField) =>
    units.includes(field) && (device !== undefined || time !== undefined);
  const needed = fields.filter(
    (field) => (used.includes(field) || field.name === changed) && !isOptional(field),
  );
  const parts = [
    ...(device === undefined ? [] : [`"device": $string(${pathText(device.path)})`]),
    ...(time === undefined ? [] : [`"ts": ${pathText(time.path)}`]),
    `"values": ${valuesText(used)}`,
  ];
  const unitTexts = unitsText(fields, roles);
  if (unitTexts.length > 0) parts.push(`"units": { ${unitTexts.join(', ')} }`);
  const condition = needed.map(({ path }) => `$exists(${pathText(path)})`).join(' and ');
  return `$exists($[${condition}]) ? $.{ ${parts.join(', ')} } : $`;
};

/** Whether an expression was made by `roleExpression`, or suggested for fields that contradict each other. */
export const isRoleExpression = (expression: string): boolean =>
  /^\$exists\(\$\[\$exists\(.*\)\]\) \? \$\.\{ .* \} : \$$/s.test(expression);

const TIME_NAME = /time|date|stamp|(^|[._])ts$|_at$|[a-z]At$/i;
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
/** 2000-01-01 in seconds. */
const LEAST_SECONDS = 946_684_800;

/** Whether a field is probably a timestamp, by its name and value. */
export const looksLikeTime = ({ name, value }: MessageField): boolean =>
  typeof value === 'string'
    ? ISO_TIME.test(value)
    : typeof value === 'number' && value >= LEAST_SECONDS && TIME_NAME.test(name);

const IDENTITY_NAME =
  /(^|[._-])(id|uid|uuid|serial|serialno|serialnumber|sn|mac|imei|eui|host|hostname|device)$/i;
const IDENTITY_END = /[a-z](Id|ID|Uid|Uuid|Serial|SerialNumber|Mac|Imei|Eui|EUI)$/;

/** Whether a field probably identifies the device, by its name and value. */
export const looksLikeIdentity = ({ name, value }: MessageField): boolean =>
  (IDENTITY_NAME.test(name) || IDENTITY_END.test(name)) &&
  (typeof value === 'string' ? value !== '' && value.length <= 128 : Number.isSafeInteger(value));
