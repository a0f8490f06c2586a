import type { Overview } from '#contract/overview.ts';
import type { Storage } from '#contract/storage.ts';
import { describeDisk } from '../../resources/service/describe-disk.ts';
import { useClock } from '../../ui/browser/clock.ts';
import { cx } from '../../ui/browser/cx.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { formatDuration } from '../../ui/format/format-duration.ts';
import { formatBytes, formatCompact, formatCount } from '../../ui/format/format-number.ts';
import { formatExact, timeZoneChoice } from '../../ui/format/format-time.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Panel } from '../../ui/layout/panel.tsx';

/** A warning is shown if the disk fills within this time. */
const SOON_MS = 14 * 86_400_000;

const unknown = <Skeleton className="mt-1 w-20" />;

type Disk = Pick<Storage, 'state' | 'low'>;

type Stored = NonNullable<Overview['storage']>;
type Props = { storage: Stored | undefined; disk: Disk | undefined };

/** The stored telemetry, and when its disk is full at the current rate. The disk of PostgreSQL is unknown. */
export const StoragePanel = ({ storage, disk }: Props) => {
  return (
    <Panel title="Storage">
      <div className="@container">
        <div className="wall-text">
          <KeyValueList
            items={[
              {
                name: 'Samples',
                value: storage ? (
                  <span className="tabular" data-hint={formatCount(storage.samples)}>
                    {formatCompact(storage.samples)}
                  </span>
                ) : (
                  unknown
                ),
              },
              { name: 'Telemetry on disk', value: storage ? formatBytes(storage.bytes) : unknown },
              ...(storage?.freeBytes === null
                ? []
                : [
                    { name: 'Free', value: storage ? formatBytes(storage.freeBytes) : unknown },
                    storage && disk && hasWarning(disk, storage.fullAt)
                      ? { name: 'Disk', value: <span className={warningClass}>{describeDisk(disk)}</span> }
                      : { name: 'Full', value: storage && disk ? <FullDate storage={storage} /> : unknown },
                  ]),
            ]}
          />
        </div>
      </div>
    </Panel>
  );
};

/** Without a forecast, little room says more than “Room for more than ten years”. */
const hasWarning = ({ state, low }: Disk, fullAt: number | null): boolean =>
  state !== 'writable' || (low && fullAt === null);

const BASIS = 'Estimated from the growth of telemetry on disk, without other files';

const FullDate = ({ storage: { fullAt: at, growth } }: { storage: Pick<Stored, 'fullAt' | 'growth'> }) => {
  const zone = useStoredChoice(timeZoneChoice);
  const inWords = useClock((nowMs) => (at === null ? '' : formatDuration(Math.max(0, at - nowMs))));
  const isSoon = useClock((nowMs) => at !== null && at - nowMs < SOON_MS);
  const measured = useClock((nowMs) => (growth === null ? '' : formatDuration(nowMs - growth.since)));
  if (growth === null) return <span data-hint={BASIS}>Estimated after a day of use</span>;
  const basis = `${BASIS}: ${growth.bytesPerDay < 0 ? '−' : ''}${formatBytes(Math.abs(growth.bytesPerDay))} a day, over the last ${measured}`;
  if (at === null) return <span data-hint={basis}>Room for more than ten years</span>;
  return (
    <span data-hint={`${formatExact(at, zone)}. ${basis}`} className={cx(isSoon && warningClass)}>
      In {inWords} at this rate
    </span>
  );
};

const warningClass = 'font-medium text-bad-text';
