import type { UseFormSetError } from 'react-hook-form';
import type { ConfigField } from './config-field.ts';
import type { PipelineFormValues } from './pipeline-form-values.ts';

type Fault = { pointer?: string | undefined; detail: string };

const CONFIG = '/config/';

/** Places what concerns the config at its fields; answers the rest, by the names that the form has for it. */
export const placeConfigErrors = (
  setError: UseFormSetError<PipelineFormValues>,
  fields: readonly ConfigField[],
  faults: readonly Fault[],
): Fault[] =>
  faults.flatMap(({ pointer = '', detail }) => {
    if (pointer === '/interval') return [{ pointer: '/every', detail }];
    if (pointer === '/mapping/expression') return [{ pointer: '/expression', detail }];
    if (!pointer.startsWith(CONFIG)) return [{ pointer, detail }];
    const name = pointer.slice(CONFIG.length).split('/')[0] ?? '';
    // The form has no control for it, and writes only what it has one for.
    if (!fields.some((field) => field.name === name))
      return [{ pointer: '', detail: `Saving takes out “${name}”, which this type does not have.` }];
    setError(`config.${name}`, { type: 'server', message: detail });
    return [];
  });

/** Goes to the control of what a pointer names. */
export const focusPointer = (form: HTMLElement, pointer: string) => {
  const place = [...form.querySelectorAll<HTMLElement>('[data-pointer]')].find(
    ({ dataset }) => dataset['pointer'] === pointer,
  );
  place?.querySelector<HTMLElement>('input:checked, input:not([type=radio]), textarea, button')?.focus();
};
