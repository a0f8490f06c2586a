import { useQuery } from '@tanstack/react-query';
import { onlineWindowMs } from '#contract/device-presence.ts';
import type { Device } from '#contract/devices.ts';
import { useHasKnownScope } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { reasonInWords } from '../../resources/pipelines/rejection-reason.ts';
import { Link } from '../../ui/controls/link.tsx';
import { formatAboutSeconds, formatSeconds } from '../../ui/format/format-duration.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { lastRejectedMessage } from './device-message-queries.ts';

/** The reason for the state: the expected interval and the last-seen time. */
export const DeviceEvidence = ({ device }: { device: Device }) => {
  const { state, expectedInterval, learnedInterval, lastSeenAt, createdAt } = device;
  const rhythm =
    expectedInterval !== null
      ? `Expected every ${formatSeconds(expectedInterval)}`
      : learnedInterval !== null
        ? `About every ${formatAboutSeconds(learnedInterval)}`
        : lastSeenAt === null
          ? 'No interval yet'
          : `No interval yet: online for ${formatSeconds(onlineWindowMs(device) / 1_000)} after a message`;
  return (
    <p>
      {rhythm},{' '}
      {lastSeenAt === null ? (
        <>
          never seen since registration <RelativeTime at={createdAt} />
        </>
      ) : (
        <>
          last seen <RelativeTime at={lastSeenAt} />
        </>
      )}
      {state !== 'online' && <LastRejection device={device} />}
    </p>
  );
};

/** The device sends, but its last message was rejected: such messages do not mark it as seen. */
const LastRejection = ({ device: { id, externalId, lastSeenAt } }: { device: Device }) => {
  const { data: message } = useQuery({
    ...lastRejectedMessage(id),
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
