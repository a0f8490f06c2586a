import { Controller, useWatch } from 'react-hook-form';
import {
  intervalLabel,
  intervalUnits,
  readInterval,
  type SourceKind,
} from '../../resources/pipelines/interval-setting.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { NumberInput, readNumber } from '../../ui/controls/text-input.tsx';
import { secondsOf, type PipelineFormState } from './pipeline-form-values.ts';

type Props = {
  form: PipelineFormState;
  kind: SourceKind;
};

/** A number and its unit, with an explanation. */
export const IntervalField = ({ form, kind }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { control, register, formState } = form;
  const [every, unit] = useWatch({ control, name: ['every', 'unit'] });
  const seconds = secondsOf({ every, unit });
  const label = intervalLabel(kind);
  return (
    <div data-pointer="/interval">
      <Field
        label={label}
        error={formState.errors.every?.message}
        help={Number.isInteger(seconds) && seconds > 0 ? readInterval(seconds, kind) : undefined}
      >
        <div className="flex gap-2">
          <NumberInput {...register('every', readNumber)} className="w-28!" />
          <Controller
            control={control}
            name="unit"
            render={({ field: { value, onChange } }) => (
              // Has a name of its own, so that the field's label names the number.
              <div className="w-36">
                <Select
                  aria-label={`Unit of the ${label.toLowerCase()}`}
                  options={intervalUnits}
                  value={value}
                  onChange={onChange}
                />
              </div>
            )}
          />
        </div>
      </Field>
    </div>
  );
};
