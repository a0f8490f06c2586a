import { useQuery } from '@tanstack/react-query';
import type { Device } from '#contract/devices.ts';
import { useHasKnownScope } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { reasonInWords } from '../../resources/pipelines/rejection-reason.ts';
import { Link } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { lastRejectedOf, messagesOf } from './device-message-queries.ts';

/** The device sends, but its last message was rejected: such messages do not mark it as seen. */
export const LastRejection = ({ device: { id, externalId, lastSeenAt } }: { device: Device }) => {
  const { data: message } = useQuery({
    ...messagesOf(id),
    select: lastRejectedOf,
    enabled: useHasKnownScope('pipelines:read'),
  });
  if (message == null || message.at <= (lastSeenAt ?? '')) return null;
  const reason = message.rejections[0]?.reason;
  return (
    <>
      {', '}
      <span className="font-medium text-attention-text">
        last message rejected <RelativeTime at={message.at} />
        {reason !== undefined && (
          <>
            {': '}
            <Link to={withQuery(paths.pipeline(message.pipelineId), { device: externalId })}>
              {reasonInWords(reason)}
            </Link>
          </>
        )}
      </span>
    </>
  );
};
