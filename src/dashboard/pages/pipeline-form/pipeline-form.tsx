import { PlugZap } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { pipelinesApi, type Pipeline, type PipelineType } from '#contract/pipelines.ts';
import { callWithEtag, etagOf } from '../../api/client.ts';
import { EditNotices } from '../../kit/forms/edit-notices.tsx';
import { useEditedForm } from '../../kit/forms/use-edited-form.ts';
import { paths } from '../../paths.ts';
import { configFieldsOf } from '../../resources/pipelines/config-fields.ts';
import { AllowOffer } from '../../resources/network/allow-offer.tsx';
import type { ReplayTarget } from '../../resources/pipelines/replay-choice.ts';
import { deleteDraft } from '../../ui/browser/draft.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { closeToast } from '../../ui/feedback/toast.ts';
import { DestinationStep } from './destination-step.tsx';
import type { SourceKind } from '../../resources/pipelines/interval-setting.ts';
import { formProblemsOf, formSteps, stepOfPointer, type FormStep } from './form-steps.ts';
import { FormatStep } from './format-step.tsx';
import { PipelineFormFooter, SaveButtons } from './pipeline-form-footer.tsx';
import { pipelineFieldsOf } from './pipeline-fields.ts';
import {
  fillPreview,
  formValuesOf,
  hasChanges,
  MAPPING_TOAST,
  pipelineFormSchema,
  withoutSecrets,
  type PipelineFormValues,
  type PipelineStart,
  type StartMessage,
} from './pipeline-form-values.ts';
import { SourceStep } from './source-step.tsx';
import { Step, StepList } from './step-list.tsx';
import { useAddDestination } from './use-add-destination.tsx';
import { useFormActions } from './use-form-actions.ts';
import { useFormSteps } from './use-form-steps.ts';
import { useLeaveForm } from './use-leave-form.tsx';
import { lazyPart } from '../../ui/browser/lazy-part.tsx';
import { LoadFailure } from '../../ui/feedback/load-failure.tsx';

const DeviceLevelQuestion = lazyPart(
  async () => (await import('./device-level-question.tsx')).DeviceLevelQuestion,
  LoadFailure,
);
const ReviewStep = lazyPart(async () => (await import('./review-step.tsx')).ReviewStep, LoadFailure);
const PipelineTestResult = lazyPart(
  async () => (await import('./pipeline-test-result.tsx')).PipelineTestResult,
  LoadFailure,
);

/** What the link to the form asks for. */
export type FormRequest = {
  /** The initial message of the preview. */
  sample: StartMessage | null;
  /** The pointer of the field to focus. */
  focus: string | null;
  /** The topic of one device, if the form should ask which of its levels is the device. */
  topic: string | null;
  /** The rejections to replay after saving. */
  replay: ReplayTarget | null;
};

type Props = {
  types: readonly PipelineType[];
  /** The edited pipeline; undefined: a new one. */
  pipeline?: Pipeline;
  /** The error of the last read, if it failed. */
  failure: Error | null;
  /** The start of a new pipeline. */
  start?: PipelineStart;
  /** The key under which the draft is stored. */
  draft: string;
  request: FormRequest;
};

/** The first step that a link to the form shows. */
const firstStepOf = ({ focus, replay }: FormRequest, kind: SourceKind): FormStep => {
  if (focus !== null) return stepOfPointer(focus, kind);
  return replay === null ? 'source' : 'format';
};

/** The form of a pipeline in steps: source, format with a preview, destination, review. */
export const PipelineForm = ({ types, pipeline, failure, start, draft, request }: Props) => {
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
    valuesOf: (item) => formValuesOf(item ?? start, types, request.sample),
    fields: fieldsOfForm,
    etagOf: (id) => etagOf(pipelinesApi.change, { id }),
    read: (id) => callWithEtag(pipelinesApi.get, { params: { id } }),
    draftable: (typed, from) => withoutSecrets(typed, from, types),
  });
  const { form, base } = edited;
  const { control, formState } = form;
  const adding = useAddDestination(form);
  // A pipeline that was deleted and is created again has nothing to replay.
  const replay = base.item === undefined ? null : request.replay;
  const root = useRef<HTMLFormElement>(null);
  const testButton = useRef<HTMLButtonElement>(null);
  /** The last message that a test put into the preview. */
  const testedMessage = useRef('');

  const type = useWatch({ control, name: 'type' });
  const known = types.find((candidate) => candidate.type === type);
  const kind = known?.kind;
  const fields = configFieldsOf(known);
  const steps = useFormSteps(root, firstStepOf(request, kind), kind);
  const { step, go, goTo } = steps;
  const actions = useFormActions({
    root,
    edited,
    types,
    kind,
    fields,
    pipeline,
    steps,
    onMessage: (received) => {
      // The text of a message that is cut off would preview as another message.
      const shown = form.getValues('message');
      if (received.truncated || (shown.trim() !== '' && shown !== testedMessage.current)) return;
      testedMessage.current = received.message;
      // Not an edit: a form that nobody changed has no draft.
      fillPreview(form, received, { shouldDirty: false });
    },
    focus: request.focus,
  });
  const { notice, isBusy, dialog, testState, stopTest, test, submit, next } = actions;
  const problems = formProblemsOf(formState.errors, fields, kind);
  const following = formSteps[formSteps.indexOf(step) + 1];
  const canSave = pipeline !== undefined || following === undefined;

  // Without the form, an undo of the mapping has no effect.
  useEffect(() => () => closeToast(MAPPING_TOAST), []);

  const leave = useLeaveForm({
    to: pipeline === undefined ? paths.pipelines : paths.pipeline(pipeline.id),
    hasChanges: () => hasChanges(formValuesOf(base.item ?? start, types), form.getValues()),
    onLeave: () => deleteDraft(draft),
  });

  const repeatTest = () => {
    testButton.current?.focus();
    void test();
  };

  return (
    <>
      <form
        ref={root}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (canSave) void submit(replay?.choice ?? null);
          else void next(following);
        }}
        className="flex flex-col gap-4 **:scroll-mb-20 md:min-h-[calc(100dvh-7.25rem)]"
      >
        <StepList current={step} problems={problems} onChoose={go} />
        <EditNotices edited={edited} />
        {notice !== null && <FormNotice tone={notice.tone}>{notice.text}</FormNotice>}
        <Step name="source" current={step}>
          <SourceStep form={form} types={types} fields={fields}>
            {request.topic !== null && type === 'mqtt' && (
              <Suspense fallback={<Skeleton className="h-24" />}>
                <DeviceLevelQuestion form={form} topic={request.topic} />
              </Suspense>
            )}
            <AllowOffer
              network={actions.forbidden}
              onAllowed={() => {
                form.clearErrors('config');
                actions.clearForbidden();
                if (testState.kind === 'failed') repeatTest();
              }}
            />
          </SourceStep>
        </Step>
        <Step name="format" current={step}>
          <FormatStep
            form={form}
            types={types}
            fields={fields}
            pipeline={pipeline}
            base={base.item}
            replay={replay}
            isShown={step === 'format'}
            isBusy={isBusy}
            onGoTo={goTo}
          />
        </Step>
        <Step name="destination" current={step}>
          <DestinationStep form={form} kind={kind} onAdd={adding.open} />
        </Step>
        <Step name="review" current={step}>
          {step === 'review' && (
            <Suspense fallback={<Skeleton className="h-64" />}>
              <ReviewStep
                form={form}
                types={types}
                pipeline={base.item}
                fields={fields}
                problems={problems}
                onGo={go}
                onGoTo={goTo}
              />
            </Suspense>
          )}
        </Step>
        {testState.kind !== 'none' && (
          <Suspense>
            <PipelineTestResult
              form={form}
              types={types}
              testState={testState}
              onStop={() => {
                stopTest();
                testButton.current?.focus();
              }}
              onRepeat={repeatTest}
              onShow={(received) => {
                fillPreview(form, received);
                go('format');
              }}
              onGoTo={goTo}
            />
          </Suspense>
        )}
        <PipelineFormFooter
          step={step}
          onBack={go}
          onNext={(to) => void next(to)}
          test={
            <Button
              ref={testButton}
              busy={testState.kind === 'running'}
              icon={<PlugZap aria-hidden className="size-4" />}
              onClick={() => void test()}
            >
              Test
            </Button>
          }
          save={
            canSave && (
              <SaveButtons
                isNew={base.item === undefined}
                replays={replay !== null}
                isBusy={isBusy}
                onSaveOnly={() => void submit(null)}
              />
            )
          }
          leave={leave.link}
        />
      </form>
      {leave.dialog}
      {dialog}
      {adding.drawer}
    </>
  );
};
