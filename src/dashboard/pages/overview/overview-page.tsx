import { useQuery } from '@tanstack/react-query';
import { overviewQueries } from './overview-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { clockAheadMs } from '../../ui/browser/clock.ts';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { DeviceCounts } from './device-counts.tsx';
import { IngestPanel } from './ingest-panel.tsx';
import { LatestEvents } from './latest-events.tsx';
import { PipelinesPanel } from './pipelines-panel.tsx';
import { StoragePanel } from './storage-panel.tsx';
import { useMay } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';

/** What needs attention, and how much comes in. Meant to be read across the room. */
export const OverviewPage = () => {
  const { data, error, refetch, dataUpdatedAt } = useQuery(overviewQueries.get());
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
        <IngestPanel
          ingest={data?.ingest}
          asOfMs={dataUpdatedAt + clockAheadMs()}
          className="xl:col-span-8"
        />
        <StoragePanel storage={data?.storage} className="xl:col-span-4" />
        <PipelinesPanel counts={data?.pipelines} className="xl:col-span-5" />
        <LatestEvents className="xl:col-span-7" />
      </div>
    </>
  );
};

/** On the first day: the one next step. */
const FirstSteps = ({ className }: { className: string }) => {
  const mayWrite = useMay('devices:write');
  return (
    <section aria-label="First steps" className={`rounded-md border border-hairline bg-surface ${className}`}>
      <EmptyState
        title="No device has reported yet"
        action={
          mayWrite && (
            <LinkButton look="primary" to={withQuery(paths.devices, { register: 'new' })}>
              Register a device
            </LinkButton>
          )
        }
      >
        Register the first one here. A device that sends before it is registered is registered at its first
        message.
      </EmptyState>
    </section>
  );
};
