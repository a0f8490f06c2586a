import { useReducer } from 'react';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import type { ReplayTarget } from '../../resources/pipelines/replay-choice.ts';
import type { PipelineFormState } from './pipeline-form-values.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { ReplayPreviewPanel } from './replay-preview-panel.tsx';
import { showInPreview } from './show-in-preview.ts';
import { useFormChange } from './use-form-change.ts';

type Props = {
  form: PipelineFormState;
  types: readonly PipelineType[];
  /** The edited pipeline; undefined: a new one. */
  pipeline: Pipeline | undefined;
  /** The messages to replay after saving; null: none. */
  replay: ReplayTarget | null;
  isBusy: boolean;
  onUseExpression: (expression: string) => void;
};

const countOpen = (open: number, isOpen: boolean): number => open + (isOpen ? 1 : -1);

/** Previews the form with the rejected messages to replay, and with a typed message. */
export const FormPreviews = ({ pipeline, ...props }: Props) => {
  const { form, types, replay, onUseExpression } = props;
  // A list can open before the previous one has closed.
  const [openLists, countList] = useReducer(countOpen, 0);
  const isHeld = openLists > 0;
  return (
    <>
      {pipeline !== undefined && replay !== null && (
        <ReplayPreview {...props} pipeline={pipeline} replay={replay} isHeld={isHeld} />
      )}
      <PreviewPanel
        form={form}
        types={types}
        onUseExpression={onUseExpression}
        pipeline={pipeline}
        isHeld={isHeld}
        onListOpenChange={countList}
      />
    </>
  );
};

type ReplayProps = Props & { pipeline: Pipeline; replay: ReplayTarget; isHeld: boolean };

const ReplayPreview = ({ form, types, pipeline, replay, isBusy, isHeld, onUseExpression }: ReplayProps) => {
  const change = useFormChange(form, pipeline, types);
  return (
    <ReplayPreviewPanel
      pipeline={pipeline}
      change={change}
      target={replay}
      isBusy={isBusy}
      isHeld={isHeld}
      onShow={(example) => showInPreview(form, example)}
      onUseExpression={onUseExpression}
    />
  );
};
