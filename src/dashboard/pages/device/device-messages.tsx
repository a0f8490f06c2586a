import { useQuery } from '@tanstack/react-query';
import { ChevronRight, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { DeviceMessage, DeviceMessages as Messages } from '#contract/device-messages.ts';
import type { Device } from '#contract/devices.ts';
import { describeError } from '../../api/api-error.ts';
import { useHasKnownScope, useHasScope } from '../../api/session-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { paths, withQuery } from '../../paths.ts';
import { TRUNCATED_NOTE, MessageText } from '../../resources/pipelines/message-text.tsx';
import { reasonInWords } from '#contract/rejection-reason.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Dot, type Tone } from '../../ui/feedback/state-dot.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { messagesOf } from './device-message-queries.ts';

type Props = { deviceId: string; device: Device | undefined; className: string };

/** The pipelines that received messages of a device, and the last of these messages. */
export const DeviceMessages = ({ deviceId, device, className }: Props) => {
  const canRead = useHasScope('pipelines:read');
  const {
    data: latest,
    error,
    refetch,
  } = useQuery({
    ...messagesOf(deviceId),
    enabled: useHasKnownScope('pipelines:read'),
  });
  // The messages do not change while they are read.
  const [data, setData] = useState(latest);
  if (latest !== undefined && data !== latest && (data === undefined || data.pipelines.length === 0))
    setData(latest);
  const [isRefreshing, setIsRefreshing] = useState(false);
  const refresh = async () => {
    setIsRefreshing(true);
    const { data: next, error: failure } = await refetch();
    setIsRefreshing(false);
    setData(next);
    if (failure !== null)
      showToast({
        title: 'Could not load the messages',
        detail: describeError(failure).detail,
        tone: 'bad',
      });
  };
  if (!canRead) return null;
  const hasFailed = error !== null && data === undefined;
  const hasNewer = latest?.messages[0]?.at !== data?.messages[0]?.at;
  return (
    <div className={`flex min-w-0 flex-col gap-4 ${className}`}>
      <Panel title="Pipelines" flush>
        {hasFailed ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : latest === undefined || device === undefined ? (
          <Skeleton className="mx-4 my-2 h-6 w-1/2" />
        ) : (
          <PipelineList messages={latest} externalId={device.externalId} />
        )}
      </Panel>
      {!hasFailed && (
        <Panel
          title="Last messages"
          flush
          aside={
            <Button
              variant="quiet"
              icon={<RefreshCw aria-hidden className="size-4" />}
              busy={isRefreshing}
              onClick={() => void refresh()}
            >
              {hasNewer ? 'Show newer' : 'Refresh'}
            </Button>
          }
        >
          {data === undefined ? <Skeleton className="mx-4 my-2 h-24" /> : <MessageList messages={data} />}
        </Panel>
      )}
    </div>
  );
};

/** Leads to the writes that were rejected, which are not stored with a device. */
const RejectedWrites = () => {
  const canRead = useHasScope('events:read');
  if (!canRead) return null;
  return (
    <>
      Rejected samples are in <Link to={withQuery(paths.activity, { type: 'http.refused' })}>Activity</Link>.
    </>
  );
};

const PipelineList = ({ messages, externalId }: { messages: Messages; externalId: string }) => (
  <>
    {messages.pipelines.length === 0 ? (
      <EmptyState title="No pipelines since Penstock started">
        Pipelines appear here after they receive a message from this device. Samples that the device writes
        directly to the telemetry API, for example as line protocol, have no pipeline. <RejectedWrites />
      </EmptyState>
    ) : (
      <ul className="divide-y divide-hairline">
        {messages.pipelines.map(({ id, name, lastMessageAt, rejected, lastRejectedAt }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2">
            <Link to={paths.pipeline(id)} className="min-w-0 flex-1 basis-40 break-words">
              {name}
            </Link>
            {lastRejectedAt !== null && (
              <Link to={withQuery(paths.pipeline(id), { device: externalId })} className="text-sm">
                {plural(rejected, 'sample')} rejected, last <RelativeTime at={lastRejectedAt} />
              </Link>
            )}
            <span className="text-sm text-muted">
              {lastMessageAt === null ? (
                'No message since Penstock started'
              ) : (
                <>
                  Last message <RelativeTime at={lastMessageAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    )}
    <p className="border-t border-hairline px-4 py-2 text-sm text-muted">
      Includes messages received since Penstock started <RelativeTime at={messages.since} /> and all stored
      rejections.
    </p>
  </>
);

const MessageList = ({ messages: { messages, pipelines } }: { messages: Messages }) => {
  const names = new Map(pipelines.map(({ id, name }) => [id, name]));
  return messages.length === 0 ? (
    <EmptyState title="No messages from this device alone since Penstock started">
      This list shows the last message from each pipeline since Penstock started, and stored rejected
      messages. Messages that contain samples of several devices are not listed.
    </EmptyState>
  ) : (
    <ul className="divide-y divide-hairline">
      {messages.map((message, index) => (
        <li key={`${message.pipelineId} ${message.at} ${message.rejections[0]?.id ?? ''}`}>
          <Message message={message} pipeline={names.get(message.pipelineId) ?? ''} isFirst={index === 0} />
        </li>
      ))}
    </ul>
  );
};

const outcomeOf = ({ samples, rejected }: DeviceMessage): { tone: Tone; word: string } => {
  if (rejected === 0) return { tone: 'good', word: 'Accepted' };
  return rejected < samples
    ? { tone: 'attention', word: 'Partly rejected' }
    : { tone: 'bad', word: 'Rejected' };
};

type MessageProps = { message: DeviceMessage; pipeline: string; isFirst: boolean };

const Message = ({ message, pipeline, isFirst }: MessageProps) => {
  const { at, topic, samples, truncated, rejections, pipelineId } = message;
  const { tone, word } = outcomeOf(message);
  // A message that is being read stays open when a newer one appears above it.
  const [wasFirst] = useState(isFirst);
  return (
    <details open={wasFirst} className="group">
      <summary className="flex min-h-(--row) cursor-pointer list-none items-center gap-2.5 px-4 py-1.5 hover:bg-hover">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-muted group-open:rotate-90" />
        <span className="flex items-center gap-1.5 whitespace-nowrap">
          <Dot tone={tone} />
          {word}
        </span>
        <span className="min-w-0 flex-1 truncate text-muted">{pipeline}</span>
        <RelativeTime at={at} className="text-sm text-muted" />
      </summary>
      <div className="flex flex-col gap-1.5 px-4 pt-1 pb-3">
        {rejections.map(({ id, reason, detail }) => (
          <p key={id} className="break-words">
            <Link to={withQuery(paths.pipeline(pipelineId), { rejection: id })}>{reasonInWords(reason)}</Link>
            : {detail}
          </p>
        ))}
        <p className="text-sm text-muted">
          {plural(samples, 'sample')}
          {topic !== null && (
            <>
              , topic <code className="font-mono break-all">{topic}</code>
            </>
          )}
        </p>
        <MessageText message={message.message} />
        {truncated && <p className="text-sm text-muted">{TRUNCATED_NOTE}</p>}
      </div>
    </details>
  );
};
