import { useRef } from 'react';
import type { ReplayOutcome, ReplayRequest } from '#contract/rejections.ts';
import { describeError } from '../../api/api-error.ts';
import { useReplayRejections } from './rejection-queries.ts';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { isId } from '#contract/id.ts';
import { reasonInWords } from './rejection-reason.ts';

/** The URL parameter with the rejections to replay: the ID of one, a reason, or `all`. */
export const REPLAY_PARAM = 'replay';
const ALL = 'all';

export const choiceInAddress = ({ ids, reason }: ReplayRequest): string => ids?.[0] ?? reason ?? ALL;

export const choiceFrom = (text: string): ReplayRequest => {
  if (text === ALL) return { all: true };
  return isId('rej', text) ? { ids: [text] } : { reason: text };
};

/** The text of a choice: “messages rejected as “Not JSON””. */
export const choiceInWords = ({ ids, reason }: ReplayRequest): string => {
  if (ids !== undefined) return 'this message';
  return reason === undefined ? 'all rejected messages' : `messages rejected as “${reasonInWords(reason)}”`;
};

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
