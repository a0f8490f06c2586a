import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { storageQueries } from '../resources/telemetry/storage-queries.ts';
import { Optional } from '../ui/browser/optional.tsx';

const StorageNotices = lazy(async () => ({
  default: (await import('./storage-notices.tsx')).StorageNotices,
}));

/** Shown on every page while the disk or a file has a problem. Its code loads when there is one. */
export const StorageNotice = () => {
  const { data } = useQuery(storageQueries.get());
  if (data === undefined || (data.state === 'writable' && data.files.length === 0)) return null;
  return (
    <Optional>
      <StorageNotices storage={data} />
    </Optional>
  );
};
