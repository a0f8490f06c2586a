import { useRef } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import type { ReplayRequest } from '#contract/rejections.ts';
import { describeError } from '../../api/api-error.ts';
import { paths, withQuery } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormNotice } from '../../ui/form-notice.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { choiceInAddress, choiceInWords, REPLAY_PARAM } from './replay-choice.ts';
import { ReplayPreviewResult } from './replay-preview-result.tsx';
import { useReplay } from './use-replay.ts';
import { useReplayPreview } from './use-replay-preview.ts';

type Props = {
  pipeline: Pick<Pipeline, 'id' | 'destination'>;
  choice: ReplayRequest;
  isOpen: boolean;
  onClose: () => void;
  onClosed: () => void;
};

/** Shows what a replay would come to, with the pipeline as it is, and replays where one wants that. */
export const ReplayDialog = ({ pipeline, choice, onClose, ...dialog }: Props) => {
  const { preview, isDone, isStale, error, retry } = useReplayPreview(pipeline.id, choice);
  const { replay, isPending } = useReplay(pipeline.id);
  const cancel = useRef<HTMLButtonElement>(null);
  const isUseless = isDone && preview?.replayed === 0;
  return (
    <Dialog
      {...dialog}
      onClose={onClose}
      title={`Replay ${choiceInWords(choice)}`}
      description="What would come of it, with the pipeline as it is now."
      size="large"
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} look="quiet" onClick={onClose}>
            Cancel
          </Button>
          {preview !== undefined && preview.rejected > 0 && (
            <LinkButton
              look={isUseless ? 'primary' : 'secondary'}
              to={withQuery(paths.editPipeline(pipeline.id), { [REPLAY_PARAM]: choiceInAddress(choice) })}
            >
              Fix and replay
            </LinkButton>
          )}
          <Button
            look={isUseless ? 'secondary' : 'primary'}
            busy={isPending}
            disabled={preview === undefined || preview.total === 0}
            onClick={() => void replay(choice).then(onClose)}
          >
            {isUseless ? 'Replay anyway' : 'Replay'}
          </Button>
        </>
      }
    >
      {error !== null && (
        <FormNotice tone="bad" action={<Button onClick={retry}>Try again</Button>}>
          {describeError(error).detail}
        </FormNotice>
      )}
      {(error === null || preview !== undefined) && (
        <ReplayPreviewResult
          preview={preview}
          isDone={isDone}
          isStale={isStale}
          destination={pipeline.destination}
        />
      )}
    </Dialog>
  );
};
