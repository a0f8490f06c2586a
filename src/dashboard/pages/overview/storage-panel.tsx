import type { ReactNode } from 'react';
import type { Overview } from '#contract/overview.ts';
import { useClock } from '../../ui/clock.ts';
import { cx } from '../../ui/cx.ts';
import { formatDuration } from '../../ui/format-duration.ts';
import { formatBytes, formatCompact, formatCount } from '../../ui/format-number.ts';
import { formatExact, timeZoneChoice } from '../../ui/format-time.ts';
import { KeyValueList } from '../../ui/key-value-list.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useStoredChoice } from '../../ui/stored-choice.ts';

/** Told as trouble when the disk fills within this time. */
const SOON_MS = 14 * 86_400_000;

type Props = { storage: Overview['storage'] | undefined; className: string };

/** What is stored, and when the disk is full at the rate of the last hours. */
export const StoragePanel = ({ storage, className }: Props) => {
  const show = (value: (known: Overview['storage']) => ReactNode) =>
    storage === undefined ? (
      <Skeleton className="mt-1 w-20" />
    ) : (
      <span className="tabular">{value(storage)}</span>
    );
  return (
    <Panel title="Storage" className={className}>
      <KeyValueList
        items={[
          {
            name: 'Samples',
            value: show(({ samples }) => (
              <span data-hint={formatCount(samples)}>{formatCompact(samples)}</span>
            )),
          },
          { name: 'Used', value: show(({ bytes }) => formatBytes(bytes)) },
          { name: 'Free', value: show(({ freeBytes }) => formatBytes(freeBytes)) },
          { name: 'Full', value: show(({ fullAt }) => <FullAt at={fullAt} />) },
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
