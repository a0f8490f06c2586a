import { useEffect, useState } from 'react';
import { useRouteError } from 'react-router-dom';
import { serviceApi } from '#contract/service.ts';
import { call } from '../api/client.ts';
import { liveStatus } from '../api/live/live-status.ts';
import { ErrorState } from '../ui/feedback/error-state.tsx';
import { PageHeader } from '../ui/layout/page-header.tsx';
import { Failure } from '../kit/failure.tsx';
import { Skeleton } from '../ui/feedback/skeleton.tsx';

/** The code of this page did not load: the service is unreachable, or was updated while the tab was open. */
const isMissingChunk = (error: unknown) =>
  error instanceof TypeError &&
  /dynamically imported module|module script|importing a module/i.test(error.message);

/** Shown when a page fails to load or to render. */
export const RouteFailure = ({ isWhole = false }: { isWhole?: boolean }) => {
  // Memoised, it would make every page larger.
  'use no memo';
  const error = useRouteError();
  const body = (
    <>
      <PageHeader title="Error" />
      <div className="rounded-md border border-hairline bg-surface">
        {isMissingChunk(error) ? (
          <MissingChunk />
        ) : (
          <Failure error={error} onRetry={() => window.location.reload()} />
        )}
      </div>
    </>
  );
  return isWhole ? <main className="mx-auto max-w-200 p-6">{body}</main> : body;
};

/** Reloads only when the service responds: otherwise the browser's own error page would replace this one. */
const reloadIfReachable = (onUnreachable: () => void) =>
  void call(serviceApi.health).then(() => window.location.reload(), onUnreachable);

const MissingChunk = () => {
  // Memoised, it would make every page larger.
  'use no memo';
  const [isAway, setIsAway] = useState(false);
  // The code may fail to load before the stream ends, or while the tab is hidden and has none. Only a connection that
  // comes back reloads, since code that is really missing must not reload forever.
  useEffect(() => {
    let last = liveStatus.get().state;
    const stop = liveStatus.subscribe(() => {
      const { state } = liveStatus.get();
      if (state === 'live' && last !== 'connecting') window.location.reload();
      last = state;
    });
    const onOnline = () => reloadIfReachable(() => setIsAway(true));
    window.addEventListener('online', onOnline);
    return () => {
      stop();
      window.removeEventListener('online', onOnline);
    };
  }, []);
  return (
    <ErrorState
      title="Could not load this page"
      detail={
        isAway
          ? 'The service is still unreachable. Check that Penstock is running and that this computer can reach it.'
          : 'The service is unreachable, or was updated after you opened this tab.'
      }
      onRetry={() => reloadIfReachable(() => setIsAway(true))}
    />
  );
};

/** The placeholder of a page while its code loads. */
export const PageSkeleton = () => (
  <div aria-busy="true">
    <output className="sr-only">Loading</output>
    <div className="mb-4 flex h-8 items-center justify-between">
      <Skeleton className="h-5 w-32" />
      <Skeleton className="h-5 w-24" />
    </div>
    <div className="h-96 rounded-md border border-hairline bg-surface" />
  </div>
);
