import { useWatch, type UseFormReturn } from 'react-hook-form';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import type { ReplayPreview, ReplayRequest } from '#contract/rejections.ts';
import { useDebounced } from '../../ui/browser/debounced.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { changeOf, type PipelineFormValues } from './pipeline-form-values.ts';
import { choiceInWords } from '../../resources/pipelines/use-replay.ts';
import { ReplayPreviewResult } from '../../resources/pipelines/replay-preview-result.tsx';
import { useReplayPreview } from '../../resources/pipelines/use-replay-preview.ts';

type Props = {
  form: UseFormReturn<PipelineFormValues, unknown, PipelineFormValues>;
  types: readonly PipelineType[];
  pipeline: Pipeline;
  choice: ReplayRequest;
  /** While saving, the preview stops. */
  isBusy: boolean;
  onShow: (example: ReplayPreview['reasons'][number]['example']) => void;
};

const REST_MS = 400;

/** Previews a replay of rejected messages with the edited pipeline. */
export const ReplayPreviewPanel = ({ form, types, pipeline, choice, isBusy, onShow }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const change = useWatch({
    control: form.control,
    compute: (values) => changeOf(pipeline, values, types),
  });
  const request = useDebounced({ ...choice, change }, REST_MS);
  const trial = useReplayPreview(pipeline.id, request, isBusy);
  return (
    <Panel title="Outcome" aside={`For ${choiceInWords(choice)}`}>
      <ReplayPreviewResult
        {...trial}
        destination={change.destination ?? pipeline.destination}
        onShow={onShow}
      />
    </Panel>
  );
};
