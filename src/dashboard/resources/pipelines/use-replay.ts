import { useRef } from 'react';
import type { ReplayOutcome, ReplayRequest } from '#contract/rejections.ts';
import { describeError } from '../../api/api-error.ts';
import { useReplayRejections } from './rejection-queries.ts';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { showToast } from '../../ui/feedback/toast.ts';

const describeOutcome = ({ replayed, rejected, skipped }: ReplayOutcome): string => {
  if (replayed + rejected + skipped === 0) return 'Nothing was replayed: these messages are no longer stored';
  const rejectedPart = rejected > 0 ? `, ${formatCount(rejected)} still rejected` : '';
  const skippedPart = skipped > 0 ? `, ${plural(skipped, 'message')} skipped` : '';
  return `Replayed ${plural(replayed, 'sample')}${rejectedPart}${skippedPart}`;
};

/** Replays rejected messages and shows the outcome in a toast, also after the page was left. */
export const useReplay = (pipelineId: string) => {
  const { mutateAsync, isPending } = useReplayRejections(pipelineId);
  const stopping = useRef<AbortController>(undefined);
  const replay = (body: ReplayRequest): Promise<void> => {
    const { signal } = (stopping.current = new AbortController());
    return mutateAsync({ body, signal }).then(
      (outcome) => showToast({ title: describeOutcome(outcome) }),
      (error: unknown) =>
        showToast(
          signal.aborted
            ? { title: 'Replay stopped', detail: 'Samples replayed before the stop are kept.' }
            : { title: 'Not replayed', detail: describeError(error).detail, tone: 'bad' },
        ),
    );
  };
  return { replay, isPending, stop: () => stopping.current?.abort() };
};
