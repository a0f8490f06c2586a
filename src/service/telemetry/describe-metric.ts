import type { AutomaticMetric, Metric, MetricSettings } from '#contract/metrics.ts';
import { guessMetric } from './guess-metric.ts';
import type { SettingsOf } from './metric-settings-store.ts';
import type { StoredMetric, StoredSeries } from './store/telemetry-store.ts';

type Stored = Pick<StoredSeries, 'device' | 'metric' | 'kind' | 'unit'> & { readonly label?: string | null };

/** The automatic values of a metric. A stated unit takes precedence over a guess. */
export const automaticOf = ({ metric, kind, unit, label = null }: Stored): AutomaticMetric => {
  if (kind !== 'number') return { label, unit, metricType: null, isUnitGuessed: false };
  const guess = guessMetric(metric);
  return {
    label,
    unit: unit ?? guess.unit,
    metricType: guess.metricType,
    isUnitGuessed: unit === null && guess.unit !== null,
  };
};

type Description = Pick<Metric, 'label' | 'unit' | 'isUnitGuessed' | 'decimals' | 'metricType'>;

/** The settings of the device override those of its type, which override the automatic values. */
export const describeMetric = (stored: Stored, settingsOf: SettingsOf): Description => {
  const { ofDevice, ofType } = settingsOf(stored.device, stored.metric);
  const set = <K extends keyof MetricSettings>(name: K): MetricSettings[K] => ofDevice[name] ?? ofType[name];
  const automatic = automaticOf(stored);
  const label = set('label') ?? automatic.label;
  const unit = set('unit') ?? automatic.unit;
  const isNumber = stored.kind === 'number';
  return {
    // Empty: set to have none, in spite of an automatic one.
    label: label === '' ? null : label,
    unit: unit === '' ? null : unit,
    isUnitGuessed: set('unit') === null && automatic.isUnitGuessed,
    decimals: isNumber ? set('decimals') : null,
    metricType: isNumber ? (set('metricType') ?? automatic.metricType) : null,
  };
};

/** A stored metric as the API returns it. */
export const metricOf = (stored: StoredMetric, settingsOf: SettingsOf): Metric => {
  const { device: _, ...metric } = stored;
  return { ...metric, ...describeMetric(stored, settingsOf) };
};
