import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { lazy, Suspense, useRef, useState } from 'react';
import { Controller, useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router-dom';
import type { Destination } from '#contract/destinations.ts';
import { pipelinesApi, TELEMETRY, type Pipeline, type PipelineType } from '#contract/pipelines.ts';
import type { FieldProblem } from '#contract/problem.ts';
import type { ReplayRequest } from '#contract/rejections.ts';
import { hasCode } from '../../api/api-error.ts';
import { callWithEtag, etagOf } from '../../api/client.ts';
import { useChangePipeline, useCreatePipeline } from '../../resources/pipelines/pipeline-queries.ts';
import { DestinationField } from '../../resources/destinations/destination-field.tsx';
import { isSameDestination } from '../../resources/destinations/destination-state.tsx';
import { EditNotices } from '../../kit/forms/edit-notices.tsx';
import { useEditedForm } from '../../kit/forms/use-edited-form.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { deleteDraft } from '../../ui/browser/draft.ts';
import { SchemaFieldInputs } from '../../kit/schema-form/schema-field-inputs.tsx';
import { configFieldsOf } from '../../resources/pipelines/config-fields.ts';
import { IntervalField } from './interval-field.tsx';
import { PipelineFormFooter } from './pipeline-form-footer.tsx';
import { pipelineFieldsOf } from './pipeline-fields.ts';
import {
  changeOf,
  formValuesOf,
  newPipelineOf,
  pipelineFormSchema,
  withoutSecrets,
  type PipelineFormValues,
  type PipelineStart,
} from './pipeline-form-values.ts';
import { MappingFields } from './mapping-fields.tsx';
import { PreviewPanel, withoutMessages } from './preview-panel.tsx';
import { ReplayPreviewPanel } from './replay-preview-panel.tsx';
import { useReplay } from '../../resources/pipelines/use-replay.ts';
import { TypeField } from './type-field.tsx';
import { useFormProblems } from './use-form-problems.ts';

const DestinationFormDrawer = lazy(async () => ({
  default: (await import('../../resources/destinations/destination-form-drawer.tsx')).DestinationFormDrawer,
}));

/** What the link to the form asks for. */
export type FormRequest = {
  /** The initial message of the preview. */
  sample: { message: string; topic: string } | null;
  /** The pointer of the field to focus. */
  focus: string | null;
  /** The rejections to replay after saving. */
  replay: ReplayRequest | null;
};

type Props = {
  types: readonly PipelineType[];
  /** The edited pipeline; undefined: a new one. */
  pipeline?: Pipeline;
  /** The error of the last read, if it failed. */
  failure: Error | null;
  /** The start of a new pipeline. */
  model?: PipelineStart;
  /** The key under which the draft is stored. */
  draft: string;
  asked: FormRequest;
  onCreated?: (made: Pipeline) => void;
};

/** Stored secrets are not read back, not even for a test. */
const testProblemText = ({ code, detail }: FieldProblem): string =>
  code === 'secret-missing' ? 'Enter the secret again to test. Stored secrets are never read back.' : detail;

/** The form of a pipeline: source, interval, mapping and destination, beside a preview. */
export const PipelineForm = ({ types, pipeline, failure, model, draft, asked, onCreated }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const [schema] = useState(() => pipelineFormSchema(types));
  const [fieldsOfForm] = useState(() => pipelineFieldsOf(types));
  const edited = useEditedForm<Pipeline, PipelineFormValues>({
    schema,
    draft,
    item: pipeline,
    failure,
    kind: 'pipeline',
    valuesOf: (item) => formValuesOf(item ?? model, types, asked.sample),
    fields: fieldsOfForm,
    etagOf: (id) => etagOf(pipelinesApi.change, { id }),
    read: (id) => callWithEtag(pipelinesApi.get, { params: { id } }),
    draftable: (typed, from) => withoutSecrets(typed, from, types),
  });
  const { form, base } = edited;
  const { register, handleSubmit, control, formState, setValue } = form;
  const { errors } = formState;
  // A pipeline that was deleted and is created again has nothing to replay.
  const replay = base.item === undefined ? null : asked.replay;
  const create = useCreatePipeline();
  const change = useChangePipeline();
  const replaying = useReplay(pipeline?.id ?? '');
  const isBusy = create.isPending || change.isPending;
  const navigate = useNavigate();
  const [adding, setAdding] = useState<'open' | 'closing' | null>(null);
  const root = useRef<HTMLFormElement>(null);

  const [type, mapping, destination] = useWatch({
    control,
    name: ['type', 'mapping', 'destination'],
  });
  const hasMapping = !withoutMessages.has(type) || mapping !== 'auto';
  const known = types.find((candidate) => candidate.type === type);
  const fields = configFieldsOf(known);
  const { notice, setNotice, showProblems, goTo } = useFormProblems(form, {
    root,
    fields,
    pipeline,
    focus: asked.focus,
  });

  const showTestProblems = (problems: readonly FieldProblem[]) => {
    showProblems(problems.map((problem) => ({ ...problem, detail: testProblemText(problem) })));
    const [first] = problems;
    if (first?.pointer !== undefined) goTo(first.pointer);
  };

  const save = async (values: PipelineFormValues, then: ReplayRequest | null) => {
    if (isBusy) return;
    setNotice(null);
    let saved = base.item?.id;
    try {
      const isSaved = await edited.save(async ({ item, etag }) => {
        if (item === undefined) {
          const made = await create.mutateAsync(newPipelineOf(values, types));
          saved = made.id;
          onCreated?.(made);
          showToast({ title: `Created ${made.name}` });
          return;
        }
        const changes = changeOf(item, values, types);
        if (Object.keys(changes).length > 0)
          await change.mutateAsync({
            id: item.id,
            change: changes,
            ifMatch: etag,
          });
      });
      if (!isSaved || saved === undefined) return;
      if (then !== null) void replaying.replay(then);
      void navigate(paths.pipeline(saved));
    } catch (error) {
      const faults = hasCode(error, 'validation-failed', 'conflict') ? error.fields : [];
      if (faults.length > 0) showProblems(faults);
      else setNotice({ tone: 'bad', text: describeFailedChange(error) });
    }
  };

  const chooseAdded = (added: Destination | null) => {
    setAdding('closing');
    if (added !== null)
      setValue('destination', added.name, { shouldDirty: true, shouldTouch: true, shouldValidate: true });
  };

  return (
    <>
      <form
        ref={root}
        noValidate
        onSubmit={(event) => void handleSubmit((values) => save(values, replay))(event)}
        className="grid grid-cols-1 gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] 2xl:grid-cols-[minmax(0,44rem)_minmax(0,1fr)]"
      >
        <div className="flex min-w-0 flex-col gap-6">
          <EditNotices edited={edited} />
          {notice !== null && <FormNotice tone={notice.tone}>{notice.text}</FormNotice>}
          <div data-pointer="/name">
            <Field label="Name" error={errors.name?.message}>
              <TextInput {...register('name')} maxLength={100} />
            </Field>
          </div>
          <div data-pointer="/type">
            <TypeField form={form} types={types} />
          </div>
          <div data-pointer="/interval">
            <IntervalField
              form={form}
              kind={known?.kind}
              isExternal={!isSameDestination(destination, TELEMETRY)}
            />
          </div>
          <div data-pointer="/destination">
            <Controller
              control={control}
              name="destination"
              render={({ field: { value, onChange, onBlur } }) => (
                <DestinationField
                  value={value}
                  onChange={onChange}
                  onBlur={onBlur}
                  error={errors.destination?.message}
                  onAdd={() => setAdding('open')}
                />
              )}
            />
          </div>
          <SchemaFieldInputs fields={fields} form={form} pointer="/config" />
          {hasMapping && <MappingFields form={form} pipeline={pipeline} />}
        </div>
        <div className="flex min-w-0 flex-col gap-4 self-start empty:hidden lg:sticky lg:top-5 lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:max-h-[calc(100dvh-2.5rem)] lg:overflow-y-auto">
          {base.item !== undefined && replay !== null && (
            <ReplayPreviewPanel
              form={form}
              types={types}
              pipeline={base.item}
              choice={replay}
              isBusy={isBusy}
              onShow={({ message, topic }) => {
                setValue('message', message, { shouldDirty: true });
                setValue('topic', topic ?? '', { shouldDirty: true });
              }}
            />
          )}
          <PreviewPanel
            form={form}
            types={types}
            {...(pipeline !== undefined && { pipelineId: pipeline.id })}
          />
        </div>
        <PipelineFormFooter
          form={form}
          types={types}
          pipelineId={base.item?.id}
          onProblems={showTestProblems}
          onGoTo={goTo}
          save={
            <>
              <Button type="submit" variant="primary" busy={isBusy}>
                {base.item === undefined ? 'Create pipeline' : replay === null ? 'Save' : 'Save and replay'}
              </Button>
              {replay !== null && (
                <Button busy={isBusy} onClick={() => void handleSubmit((values) => save(values, null))()}>
                  Save
                </Button>
              )}
            </>
          }
          leave={
            <LinkButton
              variant="quiet"
              to={pipeline === undefined ? paths.pipelines : paths.pipeline(pipeline.id)}
              onClick={() => deleteDraft(draft)}
            >
              Cancel
            </LinkButton>
          }
        />
      </form>
      {/* Outside the form, so that submitting the drawer does not submit this form. */}
      {adding !== null && (
        <Suspense>
          <DestinationFormDrawer
            isOpen={adding === 'open'}
            destinationId={null}
            onClose={chooseAdded}
            onClosed={() => setAdding(null)}
          />
        </Suspense>
      )}
    </>
  );
};
