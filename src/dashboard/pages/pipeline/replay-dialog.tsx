import { useRef } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import type { ReplayRequest } from '#contract/rejections.ts';
import { paths, withQuery } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { ReplayProgress } from './replay-progress.tsx';
import { choiceInAddress, choiceInWords, REPLAY_PARAM } from '../../resources/pipelines/replay-choice.ts';
import { ReplayPreviewResult } from '../../resources/pipelines/replay-preview-result.tsx';
import { useReplay } from '../../resources/pipelines/use-replay.ts';
import { useReplayPreview } from '../../resources/pipelines/use-replay-preview.ts';

type Props = {
  pipeline: Pick<Pipeline, 'id' | 'destination'>;
  choice: ReplayRequest;
  isOpen: boolean;
  onClose: () => void;
  onClosed: () => void;
};

/** Shows what a replay would come to, with the pipeline as it is, and replays where one wants that. */
export const ReplayDialog = ({ pipeline, choice, onClose, ...dialog }: Props) => {
  const { replay, isPending, stop } = useReplay(pipeline.id);
  const trial = useReplayPreview(pipeline.id, choice, isPending);
  const { preview, isDone } = trial;
  const cancel = useRef<HTMLButtonElement>(null);
  const isUseless = isDone && preview?.replayed === 0 && preview.skipped === 0;
  const canBeMended = preview?.causes.some(({ reason }) => reason !== 'not-whole') === true;
  return (
    <Dialog
      {...dialog}
      onClose={onClose}
      title={`Replay ${choiceInWords(choice)}`}
      description={
        isPending ? 'They are taken again now.' : 'What would come of it, with the pipeline as it is now.'
      }
      size="large"
      initialFocus={cancel}
      footer={
        isPending ? (
          <>
            <Button look="quiet" onClick={stop}>
              Stop
            </Button>
            {/* The button that was Replay keeps the focus, and a second click on it does no harm. */}
            <Button key="last" onClick={onClose}>
              Close
            </Button>
          </>
        ) : (
          <>
            <Button ref={cancel} look="quiet" onClick={onClose}>
              Cancel
            </Button>
            {canBeMended && (
              <LinkButton
                look={isUseless ? 'primary' : 'secondary'}
                to={withQuery(paths.editPipeline(pipeline.id), { [REPLAY_PARAM]: choiceInAddress(choice) })}
              >
                Fix and replay
              </LinkButton>
            )}
            <Button
              key="last"
              look={isUseless ? 'secondary' : 'primary'}
              disabled={preview === undefined || preview.total === 0 || (isUseless && !canBeMended)}
              onClick={() => void replay(choice).then(onClose)}
            >
              {isUseless ? 'Replay anyway' : 'Replay'}
            </Button>
          </>
        )
      }
    >
      {isPending ? (
        <ReplayProgress
          pipelineId={pipeline.id}
          leaves={isDone && choice.all === true ? preview?.rejected : undefined}
        />
      ) : (
        <ReplayPreviewResult {...trial} destination={pipeline.destination} />
      )}
    </Dialog>
  );
};
