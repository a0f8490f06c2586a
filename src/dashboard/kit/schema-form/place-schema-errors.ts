import type { UseFormSetError } from 'react-hook-form';
import { pathOfPointer } from '#contract/json-pointer.ts';
import { keyInForm, type FieldInputs, type SchemaField } from './schema-field.ts';

type Problem = { pointer?: string | undefined; code?: string; detail: string };

/** Places errors of a type's fields and returns the rest. `part`: the path of the fields at the service (`/config`). */
export const placeSchemaErrors = (
  setError: UseFormSetError<{ config: FieldInputs }>,
  part: string,
  fields: readonly SchemaField[],
  problems: readonly Problem[],
): Problem[] =>
  problems.flatMap((problem) => {
    const { pointer = '', detail } = problem;
    if (!pointer.startsWith(`${part}/`)) return [problem];
    const [name = '', ...cell] = pathOfPointer(pointer.slice(part.length));
    const field = fields.find((each) => each.name === name);
    // The form has no control for this field, and saves only fields with a control.
    if (field === undefined)
      return [{ pointer: '', detail: `This type has no field “${name}”. Saving removes it.` }];
    const path = [name, ...(field.kind === 'rows' ? cell.map(keyInForm) : [])].join('.');
    setError(`config.${path}`, { type: 'server', message: detail });
    return [];
  });

const problemsBelow = (error: unknown, path: string): [string, string][] => {
  if (typeof error !== 'object' || error === null) return [];
  if ('message' in error && typeof error.message === 'string') return [[path, error.message]];
  return Object.entries(error).flatMap(([key, inner]) =>
    key === 'ref' ? [] : problemsBelow(inner, path === '' ? key : `${path}/${key}`),
  );
};

/** The problems of a field of the form: its own under an empty path, and those of its rows by path (`1/address`). */
export const problemsWithin = (error: unknown): ReadonlyMap<string, string> =>
  new Map(problemsBelow(error, ''));

/** Focuses the control of the field that a pointer names. */
export const focusPointer = (form: HTMLElement, pointer: string) => {
  const places = [...form.querySelectorAll<HTMLElement>('[data-pointer]')];
  const find = (isIt: (at: string) => boolean) =>
    places.find(({ dataset: { pointer: at = '' } }) => isIt(at));
  const place =
    find((at) => at === pointer) ??
    find((at) => at.startsWith(`${pointer}/`)) ??
    find((at) => pointer.startsWith(`${at}/`));
  place?.closest('details')?.setAttribute('open', '');
  place?.querySelector<HTMLElement>('input:checked, input:not([type=radio]), textarea, button')?.focus();
};
