import { Plus, X } from 'lucide-react';
import type { UnroutedTopic } from '#contract/unrouted.ts';
import { describeError } from '../../api/api-error.ts';
import { useClearUnrouted } from '../../resources/pipelines/unrouted-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { formatBytes, plural } from '../../ui/format/format-number.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { showToast } from '../../ui/feedback/toast.ts';

const formatClients = (clients: readonly string[]): string =>
  clients.map((name) => (name === '' ? 'a client without a user name' : name)).join(', ');

const Payload = ({ payload, bytes, truncated }: UnroutedTopic['lastMessage']) => {
  if (payload === null) return <p className="mt-2 text-muted">Binary payload, {formatBytes(bytes)}</p>;
  if (payload === '') return <p className="mt-2 text-muted">Empty payload</p>;
  return (
    <>
      <div className="relative mt-2 rounded-md border border-hairline bg-sunken">
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable
          tabIndex={0}
          className="max-h-40 overflow-y-auto rounded-md p-3 pr-12 font-mono text-sm leading-5 break-words whitespace-pre-wrap"
        >
          {payload}
        </pre>
        <CopyButton text={payload} label="Copy message" className="absolute top-1 right-1 bg-sunken" />
      </div>
      {truncated && <p className="mt-1.5 text-sm text-muted">The first 4 KiB of {formatBytes(bytes)}.</p>}
    </>
  );
};

/** One topic filter: the number of messages, their clients and the last message. */
export const UnroutedItem = ({ topic, mayWrite }: { topic: UnroutedTopic; mayWrite: boolean }) => {
  const { topicFilter, messages, firstAt, lastAt, clients, lastMessage } = topic;
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
            <span className="tabular text-sm text-muted">{plural(messages, 'message')}</span>
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
        {mayWrite && (
          <IconButton
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
      {mayWrite && (
        <div className="mt-2 flex flex-wrap">
          <LinkButton
            to={withQuery(paths.newPipeline, { topic: topicFilter })}
            icon={<Plus aria-hidden className="size-4" />}
            {...(payload !== null && !truncated && { state: { message: payload, topic: lastMessage.topic } })}
          >
            Create pipeline from this topic
          </LinkButton>
        </div>
      )}
    </li>
  );
};
