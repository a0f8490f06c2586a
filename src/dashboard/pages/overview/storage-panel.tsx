import type { Overview } from '#contract/overview.ts';
import { useClock } from '../../ui/browser/clock.ts';
import { cx } from '../../ui/browser/cx.ts';
import { formatDuration } from '../../ui/format/format-duration.ts';
import { formatBytes, formatCompact, formatCount } from '../../ui/format/format-number.ts';
import { formatExact, timeZoneChoice } from '../../ui/format/format-time.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';

/** Told as trouble when the disk fills within this time. */
const SOON_MS = 14 * 86_400_000;

const unknown = <Skeleton className="mt-1 w-20" />;

type Props = { storage: Overview['storage'] | undefined; className: string };

/** What is stored, and when the disk is full at the rate of the last hours. */
export const StoragePanel = ({ storage, className }: Props) => {
  return (
    <Panel title="Storage" className={className}>
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
          { name: 'Used', value: storage ? formatBytes(storage.bytes) : unknown },
          { name: 'Free', value: storage ? formatBytes(storage.freeBytes) : unknown },
          { name: 'Full', value: storage ? <FullAt at={storage.fullAt} /> : unknown },
        ]}
      />
    </Panel>
  );
};

const FullAt = ({ at }: { at: number | null }) => {
  const zone = useStoredChoice(timeZoneChoice);
  const inWords = useClock((nowMs) => (at === null ? '' : formatDuration(Math.max(0, at - nowMs))));
  const isSoon = useClock((nowMs) => at !== null && at - nowMs < SOON_MS);
  if (at === null) return <>Not in sight</>;
  return (
    <span data-hint={formatExact(at, zone)} className={cx(isSoon && 'font-medium text-bad-text')}>
      In {inWords} at this rate
    </span>
  );
};
