import { flushSync } from 'react-dom';
import type { UseFormReturn } from 'react-hook-form';
import { showToast } from '../../ui/feedback/toast.ts';
import { setExpression, type PipelineFormValues } from './pipeline-form-values.ts';

/** Puts a suggested expression into its field and focuses it; a toast restores an expression that it replaces. */
export const takeExpression = (
  form: UseFormReturn<PipelineFormValues>,
  expression: string,
  goTo: (pointer: string) => void,
): void => {
  const typed = form.getValues('expression');
  // The field exists once the mapping is rendered.
  flushSync(() => setExpression(form, expression));
  goTo('/mapping/expression');
  if (typed.trim() === '' || typed === expression) return;
  showToast({
    title: 'Expression replaced',
    action: { label: 'Undo', onSelect: () => setExpression(form, typed) },
  });
};
