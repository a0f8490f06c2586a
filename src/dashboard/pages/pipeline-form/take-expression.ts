import { flushSync } from 'react-dom';
import type { UseFormReturn } from 'react-hook-form';
import { showToast } from '../../ui/feedback/toast.ts';
import { setExpression, type PipelineFormValues } from './pipeline-form-values.ts';

/** A suggested expression ends with the message itself. Here, the other messages get the expression in the form. */
const before = (suggested: string, typed: string): string => suggested.replace(/\$$/, () => `(${typed})`);

/** Puts a suggested expression before the one in the form and focuses it; a toast restores the one in the form. */
export const takeExpression = (
  form: UseFormReturn<PipelineFormValues>,
  expression: string,
  goTo: (pointer: string) => void,
): void => {
  const [mapping, typed] = form.getValues(['mapping', 'expression']);
  const isExtended = mapping === 'expression' && typed.trim() !== '';
  // The field exists once the mapping is rendered.
  flushSync(() => setExpression(form, isExtended ? before(expression, typed) : expression));
  goTo('/mapping/expression');
  if (typed.trim() === '' || typed === expression) return;
  showToast({
    title: isExtended ? 'Expression extended' : 'Expression replaced',
    action: { label: 'Undo', onSelect: () => setExpression(form, typed) },
  });
};
