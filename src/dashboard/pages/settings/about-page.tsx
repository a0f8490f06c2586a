import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { basePath } from '../../api/session.ts';
import { useHasKnownScope } from '../../api/session-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/controls/link.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { formatBytes, formatCount } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Panel } from '../../ui/layout/panel.tsx';

const STATES = {
  writable: 'Accepts data',
  full: 'Full: new data is rejected',
  'read-only': 'Read-only: new data is rejected',
} as const;

const wait = <Skeleton className="h-4 w-40" />;

/** The version, what is stored, and the licences. */
export const AboutPage = () => (
  <>
    <PageHeader title="About" />
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <VersionPanel />
      <StoragePanel />
    </div>
  </>
);

/** A file that the service serves, outside the pages of the dashboard. */
const FileLink = ({ file, children }: { file: string; children: ReactNode }) => (
  <a
    href={`${basePath}/${file}`}
    target="_blank"
    rel="noreferrer"
    className="rounded-sm text-accent underline decoration-current/30 underline-offset-2 hover:decoration-current"
  >
    {children}
  </a>
);

const VersionPanel = () => {
  const { data, error, refetch } = useQuery(serviceQueries.connection());
  return (
    <Panel title="Penstock" flush={data === undefined && error !== null}>
      {data === undefined && error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <KeyValueList
          items={[
            { name: 'Version', value: data?.version ?? wait },
            {
              name: 'API',
              value: (
                <>
                  <Link to={paths.apiReference}>Reference</Link>,{' '}
                  <FileLink file="v1/openapi.json">OpenAPI document</FileLink>
                </>
              ),
            },
            {
              name: 'Licences',
              value: (
                <>
                  Apache-2.0. <FileLink file="licences.txt">All licences</FileLink>
                </>
              ),
            },
          ]}
        />
      )}
    </Panel>
  );
};

const StoragePanel = () => {
  const disk = useQuery(serviceQueries.storage());
  const canCount = useHasKnownScope('devices:read');
  const { data: overview } = useQuery({ ...serviceQueries.overview(), enabled: canCount });
  const { data, error, refetch } = disk;
  if (data === undefined && error !== null) {
    return (
      <Panel title="Storage" flush>
        <Failure error={error} onRetry={() => void refetch()} />
      </Panel>
    );
  }
  const used = overview?.storage;
  const counts =
    used === null || !canCount
      ? []
      : [
          { name: 'Samples', value: used === undefined ? wait : formatCount(used.samples) },
          { name: 'Telemetry on disk', value: used === undefined ? wait : formatBytes(used.bytes) },
        ];
  return (
    <Panel title="Storage">
      <KeyValueList
        items={[
          { name: 'Disk', value: data === undefined ? wait : STATES[data.state] },
          ...(data?.freeBytes === null
            ? []
            : [{ name: 'Free space', value: data === undefined ? wait : formatBytes(data.freeBytes) }]),
          ...counts,
          ...(used?.fullAt == null
            ? []
            : [{ name: 'Full at this rate', value: <RelativeTime at={used.fullAt} /> }]),
        ]}
      />
    </Panel>
  );
};
