import type { ReplayRequest } from '#contract/pipelines.ts';
import { describeError } from '../../api/api-error.ts';
import { useReplayRejections } from '../../api/pipeline-queries.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/format-number.ts';
import { showToast } from '../../ui/toast.ts';

type Props = { pipelineId: string; choice: ReplayRequest; label: string };

/** Takes rejected messages again, and says what became of their values. */
export const ReplayButton = ({ pipelineId, choice, label }: Props) => {
  const replay = useReplayRejections(pipelineId);
  return (
    <Button
      busy={replay.isPending}
      onClick={() =>
        // Told also where the button goes, with the last rejection.
        void replay.mutateAsync(choice).then(
          ({ replayed, rejected }) =>
            showToast({
              title: `${plural(replayed, 'value')} taken${rejected > 0 ? `, ${rejected} still rejected` : ''}`,
            }),
          (error: unknown) =>
            showToast({ title: 'Not replayed', detail: describeError(error).detail, tone: 'bad' }),
        )
      }
    >
      {label}
    </Button>
  );
};
