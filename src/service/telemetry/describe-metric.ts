import type { AutomaticMetric, Metric, MetricSettings } from '#contract/metrics.ts';
import { guessMetric } from './guess-metric.ts';
import type { SettingsOf } from './metric-settings-store.ts';
import type { StoredMetric, StoredSeries } from './store/telemetry-store.ts';

type Stored = Pick<StoredSeries, 'device' | 'metric' | 'kind' | 'unit'> & { readonly label?: string | null };

/** What is chosen without settings: the unit of the first message goes before a guess. */
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

/** The settings of the device, then those of its type, then what is automatic. */
export const describeMetric = (stored: Stored, settingsOf: SettingsOf): Description => {
  const { ofDevice, ofType } = settingsOf(stored.device, stored.metric);
  const set = <K extends keyof MetricSettings>(name: K): MetricSettings[K] => ofDevice[name] ?? ofType[name];
  const automatic = automaticOf(stored);
  const unit = set('unit') ?? automatic.unit;
  const isNumber = stored.kind === 'number';
  return {
    label: set('label') ?? automatic.label,
    // An empty unit is set to have none.
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
