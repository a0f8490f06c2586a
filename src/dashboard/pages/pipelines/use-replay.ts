import type { ReplayRequest } from '#contract/rejections.ts';
import { describeError } from '../../api/api-error.ts';
import { useReplayRejections } from '../../api/rejection-queries.ts';
import { plural } from '../../ui/format-number.ts';
import { showToast } from '../../ui/toast.ts';

/** Takes rejected messages again, and says what became of their values: also where the page is left meanwhile. */
export const useReplay = (pipelineId: string) => {
  const { mutateAsync, isPending } = useReplayRejections(pipelineId);
  const replay = (choice: ReplayRequest): Promise<void> =>
    mutateAsync(choice).then(
      ({ replayed, rejected }) =>
        showToast({
          title: `${plural(replayed, 'value')} taken${rejected > 0 ? `, ${rejected} still rejected` : ''}`,
        }),
      (error: unknown) =>
        showToast({ title: 'Not replayed', detail: describeError(error).detail, tone: 'bad' }),
    );
  return { replay, isPending };
};
