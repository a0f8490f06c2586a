import { useQuery } from '@tanstack/react-query';
import type { SkippedMessage } from '#contract/messages.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { describeFormat } from '../../resources/pipelines/describe-format.ts';
import { messageQueries } from '../../resources/pipelines/message-queries.ts';
import { MessageText, TRUNCATED_NOTE } from '../../resources/pipelines/message-text.tsx';
import { paths, withQuery } from '../../paths.ts';
import { LinkButton } from '../../ui/controls/link.tsx';
import { useThrottled } from '../../ui/browser/throttled.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';

type Props = {
  pipelineId: string;
  /** The count in the ledger. */
  skipped: number;
};

const describeSkip = ({ reason, format }: SkippedMessage): string => {
  if (reason === 'expression') return 'The expression returned no samples.';
  if (reason === 'metrics-left-out')
    return '“Include metrics” and “Exclude metrics” of the pipeline leave out all of its metrics.';
  return `${format === null ? 'Messages' : `${describeFormat(format)} messages`} of this kind have no samples.`;
};

/** The last message that was neither stored nor rejected, and why. */
export const SkippedPanel = ({ pipelineId, skipped }: Props) => {
  const canEdit = useHasScope('pipelines:write');
  const counted = useThrottled(skipped);
  const { data, error, refetch } = useQuery(messageQueries.lastSkipped(pipelineId, counted));
  return (
    <Panel title="Last skipped message" aside={data && <RelativeTime at={data.at} />}>
      {data === undefined && error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-16" />
      ) : data === null ? (
        <p className="text-muted">No message has been skipped since the service started.</p>
      ) : (
        <>
          <p>{describeSkip(data)}</p>
          {data.topic !== null && (
            <p className="text-sm text-muted">
              Topic <code className="font-mono break-all">{data.topic}</code>
            </p>
          )}
          <div className="mt-2">
            <MessageText message={data.message} />
          </div>
          {data.truncated && <p className="mt-1.5 text-sm text-muted">{TRUNCATED_NOTE}</p>}
          {canEdit && (
            <LinkButton
              variant="quiet"
              className="mt-1 -mb-1 -ml-3"
              to={withQuery(paths.editPipeline(pipelineId), { step: 'format' })}
              {...(!data.truncated && {
                state: { message: data.message, topic: data.topic ?? '', device: data.device ?? '' },
              })}
            >
              Edit mapping
            </LinkButton>
          )}
        </>
      )}
    </Panel>
  );
};
