import { Link } from 'react-router-dom';
import type { Overview } from '#contract/overview.ts';
import { pipelineStates } from '#contract/pipeline-state.ts';
import { pipelineStateDisplay } from '../../resources/pipelines/pipeline-state.tsx';
import { paths, withQuery } from '../../paths.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { StateDot } from '../../ui/feedback/state-dot.tsx';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { Panel } from '../../ui/layout/panel.tsx';

type Counts = NonNullable<Overview['pipelines']>;

/** The number of pipelines in each state, as links to the lists. */
export const PipelineCounts = ({ counts }: { counts: Counts | undefined }) => (
  <Panel
    title="Pipelines"
    aside={
      counts !== undefined && (
        <Link to={paths.pipelines} className="tabular rounded-sm hover:text-ink hover:underline">
          {plural(counts.total, 'pipeline')}
        </Link>
      )
    }
  >
    {counts === undefined ? (
      <Skeleton className="w-2/3" />
    ) : counts.total === 0 ? (
      <EmptyState title="No pipelines yet">
        A pipeline reads messages from a source and delivers their samples to a destination.
      </EmptyState>
    ) : (
      <div className="@container">
        <ul className="wall-text flex flex-wrap gap-x-6 gap-y-1">
          {pipelineStates
            .filter((state) => counts.byState[state] > 0)
            .map((state) => {
              const { word, tone } = pipelineStateDisplay[state];
              return (
                <li key={state}>
                  <Link
                    to={withQuery(paths.pipelines, { state })}
                    className="tabular rounded-sm hover:underline touch:py-2"
                  >
                    <StateDot tone={tone}>
                      {word} {formatCount(counts.byState[state])}
                    </StateDot>
                  </Link>
                </li>
              );
            })}
        </ul>
      </div>
    )}
  </Panel>
);
