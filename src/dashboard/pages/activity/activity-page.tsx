import { useQueryParams } from '../../ui/browser/query-params.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { pagingProps } from '../../ui/table/data-table-props.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import { isFiltered, readFilters } from './activity-filters.ts';
import { ActivityList } from './activity-list.tsx';
import { ActivityToolbar } from './activity-toolbar.tsx';
import { useActivity } from './use-activity.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';

/** Scrolled further than this, the list must not move. */
const READING_FROM_PX = 120;

/** Changes that people make and state changes that Penstock detects. */
export const ActivityPage = () => {
  const [params, setParams] = useQueryParams();
  const filters = readFilters(params);
  const openId = params.get('open');
  const activity = useActivity(filters, () => openId !== null || window.scrollY > READING_FROM_PX);
  const { list, events } = activity;
  const canRead = useHasScope('events:read');

  const change = (changes: Record<string, string | readonly string[]>) =>
    setParams((old) => withParams(old, { open: '', ...changes }), { preventScrollReset: true });
  const open = (id: string | null) =>
    setParams((old) => withParams(old, { open: id ?? '' }), { replace: true, preventScrollReset: true });
  const clear = () => setParams(() => new URLSearchParams(), { preventScrollReset: true });
  const isFailed = list.isError && list.data === undefined;

  return (
    <>
      <PageHeader title="Activity">
        Changes that people make and state changes that Penstock detects.
      </PageHeader>
      {canRead && <ActivityToolbar filters={filters} events={events} onChange={change} onClear={clear} />}
      {isFailed ? (
        <div className="rounded-md border border-hairline bg-surface">
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : list.isPending ? (
        <ActivitySkeleton />
      ) : events.length === 0 ? (
        <div className="rounded-md border border-hairline bg-surface" aria-busy={list.isPlaceholderData}>
          {isFiltered(filters) ? (
            <EmptyState title="No matching events" action={<Button onClick={clear}>Clear filters</Button>}>
              New events that match the filters appear here.
            </EmptyState>
          ) : (
            <EmptyState title="No events yet">
              Changes that people make and state changes of devices and pipelines appear here.
            </EmptyState>
          )}
        </div>
      ) : (
        <ActivityList
          activity={activity}
          paging={pagingProps(list)}
          openId={openId}
          onOpen={open}
          onSubject={(subject) => change({ subject })}
          onRelease={() => {
            if (openId !== null) open(null);
            window.scrollTo({ top: 0 });
            // The list handles the scroll in the next frame; rows that are added earlier would be scrolled past.
            requestAnimationFrame(activity.release);
          }}
        />
      )}
    </>
  );
};

const ROWS = 14;

/** The list while its first events load. */
const ActivitySkeleton = () => (
  <output aria-label="Loading" className="block rounded-md border border-hairline bg-surface">
    <span className="flex h-9 items-center border-b border-hairline px-4">
      <Skeleton className="w-32" />
    </span>
    {Array.from({ length: ROWS }, (_, index) => (
      <span
        key={index}
        className="flex h-9 items-center gap-3 border-b border-hairline px-4 last:border-0 touch:h-11"
      >
        <Skeleton className="w-14" />
        <Skeleton className="size-2" />
        <Skeleton className={index % 3 === 0 ? 'w-2/5' : index % 3 === 1 ? 'w-1/3' : 'w-1/2'} />
      </span>
    ))}
  </output>
);
