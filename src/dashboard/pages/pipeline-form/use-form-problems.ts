import { useEffect, useState } from 'react';
import type { FieldPath } from 'react-hook-form';
import { pathOfPointer } from '#contract/json-pointer.ts';
import type { Pipeline } from '#contract/pipelines.ts';
import type { FieldProblem } from '#contract/problem.ts';
import { placeFieldErrors } from '../../kit/forms/use-zod-form.ts';
import type { SchemaField } from '../../kit/schema-form/schema-field.ts';
import { placeConfigErrors } from './pipeline-fields.ts';
import type { PipelineFormState, PipelineFormValues } from './pipeline-form-values.ts';

type Notice = { tone: 'attention' | 'bad'; text: string };

type Options = {
  /** The fields of the chosen type. */
  fields: readonly SchemaField[];
  /** The edited pipeline; undefined: a new one. */
  pipeline: Pipeline | undefined;
  /** The pointer of the field to focus first. */
  focus: string | null;
  /** Focuses the field that a pointer names, in its step. */
  goTo: (pointer: string) => void;
};

/** Shows problems at their fields, and the others in a notice. */
export const useFormProblems = (form: PipelineFormState, { fields, pipeline, focus, goTo }: Options) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const [notice, setNotice] = useState<Notice | null>(null);
  const [forbidden, setForbidden] = useState<Pick<FieldProblem, 'pointer' | 'allow'>>();
  // The offer is gone with the error of its field, which an edit removes.
  const isOffered =
    forbidden?.pointer !== undefined &&
    form.getFieldState(
      pathOfPointer(forbidden.pointer).join('.') as FieldPath<PipelineFormValues>,
      form.formState,
    ).invalid;

  const showProblems = (
    problems: readonly Pick<FieldProblem, 'pointer' | 'detail' | 'allow'>[],
    tone: Notice['tone'] = 'bad',
  ) => {
    setForbidden(problems.find(({ allow }) => allow !== undefined));
    const rest = placeFieldErrors(form, placeConfigErrors(form, fields, problems));
    setNotice(rest.length === 0 ? null : { tone, text: rest.join(' ') });
  };

  // Problems that the service reported are shown at their fields from the start.
  useEffect(() => {
    if (pipeline !== undefined) showProblems(pipeline.problems, 'attention');
    if (focus === null) return undefined;
    // After the shell has focused the heading of the new page.
    const frame = requestAnimationFrame(() => goTo(focus));
    return () => cancelAnimationFrame(frame);
    // oxlint-disable-next-line react/exhaustive-deps -- once, for what the form was opened with
  }, []);

  return {
    notice,
    setNotice,
    showProblems,
    forbidden: isOffered ? forbidden.allow : undefined,
    clearForbidden: () => setForbidden(undefined),
  };
};
