import { lazy } from 'react';
import { onlineWindowMs } from '#contract/device-presence.ts';
import type { Device } from '#contract/devices.ts';
import { Optional } from '../../ui/browser/optional.tsx';
import { formatAboutSeconds, formatSeconds } from '../../ui/format/format-duration.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';

const OfflineReport = lazy(async () => ({ default: (await import('./offline-report.tsx')).OfflineReport }));
const LastRejection = lazy(async () => ({ default: (await import('./last-rejection.tsx')).LastRejection }));

/** Room for two lines where they may be needed, so that nothing below moves when the device loads or sends its first message. */
export const evidenceClass = 'max-xl:min-h-[2lh]';

/** The reason for the state: the expected interval and the last-seen time. */
export const DeviceEvidence = ({ device }: { device: Device }) => {
  const { state, expectedInterval, learnedInterval, lastSeenAt, createdAt } = device;
  const interval =
    expectedInterval !== null
      ? `Expected every ${formatSeconds(expectedInterval)}`
      : learnedInterval !== null
        ? `About every ${formatAboutSeconds(learnedInterval)}`
        : lastSeenAt === null
          ? 'No interval yet'
          : `No interval yet: online for ${formatSeconds(onlineWindowMs(device) / 1_000)} after a message`;
  return (
    <p className={evidenceClass}>
      {interval},{' '}
      {lastSeenAt === null ? (
        <>
          registered <RelativeTime at={createdAt} />, never seen
        </>
      ) : (
        <>
          last seen <RelativeTime at={lastSeenAt} />
        </>
      )}
      {(state === 'online' || state === 'late') && (
        <Optional>
          <OfflineReport device={device} />
        </Optional>
      )}
      <Optional>
        <LastRejection device={device} />
      </Optional>
    </p>
  );
};
