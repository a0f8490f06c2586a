import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { coversFilter } from '#contract/topic-filter.ts';
import { DEVICE_TOPIC } from '#contract/pipeline-types.ts';
import { TELEMETRY, type Pipeline } from '#contract/pipelines.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { localTimeZone } from '../../ui/format/local-time-zone.ts';
import { pipelineQueries, useCreatePipeline } from '../pipelines/pipeline-queries.ts';
import { PipelineStateDot } from '../pipelines/pipeline-state.tsx';
import type { ToolPipeline } from './tools/connect-tool.ts';

/** The longest wait before an external destination gets a batch. */
const INTERVAL_S = 10;

const topicOf = ({ config: { topic } }: Pipeline): string =>
  typeof topic === 'string' ? topic : DEVICE_TOPIC;

/** Whether a pipeline receives the messages of a tool. */
const receives = (pipeline: Pipeline, needed: ToolPipeline): boolean => {
  if (needed.type !== pipeline.type) return false;
  if (needed.type === 'http') return pipeline.name.toLowerCase().startsWith(needed.name.toLowerCase());
  return pipeline.config['url'] === undefined && coversFilter(topicOf(pipeline), needed.topic);
};

const isRunning = ({ state }: Pipeline): boolean => state === 'running' || state === 'degraded';

/** The pipeline that receives the messages of a tool, preferably a running one. */
const findReceiver = (all: readonly Pipeline[], needed: ToolPipeline): Pipeline | undefined => {
  const found = all.filter((pipeline) => receives(pipeline, needed));
  return found.find(isRunning) ?? found[0];
};

/** A name that no pipeline has. */
const freeName = (name: string, all: readonly Pipeline[]): string => {
  const taken = new Set(all.map((pipeline) => pipeline.name.toLowerCase()));
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name} ${number}`;
  return free;
};

const newPipelineOf = (needed: ToolPipeline, all: readonly Pipeline[]) => ({
  name: freeName(needed.name, all),
  type: needed.type,
  interval: INTERVAL_S,
  destination: TELEMETRY,
  config: {
    ...(needed.type === 'mqtt' && { topic: needed.topic }),
    ...(needed.hasLocalTimes === true && { timeZone: localTimeZone() }),
  },
  ...(needed.mapping !== undefined && { mapping: needed.mapping }),
});

/** The time zone in which the pipeline of a tool reads local times, or will read them. Undefined: unknown. */
const timeZoneOf = (all: readonly Pipeline[] | undefined, [needed]: readonly ToolPipeline[]) => {
  if (all === undefined || needed?.hasLocalTimes !== true) return undefined;
  const pipeline = findReceiver(all, needed);
  if (pipeline === undefined) return localTimeZone();
  const { timeZone } = pipeline.config;
  return typeof timeZone === 'string' ? timeZone : 'UTC';
};

/** The existing pipelines of a tool. `found` is undefined while they load, and without `pipelines:read`. */
export const useReceivers = (needed: readonly ToolPipeline[]) => {
  const canRead = useHasScope('pipelines:read');
  const list = useQuery({ ...pipelineQueries.receivers(), enabled: canRead && needed.length > 0 });
  const all = list.data?.data;
  const found = needed.map((each) => all && findReceiver(all, each));
  return { list, canRead, all, found, timeZone: timeZoneOf(all, needed) };
};

type Props = { needed: readonly ToolPipeline[]; receivers: ReturnType<typeof useReceivers> };

/** Shows the pipelines that receive the messages of a tool, and creates the missing ones. */
export const ToolPipelines = ({ needed, receivers: { list, canRead, all, found } }: Props) => {
  const canWrite = useHasScope('pipelines:write');
  const create = useCreatePipeline();
  if (!canRead)
    return (
      <p className="text-muted">
        You need pipelines:read to see whether a pipeline receives {needed.map(describeNeeded).join(' and ')}.
      </p>
    );
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  if (all === undefined) return <PipelinesSkeleton needed={needed} />;
  const missing = needed.filter((_, index) => found[index] === undefined);
  const createMissing = async () => {
    for (const each of missing) await create.mutateAsync(newPipelineOf(each, all));
  };
  return (
    <div className="flex flex-col items-start gap-3">
      <ul className="w-full divide-y divide-hairline rounded-md border border-hairline">
        {needed.map((each, index) => {
          const pipeline = found[index];
          return (
            <li key={each.name} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-2">
              <span className="min-w-0 flex-1 basis-40 break-words">
                {pipeline === undefined ? (
                  <span className="font-medium">{each.name}</span>
                ) : (
                  <Link to={paths.pipeline(pipeline.id)}>{pipeline.name}</Link>
                )}
                <span className="block text-sm text-muted">
                  receives{' '}
                  {pipeline?.type === 'mqtt' ? <Topic>{topicOf(pipeline)}</Topic> : describeNeeded(each)}
                </span>
              </span>
              {pipeline === undefined ? (
                <span className="text-sm text-muted">Not created</span>
              ) : (
                <PipelineStateDot pipeline={pipeline} />
              )}
            </li>
          );
        })}
      </ul>
      {missing.length > 0 &&
        (canWrite ? (
          <>
            <Button
              variant="primary"
              icon={<Plus aria-hidden className="size-4" />}
              busy={create.isPending}
              onClick={() => void createMissing().catch(() => undefined)}
            >
              {missing.length === 1 ? 'Create pipeline' : `Create ${missing.length} pipelines`}
            </Button>
            {missing.some(({ hasLocalTimes }) => hasLocalTimes) && (
              <p className="text-sm text-muted">
                Timestamps without a time zone are read as {localTimeZone()}.
              </p>
            )}
          </>
        ) : (
          <p className="text-muted">You need pipelines:write to create a pipeline. Ask an administrator.</p>
        ))}
      {found.some((pipeline) => pipeline !== undefined && !isRunning(pipeline)) && (
        <FormNotice tone="attention">
          Messages are rejected or unrouted until the pipeline runs. Open the pipeline to see the reason.
        </FormNotice>
      )}
      {create.isError && <FormNotice tone="bad">{describeFailedChange(create.error)}</FormNotice>}
    </div>
  );
};

/** In the layout of pipelines that are not created yet, as on the first visit. */
const PipelinesSkeleton = ({ needed }: Pick<Props, 'needed'>) => (
  <div className="flex flex-col items-start gap-3">
    <div className="w-full divide-y divide-hairline rounded-md border border-hairline">
      {needed.map(({ name }) => (
        <div key={name} className="px-3 py-2">
          <Skeleton className="h-10 w-1/2" />
        </div>
      ))}
    </div>
    <Skeleton className="h-8 w-40 touch:h-11" />
    {needed.some(({ hasLocalTimes }) => hasLocalTimes) && <Skeleton className="h-5 w-3/4" />}
  </div>
);

const describeNeeded = (needed: ToolPipeline): string =>
  needed.type === 'mqtt' ? needed.topic : 'messages over HTTP';

const Topic = ({ children }: { children: string }) => <code className="font-mono break-all">{children}</code>;
