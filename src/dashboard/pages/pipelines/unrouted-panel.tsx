import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';
import { useMay } from '../../api/session-queries.ts';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { unroutedQueries, useClearUnrouted } from '../../resources/pipelines/unrouted-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { SearchInput } from '../../ui/controls/search-input.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { withParams } from '../../ui/browser/with-params.ts';
import { UnroutedItem } from './unrouted-item.tsx';

/** Messages to the embedded broker that match no running pipeline, by topic filter. */
export const UnroutedPanel = () => {
  const [params, setParams] = useSearchParams();
  const q = params.get('q')?.trim() ?? '';
  const mayWrite = useMay('pipelines:write');
  const list = useInfiniteQuery(unroutedQueries.list(q));
  const clear = useClearUnrouted();
  const { confirm, dialog } = useConfirm();
  const askToClear = () =>
    confirm({
      title: 'Clear unrouted messages?',
      confirmLabel: 'Clear',
      body:
        'Deletes the count and the last message of every topic, including topics that the search hides. ' +
        'Messages that arrive later are listed again. This cannot be undone.',
      act: () => clear.mutateAsync(undefined),
      onDone: ({ deleted }) => showToast({ title: `Cleared ${plural(deleted, 'topic')}` }),
    });
  const rows = list.data?.pages.flatMap((page) => page.data) ?? [];
  const others = list.data?.pages[0]?.others.messages ?? 0;
  const search = (text: string) =>
    setParams((old) => withParams(old, { q: text }), { replace: true, preventScrollReset: true });

  if (list.isError && list.data === undefined)
    return (
      <div className="rounded-md border border-hairline bg-surface">
        <Failure error={list.error} onRetry={() => void list.refetch()} />
      </div>
    );
  return (
    <>
      {(rows.length > 0 || q !== '') && (
        <SearchInput
          label="Search unrouted messages"
          placeholder="Topic"
          value={params.get('q') ?? ''}
          onChange={search}
          className="mb-3 w-full md:w-72"
        />
      )}
      <Panel
        title="Unrouted messages"
        flush
        aside={
          mayWrite &&
          rows.length > 0 && (
            <Button look="quiet" onClick={askToClear}>
              Clear…
            </Button>
          )
        }
      >
        {list.isPending ? (
          <Skeleton className="mx-4 my-3 h-24" />
        ) : rows.length === 0 ? (
          q === '' ? (
            <EmptyState title="No unrouted messages">
              MQTT messages that match no running pipeline appear here, with the last payload of each topic.
            </EmptyState>
          ) : (
            <EmptyState
              title="No matching topics"
              action={<Button onClick={() => search('')}>Clear search</Button>}
            />
          )
        ) : (
          <>
            <p className="px-4 pb-3 text-muted">
              These messages match no running pipeline. Only the last message of each topic is kept.
            </p>
            <ol className="divide-y divide-hairline border-t border-hairline">
              {rows.map((topic) => (
                <UnroutedItem key={topic.topicFilter} topic={topic} mayWrite={mayWrite} />
              ))}
            </ol>
            {list.hasNextPage && (
              <div className="border-t border-hairline px-4 py-2.5">
                <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                  Show more
                </Button>
              </div>
            )}
          </>
        )}
        {others > 0 && (
          <p className="border-t border-hairline px-4 py-2.5 text-sm text-muted">
            {plural(others, 'more message')} on topics that are no longer listed.
          </p>
        )}
        {dialog}
      </Panel>
    </>
  );
};
