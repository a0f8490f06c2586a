import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useKeptPlace } from '../../ui/browser/kept-focus.ts';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { unroutedQueries, useClearUnrouted } from '../../resources/pipelines/unrouted-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { plural, formatBytes } from '../../ui/format/format-number.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { SearchInput } from '../../ui/controls/search-input.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { withParams } from '../../ui/browser/with-params.ts';
import { Plus, X } from 'lucide-react';
import type { UnroutedTopic } from '#contract/unrouted.ts';
import { describeError } from '../../api/api-error.ts';
import { paths, withQuery } from '../../paths.ts';
import { MessageText } from '../../resources/pipelines/message-text.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { loadedItems } from '../../api/paged-list.ts';

/** Messages to the embedded broker that match no running pipeline, by topic filter. */
export const UnroutedPanel = () => {
  const [params, setParams] = useQueryParams();
  const q = params.get('q')?.trim() ?? '';
  const canWrite = useHasScope('pipelines:write');
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
      run: () => clear.mutateAsync(undefined),
      onDone: ({ deleted }) => showToast({ title: `Cleared ${plural(deleted, 'topic')}` }),
    });
  const rows = loadedItems(list.data);
  const others = list.data?.pages[0]?.others.messages ?? 0;
  const search = (text: string) => setParams((old) => withParams(old, { q: text }), { isTyped: true });

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
          canWrite &&
          rows.length > 0 && (
            <Button variant="quiet" onClick={askToClear}>
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
              These messages match no running pipeline. Ten or more topics that differ in only one level are
              combined into one entry. Penstock keeps the last message of each topic.
            </p>
            <TopicList topics={rows} canWrite={canWrite} />
            <LoadMore list={list} kind="topics" label="Show more" />
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

const TopicList = ({ topics, canWrite }: { topics: readonly UnroutedTopic[]; canWrite: boolean }) => {
  const list = useRef<HTMLOListElement>(null);
  useKeptPlace(list, topics.map(({ topicFilter }) => topicFilter).join(' '), '[data-remove]');
  return (
    <ol ref={list} className="divide-y divide-hairline border-t border-hairline">
      {topics.map((topic) => (
        <UnroutedItem key={topic.topicFilter} topic={topic} canWrite={canWrite} />
      ))}
    </ol>
  );
};

const formatClients = (clients: readonly string[]): string =>
  clients.map((name) => (name === '' ? 'a client without a user name' : name)).join(', ');

const Payload = ({ payload, bytes, truncated }: UnroutedTopic['lastMessage']) => {
  if (payload === null) return <p className="mt-2 text-muted">Binary payload, {formatBytes(bytes)}</p>;
  if (payload === '') return <p className="mt-2 text-muted">Empty payload</p>;
  return (
    <>
      <div className="mt-2">
        <MessageText message={payload} />
      </div>
      {truncated && <p className="mt-1.5 text-sm text-muted">The first 4 KiB of {formatBytes(bytes)}.</p>}
    </>
  );
};

/** One topic filter: the number of messages, their clients and the last message. */
const UnroutedItem = ({ topic, canWrite }: { topic: UnroutedTopic; canWrite: boolean }) => {
  const { topicFilter, topics, messages, firstAt, lastAt, clients, lastMessage } = topic;
  const clear = useClearUnrouted();
  const { payload, truncated, retained } = lastMessage;
  const remove = () =>
    clear.mutate(topicFilter, {
      onSuccess: () => showToast({ title: `Removed ${topicFilter}` }),
      onError: (error) =>
        showToast({
          title: `Could not remove ${topicFilter}`,
          detail: describeError(error).detail,
          tone: 'bad',
        }),
    });
  return (
    <li className="px-4 py-3">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-baseline gap-x-3">
            <h3 className="font-mono font-medium break-all">{topicFilter}</h3>
            <span className="tabular text-sm text-muted">
              {topics > 1 && `${plural(topics, 'topic')}, `}
              {plural(messages, 'message')}
            </span>
          </div>
          <p className="text-sm break-words text-muted">
            From {formatClients(clients)}; first <RelativeTime at={firstAt} />, last{' '}
            <RelativeTime at={lastAt} />
            {lastMessage.topic !== topicFilter && (
              <>
                {' '}
                on <code className="font-mono break-all">{lastMessage.topic}</code>
              </>
            )}
            {retained && ', retained'}
          </p>
        </div>
        {canWrite && (
          <IconButton
            data-remove
            label={`Remove ${topicFilter}`}
            icon={<X aria-hidden />}
            aria-disabled={clear.isPending || undefined}
            onClick={() => {
              if (!clear.isPending) remove();
            }}
          />
        )}
      </div>
      <Payload {...lastMessage} />
      {canWrite && (
        <div className="mt-2 flex flex-wrap">
          <LinkButton
            to={withQuery(paths.newPipeline, { topic: topicFilter })}
            icon={<Plus aria-hidden className="size-4" />}
            {...(payload !== null && !truncated && { state: { message: payload, topic: lastMessage.topic } })}
          >
            {topics > 1 ? 'Create pipeline from these topics' : 'Create pipeline from this topic'}
          </LinkButton>
        </div>
      )}
    </li>
  );
};
