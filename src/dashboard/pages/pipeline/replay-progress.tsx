import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { plural } from '../../ui/format/format-number.ts';
import { ProgressBar } from '../../ui/feedback/progress-bar.tsx';

type Props = {
  pipelineId: string;
  /** How many values the pipeline has rejected once it is done; undefined: nobody knows. */
  leaves: number | undefined;
};

/** A replay under way, by what its pipeline has rejected still: what is rejected anew meanwhile counts against it. */
export const ReplayProgress = ({ pipelineId, leaves }: Props) => {
  const { data } = useQuery(pipelineQueries.detail(pipelineId));
  const rejected = data?.ledger.rejected ?? 0;
  const [before] = useState(rejected);
  const share = leaves === undefined || before <= leaves ? null : (before - rejected) / (before - leaves);
  return (
    <div className="flex flex-col gap-2">
      <output className="font-medium">Replaying</output>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <ProgressBar
          label="Replayed"
          share={share === null ? null : Math.min(1, Math.max(0, share))}
          className="w-60"
        />
        <span className="tabular">{plural(rejected, 'rejected value')} left</span>
      </div>
      <p className="text-sm text-muted">
        It goes on when this is closed, but not when the page is. What was taken stays taken when it is
        stopped.
      </p>
    </div>
  );
};
