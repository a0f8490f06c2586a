import { flushSync } from 'react-dom';
import type { UseFormReturn } from 'react-hook-form';
import { showToast } from '../../ui/feedback/toast.ts';
import { MAPPING_TOAST, setMapping, type PipelineFormValues } from './pipeline-form-values.ts';

/** A suggested expression ends with the message itself. Here, the other messages get the expression in the form. */
const extendExpression = (suggested: string, typed: string): string =>
  suggested.replace(/\$$/, () => `(${typed})`);

/** Whether the form has a suggestion already, alone or before another expression. */
const hasSuggestion = (suggested: string, typed: string): boolean =>
  typed.startsWith(suggested.replace(/\$$/, ''));

/** Puts a suggested expression before the one in the form and focuses it; a toast restores what the form had. */
export const applySuggestion = (
  form: UseFormReturn<PipelineFormValues>,
  suggested: string,
  goTo: (pointer: string) => void,
): void => {
  const [mapping, expression] = form.getValues(['mapping', 'expression']);
  const isUsed = mapping === 'expression';
  // A second click may come before the preview of the first one.
  if (isUsed && hasSuggestion(suggested, expression)) return;
  const isEmpty = expression.trim() === '';
  const isExtended = isUsed && !isEmpty;
  const next = isExtended ? extendExpression(suggested, expression) : suggested;
  // The field exists once the mapping is rendered.
  flushSync(() => setMapping(form, { mapping: 'expression', expression: next }));
  goTo('/mapping/expression');
  showToast({
    key: MAPPING_TOAST,
    title: isExtended ? 'Expression extended' : isEmpty ? 'Expression added' : 'Expression replaced',
    action: { label: 'Undo', onSelect: () => setMapping(form, { mapping, expression }) },
  });
};
