import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { PipelineStateBadge } from '../../resources/pipelines/pipeline-state.tsx';
import { SubjectEvents } from '../../resources/events/subject-events.tsx';
import { paths } from '../../paths.ts';
import { Failure } from '../../kit/failure.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { LedgerPanel } from './ledger-panel.tsx';
import { OverwritesPanel } from './overwrites-panel.tsx';
import { PipelineActions } from './pipeline-actions.tsx';
import { PIPELINE_EVENTS } from './pipeline-loader.ts';
import { PipelineEvidence } from './pipeline-evidence.tsx';
import { PipelineFacts } from './pipeline-facts.tsx';
import { PipelineTrouble } from './pipeline-trouble.tsx';
import { RatePanel } from './rate-panel.tsx';
import { RejectionsPanel } from './rejections-panel.tsx';
import { SendPanel } from './send-panel.tsx';
import { SpoolPanel } from './spool-panel.tsx';
import { useRefreshed, useThroughput } from '../../resources/pipelines/throughput.ts';

const back = { to: paths.pipelines, label: 'Pipelines' };

/** One pipeline: whether it works and what mends it, what became of what it took in, and how to send to it. */
export const PipelinePage = () => {
  const { id = '' } = useParams();
  const { data: pipeline, error, refetch, dataUpdatedAt } = useQuery(pipelineQueries.detail(id));
  const { data: types } = useQuery(pipelineQueries.types());
  const type = types?.data.find((known) => known.type === pipeline?.type);
  useThroughput(pipeline === undefined ? [] : [pipeline], dataUpdatedAt);
  useRefreshed(refetch);

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
      {/* There from the start, so that the focus that a new page gives its heading stays. */}
      <PageHeader
        title={pipeline?.name ?? 'Pipeline'}
        back={back}
        aside={pipeline !== undefined && <PipelineStateBadge state={pipeline.state} />}
        actions={pipeline !== undefined && <PipelineActions pipeline={pipeline} />}
      >
        {pipeline === undefined ? (
          <Skeleton className="my-1 w-56" />
        ) : (
          <PipelineEvidence pipeline={pipeline} type={type} />
        )}
      </PageHeader>
      {pipeline !== undefined && <PipelineTrouble pipeline={pipeline} />}
      <div className="grid grid-cols-1 gap-4 xl:grid-cols-12">
        <LedgerPanel ledger={pipeline?.ledger} className="xl:col-span-5" />
        <RatePanel pipeline={pipeline} className="xl:col-span-7" />
        {pipeline?.spool != null && pipeline.spool.bytes > 0 && (
          <SpoolPanel spool={pipeline.spool} destination={pipeline.destination} className="xl:col-span-12" />
        )}
        <div className="flex min-w-0 flex-col gap-4 xl:col-span-7">
          {pipeline !== undefined && pipeline.ledger.overwritten > 0 && (
            <OverwritesPanel pipelineId={id} overwritten={pipeline.ledger.overwritten} />
          )}
          <RejectionsPanel
            pipelineId={id}
            destination={pipeline?.destination}
            rejected={pipeline?.ledger.rejected}
          />
        </div>
        <div className="flex min-w-0 flex-col gap-4 xl:col-span-5">
          {pipeline !== undefined && pipeline.state !== 'draft' && <SendPanel pipeline={pipeline} />}
          <PipelineFacts pipeline={pipeline} type={type} />
          <SubjectEvents subjectId={id} limit={PIPELINE_EVENTS} />
        </div>
      </div>
    </>
  );
};
