import type { FieldErrors, FieldPath } from 'react-hook-form';
import { problemsWithin } from '../../kit/schema-form/place-schema-errors.ts';
import type { SchemaField } from '../../kit/schema-form/schema-field.ts';
import { fieldInWords } from '../../resources/pipelines/config-fields.ts';
import { intervalLabel, type SourceKind } from '../../resources/pipelines/interval-setting.ts';
import type { PipelineFormValues } from './pipeline-form-values.ts';

/** The steps with fields. */
export const inputSteps = ['source', 'format', 'destination'] as const;
export const formSteps = [...inputSteps, 'review'] as const;
export type FormStep = (typeof formSteps)[number];

export const stepNames: Record<FormStep, string> = {
  source: 'Source',
  format: 'Format',
  destination: 'Destination',
  review: 'Review',
};

export const isFormStep = (text: string | null): text is FormStep => formSteps.some((step) => step === text);

/** Fields of the config that say how messages are read. They mean the same in every type. */
const readingFields = ['device', 'onUnknownDevice', 'timeZone', 'allowOld', 'include', 'exclude'];

export const isReadingField = ({ name }: Pick<SchemaField, 'name'>): boolean => readingFields.includes(name);

/** The step with the field that a pointer names. The interval of pushed messages is beside their destination. */
export const stepOfPointer = (pointer: string, kind: SourceKind): FormStep => {
  const [, part = '', name = ''] = pointer.split('/');
  if (part === 'destination' || (part === 'interval' && kind === 'pushed')) return 'destination';
  return part === 'mapping' || (part === 'config' && isReadingField({ name })) ? 'format' : 'source';
};

/** The fields of the form by the pointer of their value at the service. */
const pointers: Partial<Record<keyof PipelineFormValues, string>> = {
  name: '/name',
  type: '/type',
  every: '/interval',
  mapping: '/mapping',
  expression: '/mapping/expression',
  destination: '/destination',
};

/** The pointer of a value at the service, with the name that its field has in the form. */
export const pointerInForm = (pointer: string): string => {
  const name = Object.entries(pointers).find(([, known]) => known === pointer)?.[0];
  return name === undefined ? pointer : `/${name}`;
};

/** The fields of a step, to validate them. */
export const fieldsOfStep = (
  step: FormStep,
  configFields: readonly SchemaField[],
  kind: SourceKind,
): FieldPath<PipelineFormValues>[] => [
  ...Object.entries(pointers).flatMap(([name, pointer]) =>
    stepOfPointer(pointer, kind) === step ? [name as FieldPath<PipelineFormValues>] : [],
  ),
  ...configFields
    .filter(({ name }) => stepOfPointer(`/config/${name}`, kind) === step)
    .map(({ name }) => `config.${name}` as const),
];

/** A problem of a field, with the step that shows the field. */
export type FormProblem = { pointer: string; step: FormStep; label: string; detail: string };

/** “row 2, address” */
const cellInWords = (path: string): string => {
  const [row = '', ...column] = path.split('/');
  return [/^\d+$/.test(row) ? `row ${Number(row) + 1}` : row, ...column].join(', ');
};

/** The problems of a form, in the order of its steps. */
export const formProblemsOf = (
  errors: FieldErrors<PipelineFormValues>,
  configFields: readonly SchemaField[],
  kind: SourceKind,
): FormProblem[] => {
  const found = [
    ...Object.entries(pointers).map(([name, pointer]) => ({
      pointer,
      label: pointer === '/interval' ? intervalLabel(kind) : fieldInWords(pointer),
      detail: errors[name as keyof PipelineFormValues]?.message,
    })),
    ...configFields.flatMap(({ name, label }) =>
      [...problemsWithin(errors.config?.[name])].map(([path, detail]) => ({
        pointer: ['/config', name, ...(path === '' ? [] : [path])].join('/'),
        label: path === '' ? label : `${label}, ${cellInWords(path)}`,
        detail,
      })),
    ),
  ];
  return found
    .flatMap(({ detail, ...field }) =>
      typeof detail === 'string' ? [{ ...field, detail, step: stepOfPointer(field.pointer, kind) }] : [],
    )
    .toSorted((a, b) => formSteps.indexOf(a.step) - formSteps.indexOf(b.step));
};
