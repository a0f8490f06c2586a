import type { Preview } from '#contract/messages.ts';
import { slugOf } from '#contract/slug-of.ts';
import { parseTime } from '#contract/time-range.ts';
import { looksLikeTime, allSamplesOf, type MessageField } from './message-fields.ts';
import { readRule, type FieldRole, type FieldRoles } from './role-expression.ts';

/** Whether a value is one of these times, in epoch ms. */
const isOneOf = (times: ReadonlySet<number>, value: MessageField['value']): boolean => {
  const ms = typeof value === 'boolean' ? undefined : parseTime(value);
  return ms !== undefined && times.has(ms);
};

/**
 * The role of each field in the preview of its message. Fields without a role are missing. `expression`: of the mapping;
 * null: the automatic detection.
 */
export const rolesIn = (
  fields: readonly MessageField[],
  preview: Preview,
  expression: string | null,
): FieldRoles => {
  const chosen =
    (expression === null ? undefined : readRule(expression)?.roles) ?? new Map<string, FieldRole>();
  const chosenRoles = new Set(chosen.values());
  const groups = allSamplesOf(preview);
  const metrics = new Set(groups.flatMap(({ values }) => Object.keys(values)));
  const leftOut = new Set(preview.leftOut);
  const device = groups[0]?.device;
  const times = new Set(groups.flatMap(({ ts }) => (ts === undefined ? [] : [new Date(ts).getTime()])));
  const isDevice = ({ value }: MessageField): boolean =>
    device !== undefined &&
    !chosenRoles.has('device') &&
    (String(value) === device || slugOf(String(value), 128) === device);
  const isTime = (field: MessageField): boolean =>
    times.size > 0 && !chosenRoles.has('time') && (looksLikeTime(field) || isOneOf(times, field.value));
  const roles = new Map<string, FieldRole>();
  for (const field of fields) {
    const { name, isInList } = field;
    const role = isInList ? undefined : chosen.get(name);
    if (role !== undefined) roles.set(name, role);
    else if (metrics.has(name)) roles.set(name, 'metric');
    else if (leftOut.has(name)) roles.set(name, 'ignored');
    else if (!isInList && isDevice(field)) roles.set(name, 'device');
    else if (!isInList && isTime(field)) roles.set(name, 'time');
  }
  return roles;
};
