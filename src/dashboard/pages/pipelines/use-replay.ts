import { useRef } from 'react';
import type { ReplayRequest } from '#contract/rejections.ts';
import { describeError } from '../../api/api-error.ts';
import { useReplayRejections } from '../../api/rejection-queries.ts';
import { formatCount, plural } from '../../ui/format-number.ts';
import { showToast } from '../../ui/toast.ts';

const titleOf = (replayed: number, rejected: number): string => {
  if (replayed + rejected === 0) return 'Nothing was replayed: none of these messages is kept any more';
  return `${plural(replayed, 'value')} taken${rejected > 0 ? `, ${formatCount(rejected)} still rejected` : ''}`;
};

/** Takes rejected messages again, and says what became of their values: also where the page is left meanwhile. */
export const useReplay = (pipelineId: string) => {
  const { mutateAsync, isPending } = useReplayRejections(pipelineId);
  const stopping = useRef<AbortController>(undefined);
  const replay = (body: ReplayRequest): Promise<void> => {
    const { signal } = (stopping.current = new AbortController());
    return mutateAsync({ body, signal }).then(
      ({ replayed, rejected }) => showToast({ title: titleOf(replayed, rejected) }),
      (error: unknown) =>
        showToast(
          signal.aborted
            ? { title: 'The replay was stopped', detail: 'What was taken until then stays taken.' }
            : { title: 'Not replayed', detail: describeError(error).detail, tone: 'bad' },
        ),
    );
  };
  return { replay, isPending, stop: () => stopping.current?.abort() };
};
