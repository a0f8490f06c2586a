import { useWatch } from 'react-hook-form';
import type { PipelineType } from '#contract/pipelines.ts';
import { keepInput } from '../../kit/schema-form/schema-field.ts';
import { configFieldsOf } from '../../resources/pipelines/config-fields.ts';
import { RadioCards } from '../../ui/controls/radio-cards.tsx';
import type { PipelineFormState } from './pipeline-form-values.ts';

type Props = {
  form: PipelineFormState;
  types: readonly PipelineType[];
};

/** Chooses the type. Another type keeps the values of the fields that it has too. */
export const TypeField = ({ form, types }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { clearErrors, control, formState, getValues, setValue } = form;
  const chosen = useWatch({ control, name: 'type' });
  const isKnown = types.some(({ type }) => type === chosen);

  const choose = (next: string) => {
    const fields = configFieldsOf(types.find(({ type }) => type === next));
    setValue('type', next, { shouldDirty: true, shouldTouch: true, shouldValidate: true });
    setValue('config', keepInput(fields, getValues('config')), { shouldDirty: true });
    // Of the fields of the type before.
    clearErrors('config');
  };

  return (
    <RadioCards
      label="Type"
      cards={[
        ...types.map(({ type, label, description }) => ({ value: type, label, detail: description })),
        ...(isKnown || chosen === ''
          ? []
          : [{ value: chosen, label: chosen, detail: 'This service does not support this type.' }]),
      ]}
      value={chosen}
      onChange={choose}
      error={formState.errors.type?.message}
      columns={1}
    />
  );
};
