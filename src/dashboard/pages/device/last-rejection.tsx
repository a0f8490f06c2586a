import { useQuery } from '@tanstack/react-query';
import type { DeviceMessage } from '#contract/device-messages.ts';
import type { Device } from '#contract/devices.ts';
import { useHasKnownScope } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { reasonInWords } from '#contract/rejection-reason.ts';
import { Link } from '../../ui/controls/link.tsx';
import { useClock } from '../../ui/browser/clock.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { lastRejectedOf, lastWithRejectionsOf, messagesOf } from './device-message-queries.ts';

/** A write after a rejected message marks the device as seen later than the message by more than this. */
const SAME_MESSAGE_MS = 1_000;

/** How long the page of an online device says that samples were rejected. */
const RECENT_MS = 600_000;

/**
 * A device that is not online shows when all samples of its last message were rejected; the message can have marked it as seen.
 * An online device shows rejected samples of the last 10 minutes.
 */
export const LastRejection = ({ device }: { device: Device }) => {
  const isOnline = device.state === 'online';
  const { data: message } = useQuery({
    ...messagesOf(device.id),
    select: isOnline ? lastWithRejectionsOf : lastRejectedOf,
    enabled: useHasKnownScope('pipelines:read'),
  });
  const isCurrent = useClock((nowMs) => {
    if (message == null) return false;
    const atMs = Date.parse(message.at);
    return isOnline
      ? nowMs - atMs < RECENT_MS
      : !(Date.parse(device.lastSeenAt ?? '') > atMs + SAME_MESSAGE_MS);
  });
  if (message == null || !isCurrent) return null;
  return <Rejected text={isOnline ? 'samples rejected' : 'last message rejected'} {...{ message, device }} />;
};

type RejectedProps = { text: string; message: DeviceMessage; device: Device };

const Rejected = ({ text, message, device }: RejectedProps) => {
  const reason = message.rejections[0]?.reason;
  return (
    <>
      {', '}
      <span className="font-medium text-attention-text">
        {text} <RelativeTime at={message.at} />
        {reason !== undefined && (
          <>
            {': '}
            <Link to={withQuery(paths.pipeline(message.pipelineId), { device: device.externalId })}>
              {reasonInWords(reason)}
            </Link>
          </>
        )}
      </span>
    </>
  );
};
