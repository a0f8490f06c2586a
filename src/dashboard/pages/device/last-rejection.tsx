import { useQuery } from '@tanstack/react-query';
import type { Device } from '#contract/devices.ts';
import { useHasKnownScope } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { reasonInWords } from '#contract/rejection-reason.ts';
import { Link } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { lastRejectedOf, messagesOf } from './device-message-queries.ts';

/** A write after a rejected message marks the device as seen later than the message by more than this. */
const SAME_MESSAGE_MS = 1_000;

/** The device sends, but all samples of its last message were rejected. The message can have marked it as seen. */
export const LastRejection = ({ device: { id, externalId, lastSeenAt } }: { device: Device }) => {
  const { data: message } = useQuery({
    ...messagesOf(id),
    select: lastRejectedOf,
    enabled: useHasKnownScope('pipelines:read'),
  });
  if (message == null || Date.parse(lastSeenAt ?? '') > Date.parse(message.at) + SAME_MESSAGE_MS) return null;
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
