import { useWatch, type UseFormReturn } from 'react-hook-form';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import type { ReplayTarget } from '../../resources/pipelines/replay-choice.ts';
import { useDebounced } from '../../ui/browser/debounced.ts';
import { asSent, changeOf, fillPreview, type PipelineFormValues } from './pipeline-form-values.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { RecentPreviewPanel } from './recent-preview-panel.tsx';
import { ReplayPreviewPanel } from './replay-preview-panel.tsx';

type Props = {
  form: UseFormReturn<PipelineFormValues, unknown, PipelineFormValues>;
  types: readonly PipelineType[];
  /** The edited pipeline; undefined: a new one. */
  pipeline: Pipeline | undefined;
  /** The messages to replay after saving; null: none. */
  replay: ReplayTarget | null;
  isBusy: boolean;
  onUseExpression: (expression: string) => void;
};

/**
 * Previews the form: with a message that is typed, and for an edited pipeline with messages that it received, rejected
 * ones to replay and recently accepted ones.
 */
export const FormPreviews = ({ pipeline, ...props }: Props) => {
  const { form, types, onUseExpression } = props;
  return (
    <>
      {pipeline !== undefined && <ChangePreviews {...props} pipeline={pipeline} />}
      <PreviewPanel form={form} types={types} onUseExpression={onUseExpression} pipeline={pipeline} />
    </>
  );
};

const REST_MS = 400;

const ChangePreviews = ({
  form,
  types,
  pipeline,
  replay,
  isBusy,
  onUseExpression,
}: Props & { pipeline: Pipeline }) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const change = useDebounced(
    useWatch({ control: form.control, compute: (values) => changeOf(pipeline, values, types) }),
    REST_MS,
  );
  return (
    <>
      {replay !== null && (
        <ReplayPreviewPanel
          pipeline={pipeline}
          change={change}
          target={replay}
          isBusy={isBusy}
          onShow={(example) => fillPreview(form, asSent(example))}
          onUseExpression={onUseExpression}
        />
      )}
      {Object.keys(change).length > 0 && (
        <RecentPreviewPanel
          pipelineId={pipeline.id}
          change={change}
          onShow={(message) => fillPreview(form, asSent(message))}
        />
      )}
    </>
  );
};
