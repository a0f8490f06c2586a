import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import type { Pipeline } from '#contract/pipelines.ts';
import { SchemaFieldInputs } from '../../kit/schema-form/schema-field-inputs.tsx';
import type { SchemaField } from '../../kit/schema-form/schema-field.ts';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { isReadingField } from './form-steps.ts';
import { MappingFields } from './mapping-fields.tsx';
import { withoutMessages, type PipelineFormState } from './pipeline-form-values.ts';

type Props = {
  form: PipelineFormState;
  fields: readonly SchemaField[];
  pipeline: Pipeline | undefined;
  /** The effect of the changes on recent messages: first beside the fields, and on a phone below the mapping. */
  recent: ReactNode;
  /** The other previews, beside the fields. */
  children: ReactNode;
};

/** How messages become samples, beside a preview. */
export const FormatStep = ({ form, fields, pipeline, recent, children }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const [type, mapping] = useWatch({ control: form.control, name: ['type', 'mapping'] });
  const isNarrow = useIsNarrow();
  return (
    <div className="grid grid-cols-1 gap-x-6 gap-y-4 md:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        {(!withoutMessages.has(type) || mapping !== 'auto') && (
          <MappingFields form={form} pipeline={pipeline} />
        )}
        {isNarrow && recent}
        <div className="grid min-w-0 grid-cols-1 gap-4 xl:grid-cols-2">
          <SchemaFieldInputs form={form} pointer="/config" fields={fields.filter(isReadingField)} />
        </div>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        {!isNarrow && recent}
        {children}
      </div>
    </div>
  );
};
