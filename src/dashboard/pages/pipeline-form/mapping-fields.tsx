import { Controller, useWatch } from 'react-hook-form';
import type { Pipeline } from '#contract/pipelines.ts';
import { Field } from '../../ui/controls/field.tsx';
import { RadioCards } from '../../ui/controls/radio-cards.tsx';
import { TextArea } from '../../ui/controls/text-input.tsx';
import { mappingsOf } from '../../resources/pipelines/mappings.ts';
import type { PipelineFormState } from './pipeline-form-values.ts';

const EXAMPLE = '{ "device": $device, "values": { "temperature": t / 10 } }';

type Props = {
  form: PipelineFormState;
  pipeline: Pipeline | undefined;
};

/** The service's error of the expression, until the expression changes. */
const problemOf = (pipeline: Pipeline | undefined, expression: string): string | undefined =>
  (pipeline?.mapping.expression ?? '') === expression
    ? pipeline?.problems.find(({ pointer }) => pointer === '/mapping/expression')?.detail
    : undefined;

/** How messages become samples: by their format, or by an expression. */
export const MappingFields = ({ form, pipeline }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { control, register, formState } = form;
  const [type, mapping, expression] = useWatch({ control, name: ['type', 'mapping', 'expression'] });
  return (
    <>
      <div data-pointer="/mapping">
        <Controller
          control={control}
          name="mapping"
          render={({ field: { value, onChange } }) => (
            <RadioCards
              label="Mapping"
              cards={mappingsOf(type)}
              value={value}
              onChange={onChange}
              columns={1}
            />
          )}
        />
      </div>
      {mapping === 'expression' && (
        <div data-pointer="/mapping/expression">
          <Field
            label="Expression"
            error={formState.errors.expression?.message ?? problemOf(pipeline, expression)}
            help={
              <>
                A JSONata expression, with <code className="font-mono">$topic</code> and{' '}
                <code className="font-mono">$device</code> available. It returns{' '}
                <code className="font-mono">{'{ "device", "ts", "values", "units" }'}</code>, a list of these
                objects, or <code className="font-mono">{'{ "samples": […] }'}</code>. To leave a message to
                Automatic, return the message itself: <code className="font-mono">$</code>.
              </>
            }
          >
            <TextArea
              {...register('expression')}
              rows={6}
              maxLength={16_384}
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              placeholder={EXAMPLE}
              className="max-h-96 font-mono text-sm"
            />
          </Field>
        </div>
      )}
    </>
  );
};
