import { describeError } from '../../api/api-error.ts';
import type { ComboboxOption } from '../../ui/controls/combobox-popup.tsx';
import { MultiCombobox } from '../../ui/controls/combobox.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { RetryButton } from '../../ui/feedback/retry-button.tsx';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import type { KnownMetric, KnownMetrics } from './known-metrics.ts';

type Props = {
  /** The number of chosen devices. */
  deviceCount: number;
  known: KnownMetrics;
  chosen: readonly string[];
  onChange: (metrics: readonly string[]) => void;
};

const detailOf = ({ unit, kind, deviceCount }: KnownMetric, queriedCount: number): string =>
  [
    unit ?? (kind === 'number' ? '' : kind),
    deviceCount < queriedCount ? `${deviceCount} of ${queriedCount} devices` : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');

/** Chooses among the metrics of the chosen devices. */
export const MetricPicker = ({ deviceCount, known, chosen, onChange }: Props) => {
  const options = known.metrics.map((each): ComboboxOption => {
    const detail = detailOf(each, known.queriedCount);
    return { value: each.metric, label: each.label, ...(detail !== '' && { detail }) };
  });
  const value = chosen.map(
    (metric) => options.find((option) => option.value === metric) ?? { value: metric, label: metric },
  );
  return (
    <Field
      label="Metrics"
      {...(deviceCount > known.queriedCount &&
        known.queriedCount > 0 && {
          help: `Metrics of the first ${formatCount(known.queriedCount)} of ${plural(deviceCount, 'device')}.`,
        })}
      error={known.error === null ? undefined : describeError(known.error).detail}
      aside={
        known.error !== null && (
          <RetryButton variant="quiet" className="h-6 px-2 text-sm" onRetry={known.refetch} />
        )
      }
    >
      <MultiCombobox
        aria-label="Metrics"
        value={value}
        options={options}
        onChange={(next) => onChange(next.map(({ value }) => value))}
        isLoading={known.isPending}
        placeholder={known.queriedCount === 0 ? 'Choose devices first' : 'Choose metrics'}
        emptyText={known.queriedCount === 0 ? 'Choose devices first.' : 'No matching metrics.'}
      />
    </Field>
  );
};
