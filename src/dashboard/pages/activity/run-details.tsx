import { useInfiniteQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { RESTORE_MS } from '#contract/device-restoration.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { Failure } from '../../kit/failure.tsx';
import { subjectPath } from '../../paths.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { isInRun, type Run } from '../../resources/events/event-run.ts';
import { Link } from '../../ui/controls/link.tsx';
import { LoadFailure } from '../../ui/feedback/load-failure.tsx';
import { lazyPart } from '../../ui/browser/lazy-part.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';

const RestoreRun = lazyPart(async () => (await import('./restore-run.tsx')).RestoreRun, LoadFailure);

/** The devices of a run, loaded in pages. */
export const RunDetails = ({ run }: { run: Run }) => {
  const list = useInfiniteQuery(eventQueries.run(run));
  const { data, error, refetch } = list;
  const canWrite = useHasScope('devices:write');
  // Decided once: a restoration may end after the time limit.
  const [isInTime] = useState(() => nowMs() - Date.parse(run.run.lastAt) < RESTORE_MS);
  const canRestore = run.type === 'device.deleted' && canWrite && isInTime;
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <div className="border-t border-hairline bg-sunken">
      {canRestore && (
        <Suspense>
          <RestoreRun run={run} />
        </Suspense>
      )}
      <div className="px-4 py-3">
        {data === undefined ? (
          <Skeleton className="w-2/3" />
        ) : (
          <ul aria-label="Devices" className="flex flex-wrap gap-x-4 gap-y-1">
            {data.pages
              .flatMap((page) => page.data)
              // Other actors may have changed devices in the same minute.
              .filter((event) => isInRun(event, run))
              .map(({ id, subject }) => (
                <li key={id} className="min-w-0 truncate touch:py-2">
                  <Link to={subjectPath(subject) ?? ''}>{subject.name}</Link>
                </li>
              ))}
          </ul>
        )}
      </div>
      <LoadMore list={list} kind="devices" label="Show more" />
    </div>
  );
};
