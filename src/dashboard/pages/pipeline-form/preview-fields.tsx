import { useRef, useState } from 'react';
import { dateOrdersOf, type DateOrder } from '#contract/date-order.ts';
import type { Preview } from '#contract/messages.ts';
import { useKeptFocus } from '../../ui/browser/kept-focus.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { formatList } from '../../ui/format/format-list.ts';
import { BreakableName } from '../../ui/format/breakable-name.tsx';
import { formatSampleValue } from '../../resources/pipelines/sample-table.tsx';
import { rolesIn, usageOf, type FieldUsage } from './field-roles.ts';
import {
  looksLikeIdentity,
  looksLikeNumber,
  looksLikeTime,
  messageFields,
  NUMBER_TEXT,
  allSamplesOf,
  type MessageField,
} from './message-fields.ts';
import type { PipelineFormState } from './pipeline-form-values.ts';
import {
  hasFieldRoles,
  isMappedByUser,
  nameAsPenstock,
  nameAsStored,
  readRule,
  type FieldRole,
  type FieldRoles,
} from './role-expression.ts';
import { excludedIn, setFieldRole } from './set-field-role.ts';

const roleOptions = [
  { value: 'metric', label: 'Metric' },
  { value: 'number', label: 'Number' },
  { value: 'device', label: 'Device' },
  { value: 'time', label: 'Time' },
  { value: 'unit', label: 'Unit' },
  { value: 'ignored', label: 'Left out' },
] as const satisfies readonly { value: FieldRole; label: string }[];

/** The roles that a field can have. A text with a number in it can be the number. */
const roleOptionsOf = (field: MessageField, role: FieldRole | undefined) =>
  roleOptions.filter((option) => {
    const { value, isInList } = field;
    if (option.value === 'metric' || option.value === 'ignored') return true;
    if (isInList) return false;
    if (option.value === 'unit') return typeof value === 'string';
    if (option.value !== 'number') return true;
    return role === 'number' || (typeof value === 'string' && NUMBER_TEXT.test(value));
  });

type Props = {
  form: PipelineFormState;
  /** The message of the preview. */
  message: string;
  preview: Preview;
  /** The expression of the mapping; null: the automatic detection. */
  expression: string | null;
  /** Called when a list of roles opens and closes. */
  onListOpenChange: (isOpen: boolean) => void;
};

/** The fields of the previewed message, each with its role. A choice becomes a rule of the mapping. */
export const PreviewFields = ({ form, message, preview, expression, onListOpenChange }: Props) => {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const rule = readRule(expression ?? '');
  const found = messageFields(message);
  const isByUser = isMappedByUser(found, preview, expression);
  const fields =
    rule?.hasMetricsInValues === true
      ? found.map(nameAsPenstock)
      : isByUser
        ? nameAsStored(found, preview)
        : found;
  if (fields.length === 0 || !hasFieldRoles(preview)) return null;
  const hasFailed = isByUser && preview.rejections.some(({ reason }) => reason.startsWith('expression-'));
  const usages: ReadonlyMap<string, FieldUsage> = new Map(
    isByUser && !hasFailed ? fields.map((field) => [field.name, usageOf(expression ?? '', field)]) : [],
  );
  // A sample can have the name, the device or the time of a field that the expression does not use.
  const roles = hasFailed
    ? new Map<string, FieldRole>()
    : new Map(
        [...rolesIn(fields, preview, expression)].filter(
          ([name, role]) => role === 'ignored' || usages.get(name) !== 'none',
        ),
      );
  // Values in lists can be left out with their list, or be samples with a time of their own.
  const shown = fields.filter(({ name, isInList }) => !isInList || roles.has(name));
  const changeRole = (name: string, role: FieldRole, order?: DateOrder) =>
    setFieldRole(form, { fields, roles }, name, role, order);
  const excluded = excludedIn(form);
  const asked = [
    ...dateQuestionsOf(fields, roles, rule?.timeText),
    ...questionsOf(fields, preview, kept, excluded, roles),
  ];
  const questions = isByUser ? withoutRules(asked) : asked;
  /** Metrics can be left out without a rule. */
  const optionsOf = (field: MessageField) => {
    const role = roles.get(field.name);
    const options = roleOptionsOf(field, role);
    return isByUser ? options.filter(({ value }) => value === role || needsNoRule(value)) : options;
  };
  const isFixed = ({ name }: MessageField): boolean =>
    isByUser && roles.get(name) !== 'metric' && !excluded.includes(name);
  return (
    <>
      <Questions
        questions={questions}
        onChoose={changeRole}
        onKeep={(names) => setKept(new Set([...kept, ...names]))}
      />
      <section aria-label="Fields">
        <h3 className="font-medium">Fields</h3>
        <p className="mb-1.5 text-sm text-muted">
          {hasFailed
            ? 'Your expression fails for this message, so its fields have no roles.'
            : isByUser
              ? 'Your expression handles this message. Change it there. Here, you can only leave out metrics.'
              : 'Choose the role of each field. The choice becomes a rule of the mapping.'}
        </p>
        <ul className="divide-y divide-hairline rounded-md border border-hairline">
          {shown.map((field) => {
            const { name, value } = field;
            return (
              <li key={name} className="flex items-center gap-3 py-1 pr-1 pl-3">
                <span className="min-w-0 flex-1">
                  <span className="block font-mono text-sm">
                    <BreakableName name={name} />
                  </span>
                  <span className="block truncate text-sm text-muted">
                    {/* A number as in the message, since separators hide a Unix timestamp. */}
                    {typeof value === 'number' ? String(value) : formatSampleValue(value)}
                  </span>
                </span>
                <div className="w-36 shrink-0">
                  <Select
                    aria-label={`Role of ${name}`}
                    options={optionsOf(field)}
                    value={roles.get(name) ?? null}
                    disabled={isFixed(field)}
                    placeholder={hasFailed ? 'No role' : usageWords[usages.get(name) ?? 'unmapped']}
                    onChange={(role) => changeRole(name, role)}
                    onOpenChange={onListOpenChange}
                  />
                </div>
              </li>
            );
          })}
        </ul>
        {rule?.others === '$' && (
          <p className="mt-1.5 text-sm text-muted">
            Rule: <code className="font-mono wrap-anywhere">{expression}</code>
          </p>
        )}
      </section>
    </>
  );
};

/** Words for fields without a role. An expression can store a field under any name. */
const usageWords: Record<FieldUsage | 'unmapped', string> = {
  named: 'In expression',
  possible: 'May be used',
  none: 'Not used',
  unmapped: 'Not stored',
};

type Question = {
  text: string;
  choices: { name: string; role: FieldRole; order?: DateOrder; label: string }[];
  /** The fields that can stay as they are; undefined: the message is rejected without a choice. */
  keeps?: readonly string[];
  keepLabel?: string;
};

const needsNoRule = (role: FieldRole): boolean => role === 'metric' || role === 'ignored';

/** The questions with the answers that need no rule in the expression. */
const withoutRules = (questions: readonly Question[]): Question[] =>
  questions.flatMap((question) => {
    const choices = question.choices.filter(({ role }) => needsNoRule(role));
    return choices.length === 0 ? [] : [{ ...question, choices }];
  });

type QuestionsProps = {
  questions: readonly Question[];
  onChoose: (name: string, role: FieldRole, order?: DateOrder) => void;
  onKeep: (names: readonly string[]) => void;
};

const Questions = ({ questions, onChoose, onKeep }: QuestionsProps) => {
  const region = useRef<HTMLDivElement>(null);
  useKeptFocus(region, questions.map(({ text }) => text).join(' '));
  if (questions.length === 0) return null;
  return (
    <div ref={region} className="flex flex-col gap-3">
      {questions.map(({ text, choices, keeps, keepLabel = 'Keep as metric' }) => (
        <section key={text} aria-label={text} className="rounded-md bg-attention-soft px-3 py-2.5">
          <h3 className="font-medium break-words">{text}</h3>
          <div className="mt-2 flex flex-wrap gap-2">
            {choices.map(({ name, role, order, label }) => (
              <Button key={`${role} ${label}`} onClick={() => onChoose(name, role, order)}>
                <span>
                  <BreakableName name={label} />
                </span>
              </Button>
            ))}
            {keeps !== undefined && (
              <Button variant="quiet" onClick={() => onKeep(keeps)}>
                {keepLabel}
              </Button>
            )}
          </div>
        </section>
      ))}
    </div>
  );
};

const orderWords: Record<DateOrder, string> = { 'day-first': 'Day first', 'month-first': 'Month first' };
const dayFormat = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** Which number of the date is the day, if both can be. `timeText`: what reads the time in the rule. */
const dateQuestionsOf = (
  fields: readonly MessageField[],
  roles: FieldRoles,
  timeText: string | undefined,
): Question[] =>
  fields.flatMap(({ name, value }): Question[] => {
    const isAsSent = timeText !== undefined && !timeText.startsWith('$');
    const orders = roles.get(name) === 'time' && isAsSent ? dateOrdersOf(value) : [];
    if (orders.length < 2) return [];
    const choices = orders.map(({ order, date }) => {
      const label = `${orderWords[order]}: ${dayFormat.format(new Date(date))}`;
      return { name, role: 'time' as const, order, label };
    });
    return [{ text: `Is the day or the month first in ${name} “${String(value)}”?`, choices }];
  });

/** A time that Penstock leaves out, because its name says that it may be the time of something else. */
const OTHER_TIME = /(_ts|timestamp)$/i;

/**
 * Questions that the service cannot answer: which of several fields to use, and whether a metric is a time, an identity
 * or a number.
 */
const questionsOf = (
  fields: readonly MessageField[],
  preview: Preview,
  kept: ReadonlySet<string>,
  excluded: readonly string[],
  roles: FieldRoles,
): Question[] => {
  const { rejections, leftOut } = preview;
  const isRegistered = ({ value }: MessageField) =>
    typeof value === 'string' && preview.registered.includes(value);
  const choose = (names: readonly string[], role: FieldRole) =>
    names.map((name) => ({ name, role, label: name }));
  const ambiguous = rejections.flatMap((rejection): Question[] => {
    if (rejection.fields.length === 0) return [];
    const role = rejection.reason === 'device-ambiguous' ? 'device' : 'time';
    return [{ text: `Which field is the ${role}?`, choices: choose(rejection.fields, role) }];
  });
  const groups = allSamplesOf(preview);
  const metrics = new Set(groups.flatMap(({ values }) => Object.keys(values)));
  const isNameless = rejections.some(({ reason }) => reason === 'device-missing');
  // No sample is shown if the time cannot be read either.
  const isUnread =
    groups.length === 0 && (isNameless || rejections.some(({ reason }) => reason === 'invalid-ts'));
  const open = fields.filter(({ name, isInList }) => !isInList && !kept.has(name));
  const openMetrics = open.filter(({ name }) => metrics.has(name) || (isUnread && !roles.has(name)));
  // A value that is a registered device is better evidence than the name of a field.
  const registered = openMetrics.filter(isRegistered).map(({ name }) => name);
  const identities = [
    ...registered,
    ...openMetrics
      .filter((field) => !isRegistered(field) && looksLikeIdentity(field))
      .map(({ name }) => name),
  ];
  const otherTimes = open.filter(
    ({ name }) => leftOut.includes(name) && OTHER_TIME.test(name) && !excluded.includes(name),
  );
  const times = [...openMetrics, ...otherTimes].filter(looksLikeTime).map(({ name }) => name);
  const numberTexts = openMetrics.filter(
    (field) =>
      looksLikeNumber(field) && !identities.includes(field.name) && roles.get(field.name) === 'metric',
  );
  const isTimed = groups.some(({ ts }) => ts !== undefined);
  return [
    ...ambiguous,
    ...(isNameless && identities.length > 0
      ? [{ text: 'Which field is the device?', choices: choose(identities, 'device') }]
      : []),
    ...(!isNameless && !isUnread
      ? identities.map((name) => ({
          text: registered.includes(name)
            ? `${name} names a registered device.`
            : `${name} looks like an identifier, not a measurement.`,
          choices: [
            { name, role: 'ignored' as const, label: 'Leave out' },
            { name, role: 'device' as const, label: 'Use as device' },
          ],
          keeps: [name],
        }))
      : []),
    ...(!isTimed && times.length > 0
      ? [
          {
            text: `Is ${times.join(' or ')} the time of the samples?`,
            choices: times.map((name) => ({ name, role: 'time' as const, label: `Use ${name} as time` })),
            ...(!isUnread && { keeps: times }),
            ...(times.every((name) => leftOut.includes(name)) && { keepLabel: 'Leave out' }),
          },
        ]
      : []),
    ...(numberTexts.length > 0
      ? [
          {
            text: `${formatList(numberTexts.map(({ name, value }) => `${name} “${value}”`))} would be stored as text.`,
            choices: numberTexts.map(({ name }) => ({
              name,
              role: 'number' as const,
              label: numberTexts.length === 1 ? 'Store the number' : `Store the number in ${name}`,
            })),
            keeps: numberTexts.map(({ name }) => name),
            keepLabel: 'Keep as text',
          },
        ]
      : []),
  ];
};
