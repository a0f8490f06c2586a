import { useInfiniteQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { runKeyOf } from '#contract/event-runs.ts';
import { Failure } from '../../kit/failure.tsx';
import { subjectPath } from '../../paths.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';
import type { Run } from '../../resources/events/event-run.ts';
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
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <div className="border-t border-hairline bg-sunken">
      {run.type === 'device.deleted' && (
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
              // Others may have registered devices in the same minute.
              .filter((event) => runKeyOf(event) === runKeyOf(run))
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
