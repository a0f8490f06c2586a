import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { overviewQueries, LATEST_EVENTS } from './overview-queries.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { Optional } from '../../ui/browser/optional.tsx';
import { useClock } from '../../ui/browser/clock.ts';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { DeviceCounts } from './device-counts.tsx';
import { IngestPanel } from './ingest-panel.tsx';
import { LastHourPanel } from './last-hour-panel.tsx';
import { PipelinesPanel } from './pipelines-panel.tsx';
import { useHasKnownScope, useHasScope } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import type { Overview } from '#contract/overview.ts';
import { cx } from '../../ui/browser/cx.ts';
import { formatDuration } from '../../ui/format/format-duration.ts';
import { formatBytes, formatCompact, formatCount } from '../../ui/format/format-number.ts';
import { formatExact, timeZoneChoice } from '../../ui/format/format-time.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { EventList } from '../../resources/events/event-list.tsx';

const GroupsPanel = lazy(async () => ({ default: (await import('./groups-panel.tsx')).GroupsPanel }));

/** What needs attention, and the ingest rate. Readable from a distance. */
export const OverviewPage = () => {
  const { data, error, refetch } = useQuery(serviceQueries.overview());
  const seesPipelines = useHasKnownScope('pipelines:read') && data?.pipelines !== null;
  const seesDevices = useHasKnownScope('devices:read');
  const seesEvents = useHasKnownScope('events:read');
  if (error !== null && data === undefined) {
    return (
      <>
        <PageHeader title="Overview" />
        <div className="rounded-md border border-hairline bg-surface">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Overview" />
      <div className="grid grid-cols-1 gap-4 xl:grid-cols-12">
        {data !== undefined && data.devices.total === 0 ? (
          <FirstSteps className="xl:col-span-12" />
        ) : (
          <DeviceCounts counts={data?.devices} className="xl:col-span-12" />
        )}
        {data?.ingest !== null && <IngestPanel ingest={data?.ingest} className="xl:col-span-8" />}
        {data?.storage !== null && <StoragePanel storage={data?.storage} className="xl:col-span-4" />}
        <div className="flex min-w-0 flex-col gap-4 xl:col-span-5">
          {seesPipelines && <PipelinesPanel counts={data?.pipelines ?? undefined} />}
          {seesDevices && (
            <Optional>
              <GroupsPanel />
            </Optional>
          )}
        </div>
        {seesEvents && (
          <div className="flex min-w-0 flex-col gap-4 xl:col-span-7">
            <LastHourPanel />
            <LatestEvents />
          </div>
        )}
      </div>
    </>
  );
};

/** The next step of a new installation. */
const FirstSteps = ({ className }: { className: string }) => {
  const canWrite = useHasScope('devices:write');
  return (
    <section aria-label="First steps" className={`rounded-md border border-hairline bg-surface ${className}`}>
      <EmptyState
        title="No device has reported yet"
        action={
          canWrite && (
            <LinkButton variant="primary" to={withQuery(paths.devices, { register: 'new' })}>
              Register a device
            </LinkButton>
          )
        }
      >
        Register a device, or send a message: Penstock registers unknown devices on their first message.
      </EmptyState>
    </section>
  );
};

/** A warning is shown if the disk fills within this time. */
const SOON_MS = 14 * 86_400_000;

const unknown = <Skeleton className="mt-1 w-20" />;

type Props = { storage: NonNullable<Overview['storage']> | undefined; className: string };

/** The stored telemetry, and when the disk is full at the current rate. */
const StoragePanel = ({ storage, className }: Props) => {
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
          { name: 'Full', value: storage ? <FullDate storage={storage} /> : unknown },
        ]}
      />
    </Panel>
  );
};

/** Without a forecast, less free space than this is little. */
const LITTLE_BYTES = 1e9;

const FullDate = ({ storage: { fullAt: at, freeBytes } }: { storage: NonNullable<Overview['storage']> }) => {
  const zone = useStoredChoice(timeZoneChoice);
  const inWords = useClock((nowMs) => (at === null ? '' : formatDuration(Math.max(0, at - nowMs))));
  const isSoon = useClock((nowMs) => at !== null && at - nowMs < SOON_MS);
  if (at === null && freeBytes < LITTLE_BYTES)
    return <span className="font-medium text-bad-text">Less than 1 GB free</span>;
  if (at === null) return <>Room for more than a year</>;
  return (
    <span data-hint={formatExact(at, zone)} className={cx(isSoon && 'font-medium text-bad-text')}>
      In {inWords} at this rate
    </span>
  );
};

const LatestEvents = () => {
  const { data, error, refetch } = useQuery(overviewQueries.latestEvents());
  return (
    <Panel title="Latest events" flush>
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <EmptyState title="No events yet" />
      ) : (
        <EventList events={data?.data} skeletonLines={LATEST_EVENTS} />
      )}
    </Panel>
  );
};
