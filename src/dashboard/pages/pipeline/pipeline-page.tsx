import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router-dom';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { PipelineStateBadge } from '../../resources/pipelines/pipeline-state.tsx';
import { SubjectEvents } from '../../resources/events/event-list.tsx';
import { paths } from '../../paths.ts';
import { Failure } from '../../kit/failure.tsx';
import { ActionsSkeleton, PageHeader } from '../../ui/layout/page-header.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { LedgerPanel } from './ledger-panel.tsx';
import { OverwritesPanel } from './overwrites-panel.tsx';
import { PipelineActions } from './pipeline-actions.tsx';
import { PIPELINE_EVENTS } from './pipeline-loader.ts';
import { PipelineFacts } from './pipeline-facts.tsx';
import { useIsNoticeKnown } from './pipeline-state-notice.tsx';
import { NoticePlace } from './notice-place.tsx';
import { ThroughputPanel } from './throughput-panel.tsx';
import { RejectionsPanel } from './rejections-panel.tsx';
import { SkippedPanel } from './skipped-panel.tsx';
import { SpoolPanel } from './spool-panel.tsx';
import { useRefreshed, useThroughput, useLastMessageMs } from '../../resources/pipelines/throughput.ts';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { intervalInWords } from '../../resources/pipelines/interval-in-words.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { CodeBlock } from '../../ui/layout/code-block.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { useListPath } from '../../ui/table/use-list-path.ts';
import { sendSnippetOf } from '../../resources/pipelines/send-snippet.ts';

/** One pipeline: its state and how to fix it, its ledger, its rejections, and how to send to it. */
export const PipelinePage = () => {
  const { id = '' } = useParams();
  const back = { to: useListPath(paths.pipelines), label: 'Pipelines' };
  const { data: pipeline, error, refetch, dataUpdatedAt } = useQuery(pipelineQueries.detail(id));
  const types = useQuery(pipelineQueries.types());
  const connection = useQuery(serviceQueries.connection());
  const type = types.data?.data.find((known) => known.type === pipeline?.type);
  useThroughput(pipeline === undefined ? [] : [pipeline], dataUpdatedAt);
  useRefreshed(refetch);
  const isNoticeKnown = useIsNoticeKnown(pipeline);

  if (pipeline === undefined && error !== null) {
    return (
      <>
        <PageHeader title="Pipeline" back={back} />
        <div className="rounded-md border border-hairline bg-surface">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      </>
    );
  }
  return (
    <>
      {/* Rendered from the start, so that the heading keeps the focus of a new page. */}
      <PageHeader
        title={pipeline?.name ?? 'Pipeline'}
        back={back}
        aside={pipeline !== undefined && <PipelineStateBadge pipeline={pipeline} />}
        actions={pipeline === undefined ? <ActionsSkeleton /> : <PipelineActions pipeline={pipeline} />}
      >
        {pipeline === undefined || types.isPending ? (
          // On a phone the text has two lines.
          <Skeleton className="my-1.25 w-56 max-md:mb-6.75" />
        ) : (
          <PipelineEvidence pipeline={pipeline} type={type} />
        )}
      </PageHeader>
      {/* All at once, so that nothing moves. */}
      {pipeline !== undefined && isNoticeKnown && !types.isPending && !connection.isPending ? (
        <NoticePlace key={pipeline.id} pipeline={pipeline}>
          <PipelinePanels pipeline={pipeline} type={type} />
        </NoticePlace>
      ) : (
        <PanelsSkeleton />
      )}
    </>
  );
};

type Props = { pipeline: Pipeline; type: PipelineType | undefined };

const PipelinePanels = ({ pipeline, type }: Props) => {
  const [areRejectionsRead, setAreRejectionsRead] = useState(false);
  return (
    <div className="grid grid-cols-1 gap-4 xl:grid-cols-12">
      <LedgerPanel ledger={pipeline.ledger} className="xl:col-span-5" />
      <ThroughputPanel pipeline={pipeline} className="xl:col-span-7" />
      {/* Also while nothing waits, so that an outage does not move what is below. */}
      {pipeline.spool !== null && (
        <SpoolPanel
          spool={pipeline.spool}
          destination={pipeline.destination}
          rejectsMessages={pipeline.stateReason?.code === 'spool-full'}
          className="xl:col-span-12"
        />
      )}
      <div className="flex min-w-0 flex-col gap-4 xl:col-span-7">
        {pipeline.ledger.overwritten > 0 && (
          <OverwritesPanel pipelineId={pipeline.id} overwritten={pipeline.ledger.overwritten} />
        )}
        <RejectionsPanel
          pipelineId={pipeline.id}
          destination={pipeline.destination}
          rejected={pipeline.ledger.rejected}
          onRead={() => setAreRejectionsRead(true)}
        />
        {/* Below what may need action. */}
        {pipeline.ledger.skipped > 0 && (
          <SkippedPanel pipelineId={pipeline.id} skipped={pipeline.ledger.skipped} />
        )}
      </div>
      {/* In one column, this part is below the rejections and appears after them, so that it does not move. */}
      <div className={cx('flex min-w-0 flex-col gap-4 xl:col-span-5', !areRejectionsRead && 'max-xl:hidden')}>
        {pipeline.state !== 'draft' && <SendPanel pipeline={pipeline} />}
        <PipelineFacts pipeline={pipeline} type={type} />
        <SubjectEvents subjectId={pipeline.id} limit={PIPELINE_EVENTS} />
      </div>
    </div>
  );
};

/** The places of the ledger, the throughput, the rejections and the settings. */
const PanelsSkeleton = () => (
  <div className="grid grid-cols-1 gap-4 xl:grid-cols-12">
    <PanelSkeleton lines={6} className="h-79.25 md:h-74.25 xl:col-span-5 xl:h-78.5" />
    <PanelSkeleton lines={2} className="h-89.5 md:h-78.5 xl:col-span-7" />
    <PanelSkeleton lines={2} className="h-36 xl:col-span-7" />
    <PanelSkeleton lines={12} className="h-144 xl:col-span-5" />
  </div>
);

const PanelSkeleton = ({ lines, className }: { lines: number; className: string }) => (
  <div className={cx('flex flex-col gap-6 rounded-md border border-hairline bg-surface p-4', className)}>
    {Array.from({ length: lines }, (_, line) => (
      <Skeleton key={line} className={line === 0 ? 'w-1/4' : 'w-2/3'} />
    ))}
  </div>
);

/** What a pipeline does, and since when. */
const PipelineEvidence = ({ pipeline, type }: Props) => {
  const lastMs = useLastMessageMs(pipeline);
  const interval = intervalInWords(pipeline.interval, type?.kind);
  return (
    <p>
      {type?.label ?? pipeline.type} into {pipeline.destination}
      {interval !== null && `, ${interval}`}
      <span className="max-md:hidden">; </span>
      {/* On a line of its own on a phone, where each change of the age could wrap it. */}
      <span className="max-md:block max-md:first-letter:uppercase">
        {lastMs === null ? (
          'no message yet'
        ) : (
          <>
            last message <RelativeTime at={lastMs} />
          </>
        )}
      </span>
    </p>
  );
};

/** An example that sends a message from a terminal. Pipelines that poll have none. */
const SendPanel = ({ pipeline }: { pipeline: Pipeline }) => {
  const { data: connection } = useQuery(serviceQueries.connection());
  const snippet = connection === undefined ? null : sendSnippetOf(pipeline, connection);
  if (snippet === null) return null;
  return (
    <Panel title="Send a message">
      <div className="flex flex-col gap-2">
        {snippet.url !== null && (
          <div className="flex items-center gap-1">
            <code className="min-w-0 flex-1 font-mono text-sm break-all">{snippet.url}</code>
            <CopyButton text={snippet.url} label="Copy URL" className="-my-1.5" />
          </div>
        )}
        <CodeBlock code={snippet.code} label={snippet.label} />
        <p className="text-sm text-muted">
          PENSTOCK_KEY is an <Link to={paths.apiKeys}>API key</Link> with telemetry:write. {snippet.note}
        </p>
      </div>
    </Panel>
  );
};
