import { lazy, Suspense } from 'react';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { findTool } from '../../resources/connect/connect-tools.ts';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { ToolList } from './tool-list.tsx';

const ToolSetup = lazy(async () => ({ default: (await import('./tool-setup.tsx')).ToolSetup }));

/** Connects a device or a tool: a key, a pipeline, the settings for this server, and the first data. */
export const ConnectPage = () => {
  const [params] = useQueryParams();
  const tool = findTool(params.get('tool'));
  if (tool !== undefined)
    return (
      <Suspense fallback={<Skeleton className="h-72" />}>
        <ToolSetup key={tool.id} tool={tool} />
      </Suspense>
    );
  return (
    <>
      <PageHeader title="Connect">
        Choose a device or tool. Penstock shows the settings for it, and the data as it arrives.
      </PageHeader>
      <ToolList />
    </>
  );
};
