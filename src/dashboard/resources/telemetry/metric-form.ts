import {
  metricChangeSchema,
  type MetricChange,
  type MetricDetails,
  type MetricSettings,
  type MetricType,
} from '#contract/metrics.ts';

/** Which devices a change applies to. */
export type Level = 'type' | 'device';
export type StoredSettings = { settings: MetricSettings; etag: string | undefined };
/** `type` null: the device has no type. */
export type EditedMetric = { details: MetricDetails; type: StoredSettings | null; device: StoredSettings };

export const NOTHING_SET: MetricSettings = { label: null, unit: null, decimals: null, metricType: null };

export const isSet = (settings: MetricSettings): boolean =>
  Object.values(settings).some((value) => value !== null);

/** The settings as they are typed; empty texts are automatic. */
export type MetricForm = {
  label: string;
  /** Set to be shown by its name, instead of an automatic label. */
  hasNoLabel: boolean;
  unit: string;
  /** Set to have no unit, instead of an automatic one. */
  hasNoUnit: boolean;
  decimals: string;
  metricType: 'automatic' | MetricType;
};

export const EMPTY_FORM: MetricForm = {
  label: '',
  hasNoLabel: false,
  unit: '',
  hasNoUnit: false,
  decimals: '',
  metricType: 'automatic',
};

export const formOf = ({ label, unit, decimals, metricType }: MetricSettings): MetricForm => ({
  label: label ?? '',
  hasNoLabel: label === '',
  unit: unit ?? '',
  hasNoUnit: unit === '',
  decimals: decimals === null ? '' : String(decimals),
  metricType: metricType ?? 'automatic',
});

const textSetting = (text: string, hasNone: boolean): string | null =>
  hasNone ? '' : text.trim() === '' ? null : text;

const settingsOf = ({ label, hasNoLabel, unit, hasNoUnit, decimals, metricType }: MetricForm) => ({
  label: textSetting(label, hasNoLabel),
  unit: textSetting(unit, hasNoUnit),
  decimals: decimals.trim() === '' ? null : Number(decimals),
  metricType: metricType === 'automatic' ? null : metricType,
});

export type FormProblems = Partial<Record<keyof MetricSettings, string>>;

/** The fields that differ from what is set, or what is wrong with them. */
export const changeOf = (
  form: MetricForm,
  settings: MetricSettings,
): { change: MetricChange } | { problems: FormProblems } => {
  const parsed = metricChangeSchema.safeParse(settingsOf(form));
  if (!parsed.success)
    return {
      problems: Object.fromEntries(
        parsed.error.issues.map(({ path, message }) => [
          String(path[0]),
          path[0] === 'decimals' ? 'Enter a whole number from 0 to 10.' : message,
        ]),
      ),
    };
  const changed = Object.entries(parsed.data).filter(
    ([name, value]) => value !== settings[name as keyof MetricSettings],
  );
  return { change: Object.fromEntries(changed) };
};

/** The values that apply to settings that are null at a level. Texts are empty if there is none. */
export const inheritedAt = (level: Level, { details, type }: EditedMetric) => {
  const { automatic } = details;
  const ofType = level === 'device' ? (type?.settings ?? NOTHING_SET) : NOTHING_SET;
  return {
    label: ofType.label ?? automatic.label ?? '',
    unit: ofType.unit ?? automatic.unit ?? '',
    isUnitGuessed: ofType.unit === null && automatic.isUnitGuessed,
    decimals: ofType.decimals,
    metricType: ofType.metricType ?? automatic.metricType,
  };
};
export type InheritedMetric = ReturnType<typeof inheritedAt>;
