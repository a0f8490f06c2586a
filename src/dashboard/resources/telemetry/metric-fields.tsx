import type { RefObject } from 'react';
import { useLateFocus } from '../../kit/resource/drawer-form.tsx';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { NumberInput, TextInput } from '../../ui/controls/text-input.tsx';
import type { FormProblems, InheritedMetric, MetricForm } from './metric-form.ts';

type Props = {
  /** The name of the metric. */
  metric: string;
  firstField: RefObject<HTMLInputElement | null>;
  form: MetricForm;
  problems: FormProblems;
  /** What applies to empty fields. */
  inherited: InheritedMetric;
  isNumber: boolean;
  onChange: (form: MetricForm) => void;
};

const metricTypeNames = { gauge: 'Gauge', counter: 'Counter' };

/** Empty fields are automatic: their placeholders say what that is. */
export const MetricFields = ({
  metric,
  firstField,
  form,
  problems,
  inherited,
  isNumber,
  onChange,
}: Props) => {
  useLateFocus(firstField);
  const { label, unit, isUnitGuessed } = inherited;
  return (
    <>
      <div className="flex flex-col gap-1.5">
        <Field label="Label" optional error={problems.label}>
          <TextInput
            ref={firstField}
            value={form.hasNoLabel ? '' : form.label}
            disabled={form.hasNoLabel}
            placeholder={form.hasNoLabel || label === '' ? metric : label}
            onChange={(event) => onChange({ ...form, label: event.target.value })}
          />
        </Field>
        {(label !== '' || form.hasNoLabel) && (
          <Checkbox
            label="No label"
            checked={form.hasNoLabel}
            onChange={(event) => onChange({ ...form, hasNoLabel: event.target.checked })}
          />
        )}
      </div>
      <div className="flex flex-col gap-1.5">
        <Field
          label="Unit"
          optional
          error={problems.unit}
          {...(isUnitGuessed && { help: `Penstock guesses ${unit} from the name of the metric.` })}
        >
          <TextInput
            value={form.hasNoUnit ? '' : form.unit}
            disabled={form.hasNoUnit}
            placeholder={form.hasNoUnit || unit === '' ? 'No unit' : unit}
            onChange={(event) => onChange({ ...form, unit: event.target.value })}
          />
        </Field>
        {(unit !== '' || form.hasNoUnit) && (
          <Checkbox
            label="No unit"
            checked={form.hasNoUnit}
            onChange={(event) => onChange({ ...form, hasNoUnit: event.target.checked })}
          />
        )}
      </div>
      {isNumber && (
        <>
          <Field label="Decimals" optional error={problems.decimals}>
            <NumberInput
              value={form.decimals}
              placeholder={inherited.decimals === null ? 'Automatic' : String(inherited.decimals)}
              onChange={(event) => onChange({ ...form, decimals: event.target.value })}
            />
          </Field>
          <Field
            label="Metric type"
            help="A counter increases until it restarts from 0. Charts show its rate."
          >
            <Select
              options={[
                {
                  value: 'automatic',
                  label: `Automatic (${metricTypeNames[inherited.metricType ?? 'gauge'].toLowerCase()})`,
                },
                { value: 'gauge', label: metricTypeNames.gauge },
                { value: 'counter', label: metricTypeNames.counter },
              ]}
              value={form.metricType}
              onChange={(metricType) => onChange({ ...form, metricType })}
            />
          </Field>
        </>
      )}
    </>
  );
};
