import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode } from 'react';
import { FactsPanel } from './facts-panel.tsx';
import { basePath } from '../../api/session.ts';
import { useHasKnownScope } from '../../api/session-queries.ts';
import { useDialog } from '../../kit/confirm/use-dialog.ts';
import { describeDisk } from '../../resources/service/describe-disk.ts';
import { overviewQuery } from '../../resources/service/overview-query.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { paths } from '../../paths.ts';
import { Optional } from '../../ui/browser/optional.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Link, linkClass } from '../../ui/controls/link.tsx';
import { formatBytes, formatCount } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';

const DeleteTelemetryDialog = lazy(async () => ({
  default: (await import('../../resources/service/delete-telemetry-dialog.tsx')).DeleteTelemetryDialog,
}));

/** The version, what is stored, and the licences. */
export const AboutPage = () => (
  <>
    <PageHeader title="About" />
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <VersionPanel />
      <StorageFacts />
    </div>
  </>
);

/** A file that the service serves, outside the pages of the dashboard. */
const FileLink = ({ file, children }: { file: string; children: ReactNode }) => (
  <a href={`${basePath}/${file}`} target="_blank" rel="noreferrer" className={linkClass}>
    {children}
  </a>
);

const VersionPanel = () => {
  const connection = useQuery(serviceQueries.connection());
  return (
    <FactsPanel
      title="Penstock"
      query={connection}
      facts={[
        { name: 'Version', value: connection.data?.version },
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
  );
};

const StorageFacts = () => {
  const storage = useQuery(serviceQueries.storage());
  const canCount = useHasKnownScope('devices:read');
  const canDelete = useHasKnownScope('devices:write');
  const deletion = useDialog<true>();
  const { data: overview } = useQuery({ ...overviewQuery(), enabled: canCount });
  const disk = storage.data;
  const used = overview?.storage;
  return (
    <FactsPanel
      title="Storage"
      query={storage}
      facts={[
        { name: 'Disk', value: disk && describeDisk(disk) },
        ...(disk?.freeBytes === null
          ? []
          : [{ name: 'Free space', value: disk && formatBytes(disk.freeBytes) }]),
        ...(used === null || !canCount
          ? []
          : [
              { name: 'Samples', value: used && formatCount(used.samples) },
              { name: 'Telemetry on disk', value: used && formatBytes(used.bytes) },
            ]),
        ...(used?.fullAt == null
          ? []
          : [{ name: 'Full at this rate', value: <RelativeTime at={used.fullAt} /> }]),
      ]}
    >
      {disk?.low === true && disk.state === 'writable' && canDelete && (
        <Button className="mt-3" onClick={() => deletion.open(true)}>
          Delete telemetry…
        </Button>
      )}
      <Optional>{deletion.subject && <DeleteTelemetryDialog state={deletion.state} />}</Optional>
    </FactsPanel>
  );
};
