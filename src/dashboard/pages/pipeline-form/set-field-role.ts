import type { DateOrder } from '#contract/date-order.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import type { MessageField } from './message-fields.ts';
import { MAPPING_TOAST, setMapping, type PipelineFormState } from './pipeline-form-values.ts';
import { isUnique, readRule, roleExpression, type FieldRole, type FieldRoles } from './role-expression.ts';

/** The form field with patterns, one per line. */
const EXCLUDE = 'config.exclude';

/** The patterns of excluded metrics. */
export const excludedIn = (form: PipelineFormState): string[] => {
  const lines = form.getValues(EXCLUDE);
  return typeof lines === 'string' ? lines.split('\n').filter((line) => line.trim() !== '') : [];
};

const setExcluded = (form: PipelineFormState, lines: readonly string[]): void =>
  form.setValue(EXCLUDE, lines.join('\n'), { shouldDirty: true, shouldValidate: true });

/**
 * Changes the role of a field, by a pattern of excluded metrics or by an expression. A toast offers to undo the change.
 */
export const setFieldRole = (
  form: PipelineFormState,
  { fields, roles }: { fields: readonly MessageField[]; roles: FieldRoles },
  name: string,
  role: FieldRole,
  order?: DateOrder,
): void => {
  const [mapping, expression] = form.getValues(['mapping', 'expression']);
  const excluded = excludedIn(form);
  const undo = () => {
    setMapping(form, { mapping, expression });
    setExcluded(form, excluded);
  };
  const before = roles.get(name);
  if (role === 'ignored') setExcluded(form, [...excluded, name]);
  else if (excluded.includes(name))
    setExcluded(
      form,
      excluded.filter((line) => line !== name),
    );
  const needsExpression = (each: FieldRole | undefined) =>
    each !== undefined && each !== 'metric' && each !== 'ignored';
  if (needsExpression(role) || needsExpression(before))
    setMapping(form, {
      mapping: 'expression',
      expression: roleExpression(
        { fields, roles, name, role, order },
        mapping === 'expression' ? expression : null,
      ),
    });
  const replaced = findReplaced(roles, name, role);
  const isBeforeExpression =
    mapping === 'expression' && isOfUser(expression) && form.getValues('expression') !== expression;
  const details = [
    ...(replaced === undefined ? [] : [`${replaced} is no longer the ${role}`]),
    ...(isBeforeExpression ? ['Your expression now applies only to other messages'] : []),
  ];
  showToast({
    key: MAPPING_TOAST,
    title: titles[role](name),
    ...(details.length > 0 && { detail: details.join('. ') }),
    action: { label: 'Undo', onSelect: undo },
  });
};

/** Whether an expression has no rule for roles yet. */
const isOfUser = (expression: string): boolean =>
  !['', '$'].includes(expression.trim()) && readRule(expression) === undefined;

/** The field that loses a role, which only one field can have. */
const findReplaced = (roles: FieldRoles, name: string, role: FieldRole): string | undefined =>
  isUnique(role) ? [...roles].find(([other, each]) => each === role && other !== name)?.[0] : undefined;

const titles: Record<FieldRole, (name: string) => string> = {
  metric: (name) => `${name} is a metric`,
  number: (name) => `${name} is a number`,
  device: (name) => `${name} is the device`,
  time: (name) => `${name} is the time`,
  unit: (name) => `${name} is a unit`,
  ignored: (name) => `${name} is left out`,
};
