import { useState } from 'react';
import type { Device } from '#contract/devices.ts';
import type { Metric } from '#contract/metrics.ts';
import { containsWords } from '#contract/search-words.ts';
import { formatValue } from '../../ui/format/format-value.ts';
import { EditMetricButton } from '../../resources/telemetry/edit-metric.tsx';
import { useNumericDeviceCounts } from '../../resources/telemetry/numeric-device-counts.ts';
import { cx } from '../../ui/browser/cx.ts';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { SearchInput } from '../../ui/controls/search-input.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { BreakableName } from '../../ui/format/breakable-name.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';

type Props = {
  device: Pick<Device, 'id' | 'type'> | undefined;
  metrics: readonly Metric[] | undefined;
  /** Its series colour (1–8), or null where it is not charted. */
  colourOf: (metric: string) => number | null;
  canAdd: boolean;
  onToggle: (metric: string, isCharted: boolean) => void;
  /** Undefined: this session cannot change metrics. */
  onEdit: ((metric: string) => void) | undefined;
};

/** With more metrics, the panel has a filter. */
const METRICS_AT_A_GLANCE = 15;

const matches = ({ metric, label }: Metric, search: string): boolean =>
  containsWords(`${metric}\n${label ?? ''}`, search);

/** The latest value of each metric with its age; a tick charts it, in the colour of the tick. */
export const MetricTable = ({ device, metrics, colourOf, canAdd, onToggle, onEdit }: Props) => {
  const isNarrow = useIsNarrow();
  const texts = (metrics ?? []).filter(({ kind }) => kind === 'string').map(({ metric }) => metric);
  const numbers = useNumericDeviceCounts({
    metrics: device === undefined ? [] : texts,
    devices: device === undefined ? [] : [device.id],
    type: device?.type,
  });
  const [filter, setFilter] = useState('');
  const isLong = (metrics?.length ?? 0) > METRICS_AT_A_GLANCE;
  const shown = isLong ? metrics?.filter((metric) => matches(metric, filter)) : metrics;
  return (
    <Panel
      title="Latest values"
      aside={
        isLong && (
          <SearchInput label="Filter metrics" placeholder="Filter" value={filter} onChange={setFilter} />
        )
      }
      flush
    >
      <table className="tabular w-full table-fixed">
        <thead>
          <tr className="border-b border-hairline text-left text-sm text-muted">
            <th scope="col" className="py-1.5 pr-3 pl-4 font-medium">
              Metric
            </th>
            <th scope="col" className="w-[38%] py-1.5 pr-3 text-right font-medium">
              Value
            </th>
            {!isNarrow && (
              <th scope="col" className="w-26 py-1.5 pr-4 text-right font-medium">
                Age
              </th>
            )}
          </tr>
        </thead>
        <tbody className="divide-y divide-hairline">
          {shown === undefined
            ? [1, 2, 3].map((row) => (
                <tr key={row} className="h-(--row)">
                  <td className="px-4">
                    <Skeleton className="w-32" />
                  </td>
                  <td className="pr-3">
                    <Skeleton className="ml-auto w-16" />
                  </td>
                  {!isNarrow && (
                    <td className="pr-4">
                      <Skeleton className="ml-auto w-12" />
                    </td>
                  )}
                </tr>
              ))
            : shown.map((metric) => (
                <MetricRow
                  key={metric.metric}
                  metric={metric}
                  colour={colourOf(metric.metric)}
                  isNarrow={isNarrow}
                  numberOn={texts.includes(metric.metric) ? (numbers[metric.metric] ?? 0) : 0}
                  hasType={device?.type !== undefined}
                  canAdd={canAdd}
                  onToggle={onToggle}
                  onEdit={onEdit}
                />
              ))}
        </tbody>
      </table>
      {shown?.length === 0 && filter !== '' && (
        <p className="px-4 py-3 text-muted">No metric matches “{filter}”.</p>
      )}
    </Panel>
  );
};

type RowProps = Pick<Props, 'canAdd' | 'onToggle' | 'onEdit'> & {
  metric: Metric;
  colour: number | null;
  isNarrow: boolean;
  /** If the metric is text: the number of other devices on which it is a number. */
  numberOn: number;
  /** Whether these devices have the same type. */
  hasType: boolean;
};

const MetricRow = (props: RowProps) => {
  const { metric: known, colour, canAdd, onToggle, onEdit, isNarrow, numberOn, hasType } = props;
  const { metric, label, lastTs } = known;
  return (
    <tr className="group h-(--row) hover:bg-hover/60">
      <th scope="row" className="pr-3 pl-4 text-left font-normal">
        <div className="flex items-center">
          <label className="flex min-h-6 min-w-0 flex-1 cursor-pointer items-center gap-2.5 touch:min-h-11">
            <input
              type="checkbox"
              aria-label={`Chart ${label ?? metric}`}
              checked={colour !== null}
              disabled={colour === null && !canAdd}
              onChange={(event) => onToggle(metric, event.target.checked)}
              className={cx(
                'size-3.5 shrink-0 cursor-pointer appearance-none rounded-sm border border-control bg-surface disabled:opacity-40',
                colour !== null && 'keeps-colour',
              )}
              style={
                colour === null
                  ? undefined
                  : {
                      // The colours of a timeline are those of its states.
                      backgroundColor: known.kind === 'number' ? `var(--series-${colour})` : 'var(--control)',
                      borderColor: 'transparent',
                    }
              }
            />
            <span className="min-w-0 py-1" data-hint={label === null ? undefined : metric}>
              <BreakableName name={label ?? metric} />
            </span>
          </label>
          {onEdit !== undefined && (
            <EditMetricButton label={label ?? metric} onClick={() => onEdit(metric)} />
          )}
        </div>
        {numberOn > 0 && (
          <p
            className="mb-1 ml-6 text-sm text-attention-text"
            data-hint={`Compared with the most recently seen devices${hasType ? ' of the same type' : ''}`}
          >
            Text here, a number on {plural(numberOn, 'other device')}
          </p>
        )}
      </th>
      <td className="py-1 pr-3 text-right">
        <LatestValue metric={known} />
        {isNarrow && (
          <span className="block text-sm text-muted">
            <RelativeTime at={lastTs} inRow />
          </span>
        )}
      </td>
      {!isNarrow && (
        <td className="pr-4 text-right text-muted">
          <RelativeTime at={lastTs} inRow />
        </td>
      )}
    </tr>
  );
};

const LatestValue = ({ metric }: { metric: Metric }) => {
  const { value } = metric;
  if (typeof value === 'string') {
    return (
      <span className="block truncate" data-hint={value}>
        {value}
      </span>
    );
  }
  if (typeof value === 'boolean') return <span className="font-medium">{value ? 'true' : 'false'}</span>;
  const text = formatValue(value, metric);
  return metric.isUnitGuessed ? (
    <span
      className="font-medium underline decoration-control decoration-dotted underline-offset-3"
      data-hint="Penstock guesses the unit from the name of the metric"
    >
      {text}
    </span>
  ) : (
    <span className="font-medium">{text}</span>
  );
};
