import { useLocation } from 'react-router-dom';
import type { Pipeline, PipelineChange } from '#contract/pipelines.ts';
import type { ReplayPreview } from '#contract/rejections.ts';
import { ReplayChoiceField } from '../../resources/pipelines/replay-choice-field.tsx';
import { choiceInWords, REPLAY_CHOICE, type ReplayTarget } from '../../resources/pipelines/replay-choice.ts';
import { ReplayPreviewResult } from '../../resources/pipelines/replay-preview-result.tsx';
import { useReplayPreview } from '../../resources/pipelines/use-replay-preview.ts';
import { HeldContent } from '../../ui/browser/held-content.tsx';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import { Panel } from '../../ui/layout/panel.tsx';

type Props = {
  pipeline: Pipeline;
  change: PipelineChange;
  target: ReplayTarget;
  /** While saving, the preview stops. */
  isBusy: boolean;
  /** True while a list in the preview below is open: the outcome keeps its height. */
  isHeld: boolean;
  onShow: (example: ReplayPreview['reasons'][number]['example']) => void;
  onUseExpression: (expression: string) => void;
};

/** Previews a replay of rejected messages with the edited pipeline. */
export const ReplayPreviewPanel = ({ pipeline, change, target, isBusy, isHeld, ...actions }: Props) => {
  const [, setParams] = useQueryParams();
  const state: unknown = useLocation().state;
  const trial = useReplayPreview(pipeline.id, { ...target.choice, change }, isBusy);
  return (
    <Panel title="Outcome" aside={`For ${choiceInWords(target.choice)}`}>
      <div className="flex flex-col gap-4">
        <ReplayChoiceField
          pipelineId={pipeline.id}
          target={target}
          onChoose={(_, name) =>
            setParams((old) => withParams(old, { [REPLAY_CHOICE]: name }), {
              replace: true,
              preventScrollReset: true,
              state,
            })
          }
        />
        <HeldContent isHeld={isHeld}>
          <ReplayPreviewResult
            {...trial}
            {...actions}
            destination={change.destination ?? pipeline.destination}
          />
        </HeldContent>
      </div>
    </Panel>
  );
};
