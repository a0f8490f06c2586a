import { Controller, useWatch } from 'react-hook-form';
import { DestinationField } from '../../resources/destinations/destination-field.tsx';
import { usesInterval, type SourceKind } from '../../resources/pipelines/interval-setting.ts';
import { IntervalField } from './interval-field.tsx';
import type { PipelineFormState } from './pipeline-form-values.ts';

type Props = {
  form: PipelineFormState;
  kind: SourceKind;
  onAdd: () => void;
};

/** Where samples go, and how long a batch of pushed messages may wait. */
export const DestinationStep = ({ form, kind, onAdd }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { control, formState } = form;
  const destination = useWatch({ control, name: 'destination' });
  return (
    <div className="flex max-w-176 flex-col gap-4">
      <div data-pointer="/destination">
        <Controller
          control={control}
          name="destination"
          render={({ field: { value, onChange, onBlur } }) => (
            <DestinationField
              value={value}
              onChange={onChange}
              onBlur={onBlur}
              error={formState.errors.destination?.message}
              onAdd={onAdd}
            />
          )}
        />
      </div>
      {kind === 'pushed' && usesInterval(kind, destination) && <IntervalField form={form} kind={kind} />}
    </div>
  );
};
