import { useWatch } from 'react-hook-form';
import type { Pipeline, PipelineChange, PipelineType } from '#contract/pipelines.ts';
import { useDebounced } from '../../ui/browser/debounced.ts';
import { changeOf, type PipelineFormState } from './pipeline-form-values.ts';

const REST_MS = 400;

/** The changes of the form, once nothing was typed for a moment. */
export const useFormChange = (
  { control }: Pick<PipelineFormState, 'control'>,
  pipeline: Pipeline,
  types: readonly PipelineType[],
): PipelineChange => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  return useDebounced(useWatch({ control, compute: (values) => changeOf(pipeline, values, types) }), REST_MS);
};
