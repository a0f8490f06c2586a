import { useInfiniteQuery } from '@tanstack/react-query';
import type { Overview } from '#contract/overview.ts';
import { useMemo } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import type { PipelineState } from '#contract/pipeline-state.ts';
import {
  bySeverity,
  PipelineReason,
  pipelineStateDisplay,
  PipelineStateDot,
} from '../../resources/pipelines/pipeline-state.tsx';
import { Failure } from '../../kit/failure.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { formatCount } from '../../ui/format/format-number.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/controls/link.tsx';
import { useSteadyOrder } from '../../ui/browser/steady-order.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { overviewQueries } from './overview-queries.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';

const RECOVERED: Pick<Pipeline, 'state' | 'stateReason' | 'problems'> = {
  state: 'running',
  stateReason: null,
  problems: [],
};

type PipelineCounts = NonNullable<Overview['pipelines']>;

type Props = { counts: PipelineCounts | undefined };

/** Pipelines that need attention, worst first, with the reason; the others as a count. */
export const PipelinesPanel = ({ counts }: Props) => {
  const { data, error, refetch } = useInfiniteQuery(overviewQueries.needingAttention());
  const sorted = useMemo(() => data?.pages.flatMap((page) => page.data).toSorted(bySeverity) ?? [], [data]);
  const shown = useSteadyOrder(sorted, {
    idOf: ({ id }) => id,
    list: 'needing attention',
    displayRemoved: (pipeline) => ({ ...pipeline, ...RECOVERED }),
  });
  return (
    <Panel title="Pipelines" flush aside={counts !== undefined && <Counts counts={counts} />}>
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <div className="px-4 py-3">
          <Skeleton className="w-2/3" />
        </div>
      ) : shown.length === 0 ? (
        <EmptyState title={counts?.total === 0 ? 'No pipelines yet' : 'No pipelines need attention'}>
          {counts?.total === 0
            ? 'A pipeline reads messages from a source and stores their samples.'
            : undefined}
        </EmptyState>
      ) : (
        <ul className="divide-y divide-hairline">
          {shown.map((pipeline) => (
            <AttentionItem key={pipeline.id} pipeline={pipeline} />
          ))}
        </ul>
      )}
    </Panel>
  );
};

const AttentionItem = ({ pipeline }: { pipeline: Pipeline }) => (
  <li className="px-4 py-2">
    <div className="flex items-baseline justify-between gap-3">
      <span className="min-w-0 truncate font-medium">
        <Link to={paths.pipeline(pipeline.id)}>{pipeline.name}</Link>
      </span>
      <PipelineStateDot pipeline={pipeline} />
    </div>
    <p className="min-h-5 text-sm break-words text-muted">
      {pipeline.state === 'running' ? 'Recovered.' : <PipelineReason pipeline={pipeline} />}
    </p>
  </li>
);

const Counts = ({ counts }: { counts: PipelineCounts }) => (
  <span className="tabular flex flex-wrap gap-x-3">
    {Object.entries(counts.byState)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => (
        <span key={state}>
          {formatCount(count)} {pipelineStateDisplay[state as PipelineState].word.toLowerCase()}
        </span>
      ))}
  </span>
);
