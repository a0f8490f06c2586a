import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams, useSearchParams } from 'react-router-dom';
import * as z from 'zod';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../kit/failure.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { PipelineForm } from './pipeline-form.tsx';
import { copyOf, startWithTopic } from './pipeline-form-values.ts';
import { findConvention } from './topic-convention.ts';
import { isLiteralTopic } from './topic-levels.ts';
import { targetFrom } from '../../resources/pipelines/replay-choice.ts';

/** A rejected or unrouted message to preview with the changed pipeline, from the navigation state. */
const sampleSchema = z
  .object({ message: z.string(), topic: z.string(), device: z.string().default('') })
  .nullable()
  .catch(null);

/** A new pipeline; `?from=ID` starts with a copy of that one, `?topic=FILTER` with a topic of the embedded broker. */
export const NewPipelinePage = () => {
  const [params] = useSearchParams();
  const from = params.get('from');
  const topic = params.get('topic');
  return (
    <FormPage
      title="New pipeline"
      back={{ to: paths.pipelines, label: 'Pipelines' }}
      pipelineId={from}
      topic={topic}
      isCopy
      key={from ?? topic}
    />
  );
};

export const EditPipelinePage = () => {
  const { id = '' } = useParams();
  return (
    <FormPage title="Edit" back={{ to: paths.pipeline(id), label: 'Pipeline' }} pipelineId={id} key={id} />
  );
};

/** The key under which the form stores its draft. */
const draftKeyOf = ({
  pipelineId,
  startTopic,
  isCopy,
}: {
  pipelineId: string | null;
  startTopic: string | null;
  isCopy: boolean;
}): string => {
  if (startTopic !== null) return `pipeline.topic.${startTopic}`;
  if (pipelineId === null) return 'pipeline.new';
  return `pipeline.${isCopy ? 'from.' : ''}${pipelineId}`;
};

type Props = {
  title: string;
  back: { to: string; label: string };
  pipelineId: string | null;
  topic?: string | null;
  isCopy?: boolean;
};

const FormPage = ({ title, back, pipelineId, topic = null, isCopy = false }: Props) => {
  const [params] = useSearchParams();
  const state: unknown = useLocation().state;
  const canWrite = useHasScope('pipelines:write');
  const types = useQuery(pipelineQueries.types());
  const pipeline = useQuery({ ...pipelineQueries.detail(pipelineId ?? ''), enabled: pipelineId !== null });
  const shownTitle = isCopy || pipeline.data === undefined ? title : `Edit ${pipeline.data.name}`;
  const shownBack = isCopy || pipeline.data === undefined ? back : { ...back, label: pipeline.data.name };
  const startTopic = pipelineId === null ? topic : null;
  const sample = sampleSchema.parse(state ?? null);
  const isUnknown = startTopic !== null && isLiteralTopic(startTopic) && !findConvention(startTopic);

  const failed = [types, pipeline].find(({ error, data }) => error !== null && data === undefined);
  return (
    <>
      <PageHeader title={shownTitle} back={shownBack} />
      {!canWrite ? (
        <div className="rounded-md border border-hairline bg-surface">
          <EmptyState title="You cannot edit pipelines">
            Your key lacks pipelines:write. Ask an administrator.
          </EmptyState>
        </div>
      ) : failed !== undefined ? (
        <div className="rounded-md border border-hairline bg-surface">
          <Failure error={failed.error} onRetry={() => void failed.refetch()} />
        </div>
      ) : types.data === undefined || (pipelineId !== null && pipeline.data === undefined) ? (
        <FormSkeleton />
      ) : (
        <PipelineForm
          types={types.data.data}
          failure={isCopy ? null : pipeline.error}
          draft={draftKeyOf({ pipelineId, startTopic, isCopy })}
          request={{
            sample,
            topic: isUnknown ? startTopic : null,
            focus: params.get('field'),
            replay: isCopy ? null : targetFrom(params),
          }}
          {...(pipeline.data !== undefined &&
            (isCopy ? { start: copyOf(pipeline.data) } : { pipeline: pipeline.data }))}
          {...(startTopic !== null && { start: startWithTopic(startTopic, sample?.message ?? '') })}
        />
      )}
    </>
  );
};

const FormSkeleton = () => (
  <output aria-label="Loading" className="flex max-w-176 flex-col gap-6">
    {['h-8', 'h-16', 'h-16', 'h-16', 'h-8', 'h-8'].map((height, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- never changes
      <div key={index} className="flex flex-col gap-2">
        <Skeleton className="w-24" />
        <Skeleton className={height} />
      </div>
    ))}
  </output>
);
