import { Suspense } from 'react';
import { useWatch } from 'react-hook-form';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import { SchemaFieldInputs } from '../../kit/schema-form/schema-field-inputs.tsx';
import type { SchemaField } from '../../kit/schema-form/schema-field.ts';
import type { ReplayTarget } from '../../resources/pipelines/replay-choice.ts';
import { lazyPart } from '../../ui/browser/lazy-part.tsx';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { LoadFailure } from '../../ui/feedback/load-failure.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { applySuggestion } from './apply-suggestion.ts';
import { isReadingField } from './form-steps.ts';
import { MappingFields } from './mapping-fields.tsx';
import { withoutMessages, type PipelineFormState } from './pipeline-form-values.ts';

const FormPreviews = lazyPart(async () => (await import('./form-previews.tsx')).FormPreviews, LoadFailure);
const RecentPreviewPanel = lazyPart(
  async () => (await import('./recent-preview-panel.tsx')).RecentPreviewPanel,
  LoadFailure,
);

type Props = {
  form: PipelineFormState;
  types: readonly PipelineType[];
  fields: readonly SchemaField[];
  pipeline: Pipeline | undefined;
  /** The version of the pipeline that the form is based on; undefined: a new one. */
  base: Pipeline | undefined;
  /** The rejections to replay after saving; null: none. */
  replay: ReplayTarget | null;
  /** Previews exist only while the step is shown. */
  isShown: boolean;
  isBusy: boolean;
  /** Shows the field of a pointer. */
  onGoTo: (pointer: string) => void;
};

/** How messages become samples, beside a preview. */
export const FormatStep = (props: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { form, types, fields, pipeline, base, replay, isShown, isBusy, onGoTo } = props;
  const [type, mapping] = useWatch({ control: form.control, name: ['type', 'mapping'] });
  const isNarrow = useIsNarrow();
  // First beside the fields, and on a phone below the mapping.
  const recent = isShown && base !== undefined && (
    <Suspense fallback={<Skeleton className="h-24" />}>
      <RecentPreviewPanel form={form} types={types} pipeline={base} />
    </Suspense>
  );
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
        {isShown && (
          <Suspense fallback={<Skeleton className="h-64" />}>
            <FormPreviews
              form={form}
              types={types}
              pipeline={base}
              replay={replay}
              isBusy={isBusy}
              onUseExpression={(expression) => applySuggestion(form, expression, onGoTo)}
            />
          </Suspense>
        )}
      </div>
    </div>
  );
};
