import { useEffect, useState, type RefObject } from 'react';
import { useWatch } from 'react-hook-form';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import type { FieldProblem } from '#contract/problem.ts';
import type { ReceivedMessage } from '#contract/received-message.ts';
import type { ReplayRequest } from '#contract/rejections.ts';
import type { useEditedForm } from '../../kit/forms/use-edited-form.ts';
import type { SchemaField } from '../../kit/schema-form/schema-field.ts';
import { usesInterval, type SourceKind } from '../../resources/pipelines/interval-setting.ts';
import { fieldsOfStep, formProblemsOf, inputSteps, type FormStep } from './form-steps.ts';
import { changeOf, newPipelineOf, type PipelineFormValues } from './pipeline-form-values.ts';
import { useConfirmRejections } from './use-confirm-rejections.tsx';
import { useFormProblems } from './use-form-problems.ts';
import type { useFormSteps } from './use-form-steps.ts';
import { usePipelineTest } from './use-pipeline-test.ts';
import { useSavePipeline } from './use-save-pipeline.ts';

type Options = {
  root: RefObject<HTMLFormElement | null>;
  edited: ReturnType<typeof useEditedForm<Pipeline, PipelineFormValues>>;
  types: readonly PipelineType[];
  kind: SourceKind;
  /** The fields of the chosen type. */
  fields: readonly SchemaField[];
  pipeline: Pipeline | undefined;
  steps: ReturnType<typeof useFormSteps>;
  /** The pointer of the field to focus first. */
  focus: string | null;
  /** Called with the message that a test received. */
  onMessage: (received: ReceivedMessage) => void;
};

/** Stored secrets are not read back, not even for a test. */
const testProblemText = ({ code, detail }: FieldProblem): string =>
  code === 'secret-missing'
    ? 'Enter the secret again to test. Penstock never returns stored secrets.'
    : detail;

/** Saves, tests and validates the form. Problems lead to their fields; the review lists them instead. */
export const useFormActions = (options: Options) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { root, edited, types, kind, fields, pipeline, steps, focus, onMessage } = options;
  const { form, base } = edited;
  const { step, go, goTo } = steps;
  const { notice, setNotice, showProblems, forbidden, clearForbidden } = useFormProblems(form, {
    fields,
    pipeline,
    focus,
    goTo,
  });
  const isReview = step === 'review';
  const type = useWatch({ control: form.control, name: 'type' });

  const [shown, setShown] = useState<object>();
  // The list exists only once the problems are rendered.
  useEffect(() => {
    if (shown !== undefined) root.current?.querySelector<HTMLElement>('[data-problems]')?.focus();
  }, [root, shown]);

  const showFirst = (pointer: string | undefined) => {
    if (isReview) setShown({});
    else if (pointer !== undefined) goTo(pointer);
  };
  const validated = (work: (values: PipelineFormValues) => unknown) =>
    form.handleSubmit(
      async (values) => void (await work(values)),
      (errors) => showFirst(formProblemsOf(errors, fields, kind)[0]?.pointer),
    )();

  const { save, isBusy } = useSavePipeline({
    edited,
    types,
    onProblems: (problems) => {
      showProblems(problems);
      showFirst(problems[0]?.pointer);
    },
    onFailed: (text) => setNotice({ tone: 'bad', text }),
  });

  const { saveUnlessRejecting, isComparing, dialog } = useConfirmRejections();
  const saveChecked = async (values: PipelineFormValues, then: ReplayRequest | null): Promise<void> => {
    const change = base.item === undefined ? {} : changeOf(base.item, values, types);
    if (base.item === undefined || Object.keys(change).length === 0) return save(values, then);
    await saveUnlessRejecting(base.item.id, change, () => save(values, then));
  };

  const { testState, start, stop } = usePipelineTest({
    type,
    pipelineId: base.item?.id,
    onMessage,
    onProblems: (found) => {
      showProblems(found.map((problem) => ({ ...problem, detail: testProblemText(problem) })));
      showFirst(found[0]?.pointer);
    },
  });

  // The user cannot correct a hidden field, and the service ignores it.
  const hasInterval = usesInterval(kind, useWatch({ control: form.control, name: 'destination' }));
  useEffect(() => {
    if (!hasInterval) form.clearErrors('every');
  }, [form, hasInterval]);

  // The review also lists the problems of steps that were not visited. Errors of the service stay.
  useEffect(() => {
    if (!isReview) return;
    const names = inputSteps.flatMap((each) => fieldsOfStep(each, fields, kind));
    void form.trigger(names.filter((name) => !form.getFieldState(name).invalid));
    // oxlint-disable-next-line react/exhaustive-deps -- when the review opens
  }, [isReview]);

  return {
    notice,
    /** The address that the service does not connect to until it is allowed. */
    forbidden,
    clearForbidden,
    isBusy: isBusy || isComparing,
    dialog,
    testState,
    stopTest: stop,
    test: () => validated((values) => start(newPipelineOf(values, types))),
    /** `then`: the rejections to replay afterwards. */
    submit: (then: ReplayRequest | null) => {
      setNotice(null);
      return validated((values) => saveChecked(values, then));
    },
    /** Opens the next step, unless this one has errors. */
    next: async (to: FormStep) => {
      if (await form.trigger(fieldsOfStep(step, fields, kind), { shouldFocus: true })) go(to);
    },
  };
};
