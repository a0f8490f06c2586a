import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import type { RejectionGroups as RejectionCounts } from '#contract/rejections.ts';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { rejectionQueries, useDiscardRejections } from '../../resources/pipelines/rejection-queries.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { useOnceTrue } from '../../ui/browser/once-true.ts';
import { useThrottled } from '../../ui/browser/throttled.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { withParams } from '../../ui/browser/with-params.ts';
import { RejectionGroups } from './rejection-groups.tsx';
import { RejectionTable } from './rejection-table.tsx';
import { ReplayButton } from './replay-button.tsx';
import { loadedItems } from '../../api/paged-list.ts';

type Props = {
  pipelineId: string;
  /** The name of the destination. */
  destination: string;
  /** The count in the ledger. */
  rejected: number;
  /** Called once the panel shows the rejections, or that they could not be read. */
  onRead: () => void;
};

/** The element ID that the page scrolls to. */
export const REJECTIONS_ID = 'rejections';

/** No rejection is open. */
const NONE = 'none';

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
const countOf = (reasons: RejectionCounts['data']): number => sum(reasons.map(({ count }) => count));

/**
 * Rejections with their reasons and messages. The list does not move while it is read: newer rejections are counted.
 */
export const RejectionsPanel = ({ pipelineId, destination, rejected, onRead }: Props) => {
  const [params, setParams] = useQueryParams();
  const filter = { reason: params.get('reason'), device: params.get('device') };
  const { reason, device } = filter;
  const isFiltered = reason !== null || device !== null;
  const client = useQueryClient();
  const canWrite = useHasScope('pipelines:write');
  const groups = useQuery(rejectionQueries.groups(pipelineId));
  const devices = useQuery(rejectionQueries.groups(pipelineId, 'device'));
  const list = useInfiniteQuery(rejectionQueries.list(pipelineId, filter));
  const rows = loadedItems(list.data);
  const firstPage = list.data?.pages[0];
  const [readPage, setReadPage] = useState(firstPage);
  const [readAt, setReadAt] = useState<number>();
  const discard = useDiscardRejections();
  const { confirm, dialog } = useConfirm();
  const askToDiscard = () =>
    confirm({
      title: 'Delete stored messages?',
      confirmLabel: 'Delete messages',
      body: <Discarded pipelineId={pipelineId} />,
      run: () => discard.mutateAsync(pipelineId),
      onDone: ({ discarded }) => showToast({ title: `Deleted ${plural(discarded, 'message')}` }),
    });
  // A list that was empty is read again. A replay reduces the count.
  if (firstPage !== undefined && (firstPage !== readPage || readAt === undefined || rejected < readAt)) {
    setReadPage(firstPage);
    setReadAt(rejected);
  }
  // The ledger may follow the list later. A list that has all rejections is compared with the stored ones instead.
  const isComplete = !isFiltered && !list.hasNextPage && groups.data !== undefined;
  const unlisted = countOf(groups.data ?? []) - sum(rows.map(({ samples }) => samples));
  const newer = isComplete ? unlisted : rejected - (readAt ?? rejected);

  /** The rejected count for which the stored reasons are complete, apart from deleted messages. */
  const [settled, setSettled] = useState<number>();
  const counted = useThrottled(rejected);
  const isEmpty = rows.length === 0;
  useEffect(() => {
    if (counted === 0) return;
    const part = isEmpty ? [] : ['groups'];
    void client
      .invalidateQueries({ queryKey: [...rejectionQueries.all(pipelineId), ...part] })
      .then(() => setSettled(counted));
  }, [client, pipelineId, counted, isEmpty]);

  const showNewer = () => {
    setReadAt(rejected);
    void list.refetch();
  };
  const change = (changes: Record<string, string>) =>
    setParams((old) => withParams(old, changes), { replace: true, preventScrollReset: true });
  const choose = (name: 'reason' | 'device', next: string | null) =>
    change({ [name]: next ?? '', rejection: '' });

  const isRead = useOnceTrue(!groups.isPending && !list.isPending);
  const onFirstRead = useEffectEvent(onRead);
  useLayoutEffect(() => {
    if (isRead) onFirstRead();
  }, [isRead]);

  const pipeline = { id: pipelineId, destination };
  const reasons = groups.data ?? [];
  const failed = [list, groups].find(({ error, data }) => error !== null && data === undefined);
  return (
    <div id={REJECTIONS_ID}>
      <Panel
        title="Rejections"
        flush
        asideWraps
        aside={
          canWrite &&
          reasons.length > 0 && (
            <>
              {(!isFiltered || !isEmpty) && (
                <ReplayButton
                  // A dialog keeps the choice that it was opened with.
                  key={`${reason} ${device}`}
                  pipeline={pipeline}
                  target={{
                    choice: {
                      ...(reason === null ? { all: true } : { reason }),
                      ...(device !== null && { device }),
                    },
                  }}
                >
                  {isFiltered ? 'Replay these…' : 'Replay all…'}
                </ReplayButton>
              )}
              <Button variant="quiet" onClick={askToDiscard}>
                {!isFiltered ? 'Delete stored messages…' : 'Delete all stored messages…'}
              </Button>
            </>
          )
        }
      >
        {failed !== undefined ? (
          <Failure error={failed.error} onRetry={() => void failed.refetch()} />
        ) : groups.isPending ||
          (list.isPending && reasons.length === 0) ||
          (isEmpty && reasons.length === 0 && rejected > 0 && settled !== rejected) ? (
          <Skeleton className="mx-4 my-3 h-24" />
        ) : isEmpty && reasons.length === 0 ? (
          <NoStoredMessages rejected={rejected} />
        ) : (
          <>
            <RejectionGroups
              reasons={reasons}
              devices={devices.data ?? []}
              chosen={filter}
              onChoose={choose}
            />
            {!isEmpty && (
              // Always as high as with the button, so that the list stays where it is.
              <output className="flex min-h-[calc(var(--control-height)+1rem+1px)] flex-wrap items-center gap-3 border-t border-hairline px-4 py-2">
                {newer > 0 ? (
                  <>
                    {plural(newer, 'more sample')} rejected
                    <Button onClick={showNewer}>Show newest</Button>
                  </>
                ) : (
                  <span className="text-sm text-muted">Newest first</span>
                )}
              </output>
            )}
            {!isEmpty && (
              <RejectionTable
                rows={rows}
                // The newest one is open unless another was opened or all were closed.
                openId={params.get('rejection') ?? rows[0]?.id ?? null}
                onOpen={(id) => change({ rejection: id ?? NONE })}
                pipeline={pipeline}
                canReplay={canWrite}
                filter={filter}
              />
            )}
            {/* The groups stay while others are read, and with them the focus. */}
            {list.isPending && <Skeleton className="mx-4 my-3 h-24" />}
            {list.isSuccess && isEmpty && <p className="px-4 py-3 text-muted">No stored rejections match.</p>}
            <LoadMore list={list} kind="rejections" label="Show older" />
            {!list.hasNextPage && !isFiltered && settled === rejected && (
              <CountedOnly reasons={reasons} rejected={rejected} />
            )}
          </>
        )}
        {dialog}
      </Panel>
    </div>
  );
};

/** What the deletion affects, counted while further rejections arrive. */
const Discarded = ({ pipelineId }: { pipelineId: string }) => {
  const { data = [] } = useQuery(rejectionQueries.groups(pipelineId));
  return (
    <>
      Deletes the messages of {plural(countOf(data), 'rejected sample')}, with their reasons. The ledger still
      counts the samples. This cannot be undone.
    </>
  );
};

const NoStoredMessages = ({ rejected }: { rejected: number }) =>
  rejected === 0 ? (
    <EmptyState title="No rejections">
      Rejected samples appear here, with their message and the reason.
    </EmptyState>
  ) : (
    <EmptyState title="No stored messages">
      The ledger still counts {plural(rejected, 'rejected sample')}. Their messages were deleted.
    </EmptyState>
  );

const CountedOnly = ({ reasons, rejected }: { reasons: RejectionCounts['data']; rejected: number }) => {
  const only = rejected - countOf(reasons);
  if (only <= 0) return null;
  return (
    <p className="border-t border-hairline px-4 py-2.5 text-sm text-muted">
      {plural(only, 'more sample')} {only === 1 ? 'was' : 'were'} rejected earlier. The messages are no longer
      stored.
    </p>
  );
};
