import type { Device } from '#contract/devices.ts';
import { formatSeconds } from '../../ui/format/format-duration.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';

/** Why a device is in its state: what is expected of it, and when it was last heard. */
export const DeviceEvidence = ({ device }: { device: Device }) => {
  const { expectedInterval, learnedInterval, lastSeenAt, createdAt } = device;
  const rhythm =
    expectedInterval !== null
      ? `Expected every ${formatSeconds(expectedInterval)}`
      : learnedInterval !== null
        ? `Usually every ${formatSeconds(learnedInterval)}`
        : 'No interval known yet';
  return (
    <p>
      {rhythm},{' '}
      {lastSeenAt === null ? (
        <>
          never heard since it was registered <RelativeTime at={createdAt} />
        </>
      ) : (
        <>
          last seen <RelativeTime at={lastSeenAt} />
        </>
      )}
    </p>
  );
};
