import { useQuery } from '@tanstack/react-query';
import type { Overwrite } from '#contract/overwrites.ts';
import { pipelineHistoryQueries } from '../../resources/pipelines/pipeline-history-queries.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../kit/failure.tsx';
import { useThrottled } from '../../ui/browser/throttled.ts';
import { plural } from '../../ui/format/format-number.ts';
import { formatExact, timeZoneChoice } from '../../ui/format/format-time.ts';
import { Link } from '../../ui/controls/link.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { formatSampleValue } from '../../resources/pipelines/sample-table.tsx';

type Props = {
  pipelineId: string;
  /** The count in the ledger. */
  overwritten: number;
};

const TITLE = 'Overwritten samples';

/** The devices and metrics whose stored values later messages replaced. */
export const OverwritesPanel = ({ pipelineId, overwritten }: Props) => {
  const counted = useThrottled(overwritten);
  const { data, error, refetch } = useQuery(pipelineHistoryQueries.overwrites(pipelineId, counted));
  return (
    <Panel title={TITLE} aside="Latest per metric" flush>
      <p className="px-4 pb-3 text-muted">
        A later message had another value for the same device, metric and time, and replaced the earlier
        sample. Check the device’s clock. Check that the mapping does not use one metric name for several
        fields.
      </p>
      {data === undefined && error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton className="mx-4 my-3 h-16" />
      ) : data.length === 0 ? (
        <p className="border-t border-hairline px-4 py-3 text-muted">
          The devices of these samples were deleted. The ledger still counts the samples.
        </p>
      ) : (
        <ScrollRegion label={TITLE} className="max-h-80 overflow-y-auto border-t border-hairline">
          <ul className="divide-y divide-hairline">
            {data.map((overwrite) => (
              <OverwriteItem key={`${overwrite.device} ${overwrite.metric}`} overwrite={overwrite} />
            ))}
          </ul>
        </ScrollRegion>
      )}
    </Panel>
  );
};

const OverwriteItem = ({ overwrite }: { overwrite: Overwrite }) => {
  const { device, externalId, metric, count, lastAt, ts, before, after } = overwrite;
  const zone = useStoredChoice(timeZoneChoice);
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2">
      <span className="min-w-0 flex-1 basis-60 break-all">
        <Link to={paths.device(device)}>{externalId}</Link>{' '}
        <span className="font-mono text-sm">{metric}</span>
      </span>
      <span className="tabular text-sm text-muted">
        {plural(count, 'sample')}, <RelativeTime at={lastAt} />
      </span>
      <span className="tabular w-full min-w-0 text-sm break-words">
        {before !== null && (
          <>
            {formatSampleValue(before)}
            <span className="text-muted"> → </span>
          </>
        )}
        {formatSampleValue(after)}
        <span className="text-muted"> at {formatExact(ts, zone)}</span>
      </span>
    </li>
  );
};
