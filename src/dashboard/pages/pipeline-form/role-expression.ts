import { onlyOrderOf, yearFirstText, type DateOrder } from '#contract/date-order.ts';
import type { Preview } from '#contract/messages.ts';
import { NUMBER_TEXT, allSamplesOf, type MessageField } from './message-fields.ts';

/**
 * What a field of a message is: a metric, the number in a text, the device, the time of the samples, the unit of metrics,
 * or not stored.
 */
export type FieldRole = 'metric' | 'number' | 'device' | 'time' | 'unit' | 'ignored';

export type FieldRoles = ReadonlyMap<string, FieldRole>;

const IDENTIFIER = /^[A-Za-z_]\w*$/;
const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null']);

/** A path of JSONata. */
const pathText = (path: readonly string[]): string =>
  path.map((name) => (IDENTIFIER.test(name) && !KEYWORDS.has(name) ? name : `\`${name}\``)).join('.');

/** The groups of `NUMBER_TEXT` in a field. Later messages may have a number instead of the text. */
const matchText = ({ path }: MessageField): string =>
  `$match($string(${pathText(path)}), /${NUMBER_TEXT.source}/).groups`;

/** `"temp": …`. Without a number in the text, the metric is missing. */
const numberText = (field: MessageField): string =>
  `${JSON.stringify(field.name)}: $number($replace(${matchText(field)}[0], ",", "."))`;

/** An object without some of its fields. */
const withoutText = (object: string, paths: readonly (readonly string[])[]): string =>
  paths.reduce((text, path) => {
    const parent = path.length === 1 ? '$' : pathText(path.slice(0, -1));
    return `${text} ~> |${parent}|{}, ${JSON.stringify(path.slice(-1))}|`;
  }, object);

/** The field of the Penstock format that holds the metrics, without a prefix of their names. */
const VALUES = 'values';

const isInValues = ({ path }: MessageField): boolean => path[0] === VALUES && path.length > 1;

/** Names the fields in `values` as the Penstock format does. */
export const nameAsPenstock = (field: MessageField): MessageField =>
  isInValues(field) ? { ...field, name: field.path.slice(1).join('.') } : field;

/** Names the fields in `values` as the Penstock format does where an expression of the user stores them without a prefix. */
export const nameAsStored = (fields: readonly MessageField[], preview: Preview): MessageField[] => {
  const stored = new Set([
    ...allSamplesOf(preview).flatMap(({ values }) => Object.keys(values)),
    ...preview.leftOut,
  ]);
  const taken = new Set(fields.map(({ name }) => name));
  return fields.map((field) => {
    const { name } = nameAsPenstock(field);
    return stored.has(name) && !stored.has(field.name) && !taken.has(name) ? { ...field, name } : field;
  });
};

/**
 * All fields of a message but the used ones, also those that only other messages have, and the numbers in texts.
 * `hasMetricsInValues`: the metrics in `values` have no prefix.
 */
const valuesText = (
  used: readonly MessageField[],
  numbers: readonly MessageField[],
  hasMetricsInValues: boolean,
): string => {
  const removed = [...used, ...numbers];
  const outer = removed.filter((field) => !hasMetricsInValues || !isInValues(field)).map(({ path }) => path);
  const inner = removed.filter(isInValues).map(({ path }) => path.slice(1));
  const parts = [
    ...(hasMetricsInValues
      ? [withoutText('$', [...outer, [VALUES]]), withoutText(VALUES, inner)]
      : [withoutText('$', outer)]),
    ...(numbers.length === 0 ? [] : [`{ ${numbers.map(numberText).join(', ')} }`]),
  ];
  return parts.length === 1 ? parts.join('') : `$merge([${parts.join(', ')}])`;
};

/** The device. If it `isChosen` by the user, messages without it are rejected. */
const deviceText = ({ path, name }: MessageField, isChosen: boolean): string => {
  const text = pathText(path);
  const detail = `The message has no “${name}”. This field is the device.`;
  return `${text} != null ? $string(${text})${isChosen ? ` : $error(${JSON.stringify(detail)})` : ''}`;
};

/** The time. Without a chosen order, a date is read only if it has no other order. */
const timeText = ({ path, value }: MessageField, chosen: DateOrder | undefined): string => {
  const order = chosen ?? onlyOrderOf(value);
  return order === undefined ? pathText(path) : yearFirstText(pathText(path), order, value);
};

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

/** The metrics with a unit, as JSON, and what gives the unit: the path of a field, or a part of the text. */
type UnitTexts = ReadonlyMap<string, string>;

const unitTextsOf = (fields: readonly MessageField[], roles: FieldRoles): UnitTexts =>
  new Map(
    fields
      .filter(({ name }) => roles.get(name) === 'unit')
      .flatMap((unit) =>
        metricsWithUnit(unit, fields, roles).map(({ name }) => [JSON.stringify(name), pathText(unit.path)]),
      ),
  );

/** The rule at the start of an expression. */
type RoleRule = {
  /** The fields with a role, also those that the message in the preview lacks. */
  readonly fields: readonly MessageField[];
  /** Their roles. */
  readonly roles: FieldRoles;
  readonly units: UnitTexts;
  /** Whether the user chose the device. Otherwise the rule only keeps the detected device. */
  readonly isDeviceChosen: boolean;
  /** What reads the time; undefined: the rule has no time. */
  readonly timeText: string | undefined;
  /** Whether the metrics in `values` are named as in the Penstock format. */
  readonly hasMetricsInValues: boolean;
  /** The condition under which the rule applies to a message. */
  readonly condition: string;
  /** What the other messages get: `$`, or an expression of the user in parentheses. */
  readonly others: string;
};

const NAME = '(?:[A-Za-z_]\\w*|`[^`]+`)';
const PATH = `${NAME}(?:\\.${NAME})*`;
const RULE =
  /^(?:\$exists\(\$device\) (?:and \$not\(\$exists\(device\)\) )?or )?\$exists\(\$\[(.*?)\]\) \? \$\.\{ (.*?) \} : (\$|\(.*\))$/s;
const DEVICE = new RegExp(`^"device": (?:${PATH} != null \\? )?(?:\\$string\\()?(${PATH})[,)]`);
const DETECTED_DEVICE = new RegExp(`^"device": ${PATH} != null \\? \\$string\\(${PATH}\\), `);
const TIME = new RegExp(`(?:^|, )"ts": ((?:\\$type\\()?(${PATH})(?:\\).*?)?), "values"`);
const UNITS = /, "units": \{ (.*) \}$/s;
const UNIT = new RegExp(`("(?:[^"\\\\]|\\\\.)*"): (${PATH})(?=, |$)`, 'g');

const METRICS_IN_VALUES = `, ${JSON.stringify([VALUES])}|, ${VALUES}`;
const NUMBER = new RegExp(`: \\$number\\(\\$replace\\(\\$match\\(\\$string\\((${PATH})\\)`, 'g');

const fieldAt = (text: string): MessageField => {
  const path = [...text.matchAll(new RegExp(NAME, 'g'))].map(([name]) => name.replaceAll('`', ''));
  return { path, name: path.join('.'), isInList: false, value: '' };
};

/**
 * Reads an expression of `roleExpression`, or one that was suggested for fields that contradict each other. Undefined: it
 * is another one.
 */
export const readRule = (expression: string): RoleRule | undefined => {
  const [, condition, parts, others] = RULE.exec(expression) ?? [];
  if (condition === undefined || parts === undefined || others === undefined) return undefined;
  const units = new Map(
    [...(UNITS.exec(parts)?.[1] ?? '').matchAll(UNIT)].map(([, metric = '', path = '']) => [metric, path]),
  );
  const [, readTime, time] = TIME.exec(parts) ?? [];
  const found = [
    ['device', DEVICE.exec(parts)?.[1]],
    ['time', time],
    ...[...new Set(units.values())].map((path) => ['unit', path] as const),
    ...[...parts.matchAll(NUMBER)].map(([, path]) => ['number', path] as const),
  ] as const;
  const hasMetricsInValues = parts.includes(METRICS_IN_VALUES);
  const entries = found.flatMap(([role, path]) => {
    if (path === undefined) return [];
    return [{ role, field: hasMetricsInValues ? nameAsPenstock(fieldAt(path)) : fieldAt(path) }];
  });
  return {
    fields: entries.map(({ field }) => field),
    roles: new Map(entries.map(({ role, field }) => [field.name, role])),
    units,
    isDeviceChosen: DEVICE.test(parts) && !DETECTED_DEVICE.test(parts),
    timeText: readTime,
    hasMetricsInValues,
    condition,
    others,
  };
};

const PRESENT = new RegExp(`(\\$not\\(\\$exists\\(device\\)\\) and )?(${PATH}) != null`, 'g');

const hasRuleFor = ({ condition }: RoleRule, fields: readonly MessageField[]): boolean => {
  const present = new Set(fields.map(({ path }) => pathText(path)));
  const namesDevice = fields.some(({ path }) => path[0] === 'device');
  return [...condition.matchAll(PRESENT)].some(
    ([, unlessNamed, path = '']) => present.has(path) && (unlessNamed === undefined || !namesDevice),
  );
};

/** Formats whose fields have no fixed roles. */
const FORMATS_WITH_ROLES = new Set<string | null>(['flat', 'expression', null]);

export const hasFieldRoles = ({ format }: Pick<Preview, 'format'>): boolean => FORMATS_WITH_ROLES.has(format);

/**
 * Whether an expression of the user maps the message with these fields. A role would put a rule before the expression,
 * which then no longer applies to such messages.
 */
export const isMappedByUser = (
  fields: readonly MessageField[],
  { format }: Pick<Preview, 'format'>,
  expression: string | null,
): boolean => {
  const rule = readRule(expression ?? '');
  return (
    format === 'expression' && (rule === undefined || (rule.others !== '$' && !hasRuleFor(rule, fields)))
  );
};

/** Only one field is the device or the time. */
export const isUnique = (role: FieldRole): boolean => role === 'device' || role === 'time';

type RoleChange = {
  /** The fields of a message, and their roles. */
  fields: readonly MessageField[];
  roles: FieldRoles;
  /** The field that gets another role. */
  name: string;
  role: FieldRole;
  /** The order of the date of the time; undefined: as in the field. */
  order?: DateOrder | undefined;
};

const renamed = ({ fields, roles, name, role, order }: RoleChange): RoleChange => {
  const names = new Map(fields.map((field) => [field.name, nameAsPenstock(field).name]));
  const nameOf = (old: string): string => names.get(old) ?? old;
  return {
    fields: fields.map(nameAsPenstock),
    roles: new Map([...roles].map(([old, each]) => [nameOf(old), each])),
    name: nameOf(name),
    role,
    order,
  };
};

/**
 * The expression that gives a field another role. `expression`: the one in the form, whose rule it changes; another
 * expression still applies to the other messages. Otherwise, messages without the fields of the rule are left to the
 * automatic detection, but not to become samples of another device than the chosen one: if the topic, the configuration
 * or the sender names one (`$device`), messages without the chosen device are rejected, unless they name their own.
 */
export const roleExpression = (change: RoleChange, expression: string | null): string => {
  const rule = readRule(expression ?? '');
  // Messages without a device that Penstock knows have no metrics yet, whose names would change.
  const hasMetricsInValues =
    change.role === 'device' && rule?.isDeviceChosen !== true
      ? change.fields.some(isInValues)
      : rule?.hasMetricsInValues === true;
  const { fields: shown, roles: before, name: changed, role } = hasMetricsInValues ? renamed(change) : change;
  const others = rule?.others ?? (expression === null || expression.trim() === '' ? '$' : `(${expression})`);
  const absent = rule?.fields.filter((field) => shown.every(({ name }) => name !== field.name)) ?? [];
  const fields = [...shown, ...absent];
  const kept = [...(rule?.roles ?? []), ...before].filter(([, each]) => !isUnique(role) || each !== role);
  const roles = new Map([...kept, [changed, role]]);
  const fieldWith = (each: FieldRole) => fields.find(({ name }) => roles.get(name) === each);
  const [device, time] = [fieldWith('device'), fieldWith('time')];
  const units = fields.filter(({ name }) => roles.get(name) === 'unit');
  const numbers = fields.filter(({ name }) => roles.get(name) === 'number');
  const isDeviceChosen =
    device !== undefined &&
    (role === 'device' || (rule?.isDeviceChosen === true && rule.roles.get(device.name) === 'device'));
  const isTimeKept = time !== undefined && role !== 'time' && rule?.roles.get(time.name) === 'time';
  const readTime = isTimeKept ? rule?.timeText : time && timeText(time, change.order);
  const used = [device, time, ...units].filter((field) => field !== undefined);
  // A message may lack the unit and the number if the device or the time says that the rule applies.
  const needed = fields.filter(
    (field) =>
      field === device ||
      field === time ||
      (device === undefined && time === undefined && (units.includes(field) || numbers.includes(field))) ||
      (device === undefined && field.name === changed),
  );
  const absentPaths = new Set(absent.map(({ path }) => pathText(path)));
  const unitTexts = new Map([
    ...[...(rule?.units ?? [])].filter(([, path]) => absentPaths.has(path)),
    ...unitTextsOf(shown, roles),
    ...numbers.map((field) => [JSON.stringify(field.name), `${matchText(field)}[1]`] as const),
  ]);
  const parts = [
    ...(device === undefined ? [] : [`"device": ${deviceText(device, isDeviceChosen)}`]),
    ...(readTime === undefined ? [] : [`"ts": ${readTime}`]),
    `"values": ${valuesText(used, numbers, hasMetricsInValues)}`,
  ];
  if (unitTexts.size > 0)
    parts.push(`"units": { ${[...unitTexts].map(([metric, path]) => `${metric}: ${path}`).join(', ')} }`);
  const unlessNamed = isDeviceChosen && device.path[0] !== 'device' ? '$not($exists(device))' : undefined;
  const conditions = needed.map((field) => {
    const isPresent = `${pathText(field.path)} != null`;
    return field === device || unlessNamed === undefined ? isPresent : `${unlessNamed} and ${isPresent}`;
  });
  const condition = `$exists($[${conditions.join(' or ')}])`;
  const namedElsewhere = ['$exists($device)', unlessNamed].filter((text) => text !== undefined).join(' and ');
  const needsDevice = isDeviceChosen && others === '$';
  return `${needsDevice ? `${namedElsewhere} or ` : ''}${condition} ? $.{ ${parts.join(', ')} } : ${others}`;
};
