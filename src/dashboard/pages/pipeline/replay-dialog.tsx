import { useEffect, useRef, useState } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import { paths, withQuery } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, type DialogState } from '../../ui/overlays/dialog.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { ReplayChoiceField } from '../../resources/pipelines/replay-choice-field.tsx';
import {
  choiceInWords,
  targetInAddress,
  type ReplayTarget,
} from '../../resources/pipelines/replay-choice.ts';
import { useReplay } from '../../resources/pipelines/use-replay.ts';
import { ReplayPreviewResult } from '../../resources/pipelines/replay-preview-result.tsx';
import { useReplayPreview } from '../../resources/pipelines/use-replay-preview.ts';
import { useQuery } from '@tanstack/react-query';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { plural } from '../../ui/format/format-number.ts';
import { ProgressBar } from '../../ui/feedback/progress-bar.tsx';

type Props = {
  pipeline: Pick<Pipeline, 'id' | 'destination'>;
  target: ReplayTarget;
  state: DialogState;
};

/** Previews a replay with the current pipeline, and runs it on confirmation. */
export const ReplayDialog = ({ pipeline, target, state }: Props) => {
  const { onClose } = state;
  const [choice, setChoice] = useState(target.choice);
  const { replay, stop } = useReplay(pipeline.id);
  // True until the dialog has closed: the preview would be announced again.
  const [isReplaying, setIsReplaying] = useState(false);
  // A replay continues after its dialog was closed, and must not close the next one.
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  const run = async () => {
    setIsReplaying(true);
    await replay(choice);
    if (isMounted.current) onClose();
  };
  const trial = useReplayPreview(pipeline.id, choice, isReplaying);
  const { preview, isDone } = trial;
  const cancel = useRef<HTMLButtonElement>(null);
  const isUseless = isDone && preview?.replayed === 0 && preview.skipped === 0;
  const isFixable = preview?.reasons.some(({ reason }) => reason !== 'not-whole') === true;
  return (
    <Dialog
      state={state}
      title={`Replay ${choiceInWords(choice)}`}
      description={
        isReplaying
          ? 'Penstock processes the messages again.'
          : 'The outcome with the current settings of the pipeline.'
      }
      size="large"
      initialFocus={cancel}
      footer={
        isReplaying ? (
          <>
            <Button variant="quiet" onClick={stop}>
              Stop
            </Button>
            {/* The former Replay button keeps the focus, so a second click has no effect. */}
            <Button key="last" onClick={onClose}>
              Close
            </Button>
          </>
        ) : (
          <>
            <Button ref={cancel} variant="quiet" onClick={onClose}>
              Cancel
            </Button>
            {isFixable && (
              <LinkButton
                variant={isUseless ? 'primary' : 'secondary'}
                to={withQuery(paths.editPipeline(pipeline.id), targetInAddress({ ...target, choice }))}
              >
                Fix and replay
              </LinkButton>
            )}
            <Button
              key="last"
              variant={isUseless ? 'secondary' : 'primary'}
              disabled={preview === undefined || preview.total === 0 || (isUseless && !isFixable)}
              onClick={() => void run()}
            >
              {isUseless ? 'Replay anyway' : 'Replay'}
            </Button>
          </>
        )
      }
    >
      {isReplaying ? (
        <ReplayProgress
          pipelineId={pipeline.id}
          leaves={
            isDone && choice.all === true && choice.device === undefined ? preview?.rejected : undefined
          }
        />
      ) : (
        <div className="flex flex-col gap-4">
          <ReplayChoiceField
            pipelineId={pipeline.id}
            target={{ ...target, choice }}
            onChoose={(next) => setChoice(next)}
          />
          <ReplayPreviewResult {...trial} destination={pipeline.destination} />
        </div>
      )}
    </Dialog>
  );
};

type ReplayProgressProps = {
  pipelineId: string;
  /** The rejected count when the replay is complete; undefined: unknown. */
  leaves: number | undefined;
};

/** The progress of a replay, from the falling rejected count. New rejections slow it down. */
const ReplayProgress = ({ pipelineId, leaves }: ReplayProgressProps) => {
  const { data } = useQuery(pipelineQueries.detail(pipelineId));
  const rejected = data?.ledger.rejected ?? 0;
  const [before] = useState(rejected);
  const share = leaves === undefined || before <= leaves ? null : (before - rejected) / (before - leaves);
  return (
    <div className="flex flex-col gap-2">
      <output className="font-medium">Replaying</output>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <ProgressBar
          label="Replayed"
          share={share === null ? null : Math.min(1, Math.max(0, share))}
          className="w-60"
        />
        <span className="tabular">{plural(rejected, 'rejected sample')} left</span>
      </div>
      <p className="text-sm text-muted">
        The replay continues if you close this dialog. It stops if you close the page. Samples replayed before
        a stop are kept.
      </p>
    </div>
  );
};
