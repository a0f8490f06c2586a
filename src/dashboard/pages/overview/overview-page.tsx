import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { apiKeyQueries } from '../../resources/access/api-key-queries.ts';
import { overviewQuery } from '../../resources/service/overview-query.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { Optional } from '../../ui/browser/optional.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { AttentionPanel } from './attention-panel.tsx';
import { DeviceCounts } from './device-counts.tsx';
import { IngestPanel } from './ingest-panel.tsx';
import { LastHourPanel } from './last-hour-panel.tsx';
import { LatestEventsPanel } from './latest-events-panel.tsx';
import { PipelineCounts } from './pipeline-counts.tsx';
import { StoragePanel } from './storage-panel.tsx';
import { useHasKnownScope, useHasScope } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';

const GroupsPanel = lazy(async () => ({ default: (await import('./groups-panel.tsx')).GroupsPanel }));

/** A fixed height in one column, so that the panels below do not move. Two and a half items show that the list scrolls. */
const attentionClass = 'max-xl:h-60 xl:col-span-7';

/**
 * What needs attention, and the ingest rate. Readable from a distance. Panels below a list of unknown length appear
 * together with the list, so that nothing moves while the page loads.
 */
export const OverviewPage = () => {
  const { data, error, refetch } = useQuery(overviewQuery());
  const { data: disk } = useQuery(serviceQueries.storage());
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
      <PageHeader title="Overview" actions={<FirstKeyLink />} />
      <div className="grid grid-cols-1 gap-4 xl:grid-cols-12 xl:grid-rows-[auto_auto_1fr]">
        {data !== undefined && data.devices.total === 0 ? (
          // As high as the counts, so that nothing moves when the first device reports.
          <div className="grid xl:col-span-12">
            <DeviceCounts counts={data.devices} className="invisible [grid-area:1/1]" />
            <FirstSteps className="[grid-area:1/1]" />
          </div>
        ) : (
          <DeviceCounts counts={data?.devices} className="xl:col-span-12" />
        )}
        {data?.attention !== null && (
          <AttentionPanel
            attention={data?.attention}
            className={cx(attentionClass, !seesEvents && 'xl:row-span-2')}
          />
        )}
        <div
          className={cx(
            'flex min-w-0 flex-col gap-4 empty:hidden xl:col-span-5 xl:row-span-2',
            data === undefined && 'max-xl:hidden',
          )}
        >
          {data?.ingest !== null && <IngestPanel ingest={data?.ingest} />}
          {data?.storage !== null && <StoragePanel storage={data?.storage} disk={disk} />}
          {data !== undefined && (
            <>
              {seesPipelines && <PipelineCounts counts={data.pipelines ?? undefined} />}
              {seesEvents && <LastHourPanel />}
              {seesDevices && (
                <Optional>
                  <GroupsPanel className="xl:flex-1" />
                </Optional>
              )}
            </>
          )}
        </div>
        {data !== undefined && seesEvents && <LatestEventsPanel className="xl:col-span-7" />}
      </div>
    </>
  );
};

/** Offers the first API key, in the header so that nothing moves when it appears. */
const FirstKeyLink = () => {
  const canCreate = useHasKnownScope('api-keys:manage');
  const { data: keys } = useQuery({ ...apiKeyQueries.search('', 1), enabled: canCreate });
  if (!canCreate || keys === undefined || keys.data.length > 0) return null;
  return (
    <LinkButton variant="primary" to={withQuery(paths.apiKeys, { create: 'write' })}>
      Create first API key
    </LinkButton>
  );
};

/** The next step of a new installation. */
const FirstSteps = ({ className }: { className: string }) => {
  const canWrite = useHasScope('devices:write');
  return (
    <section aria-label="First steps" className={`rounded-md border border-hairline bg-surface ${className}`}>
      <EmptyState
        title="No devices yet"
        action={
          <>
            <LinkButton variant="primary" to={paths.connect}>
              Connect a device or tool
            </LinkButton>
            {canWrite && (
              <LinkButton to={withQuery(paths.devices, { register: 'new' })}>Register a device</LinkButton>
            )}
          </>
        }
      >
        Penstock registers unknown devices on their first message.
      </EmptyState>
    </section>
  );
};
