import type { Metric, Value } from '#contract/telemetry.ts';
import { formatValue } from '../../charts/axes/number-format.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';

type Props = {
  metrics: readonly Metric[] | undefined;
  /** Its series colour (1–8), or null where it is not charted. */
  colourOf: (metric: string) => number | null;
  canAdd: boolean;
  onToggle: (metric: string, isCharted: boolean) => void;
};

/** The latest value of each metric with its age; a tick charts it, in the colour of the tick. */
export const MetricTable = ({ metrics, colourOf, canAdd, onToggle }: Props) => (
  <Panel title="Latest values" flush>
    <table className="tabular w-full table-fixed">
      <thead>
        <tr className="border-b border-hairline text-left text-sm text-muted">
          <th scope="col" className="py-1.5 pr-3 pl-4 font-medium">
            Metric
          </th>
          <th scope="col" className="w-[38%] py-1.5 pr-3 text-right font-medium">
            Value
          </th>
          <th scope="col" className="w-26 py-1.5 pr-4 text-right font-medium">
            Age
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-hairline">
        {metrics === undefined
          ? [1, 2, 3].map((row) => (
              <tr key={row} className="h-(--row)">
                <td className="px-4">
                  <Skeleton className="w-32" />
                </td>
                <td className="pr-3">
                  <Skeleton className="ml-auto w-16" />
                </td>
                <td className="pr-4">
                  <Skeleton className="ml-auto w-12" />
                </td>
              </tr>
            ))
          : metrics.map((metric) => (
              <MetricRow
                key={metric.metric}
                metric={metric}
                colour={colourOf(metric.metric)}
                canAdd={canAdd}
                onToggle={onToggle}
              />
            ))}
      </tbody>
    </table>
  </Panel>
);

const MetricRow = ({
  metric: { metric, label, unit, value, lastTs },
  colour,
  canAdd,
  onToggle,
}: { metric: Metric; colour: number | null } & Pick<Props, 'canAdd' | 'onToggle'>) => (
  <tr className="h-(--row) hover:bg-hover/60">
    <th scope="row" className="pr-3 pl-4 text-left font-normal">
      <label className="flex min-h-6 cursor-pointer items-center gap-2.5 touch:min-h-11">
        <input
          type="checkbox"
          aria-label={`Chart ${label ?? metric}`}
          checked={colour !== null}
          disabled={colour === null && !canAdd}
          onChange={(event) => onToggle(metric, event.target.checked)}
          className="size-3.5 shrink-0 cursor-pointer appearance-none rounded-sm border border-control bg-surface disabled:opacity-40"
          style={
            colour === null
              ? undefined
              : { backgroundColor: `var(--series-${colour})`, borderColor: 'transparent' }
          }
        />
        <span className="truncate" data-hint={label === null ? undefined : metric}>
          {label ?? metric}
        </span>
      </label>
    </th>
    <td className="pr-3 text-right">
      <LatestValue value={value} unit={unit} />
    </td>
    <td className="pr-4 text-right text-muted">
      <RelativeTime at={lastTs} inRow />
    </td>
  </tr>
);

const LatestValue = ({ value, unit }: { value: Value; unit: string | null }) => {
  if (typeof value === 'string') {
    return (
      <span className="block truncate" data-hint={value}>
        {value}
      </span>
    );
  }
  if (typeof value === 'boolean') return <span className="font-medium">{value ? 'true' : 'false'}</span>;
  return <span className="font-medium">{formatValue(value, unit)}</span>;
};
