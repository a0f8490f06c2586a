import { useEffect, useRef } from 'react';
import { useWatch } from 'react-hook-form';
import { pathOfPointer } from '#contract/json-pointer.ts';
import type { PipelineTestStep } from '#contract/pipeline-test.ts';
import type { NewPipeline, PipelineType } from '#contract/pipelines.ts';
import type { ReceivedMessage } from '#contract/received-message.ts';
import { TestOutcome, TestProgress } from '../../kit/test-outcome.tsx';
import { configFieldsOf, fieldInWords } from '../../resources/pipelines/config-fields.ts';
import { AllowOffer } from '../../resources/network/allow-offer.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { linkClass } from '../../ui/controls/link.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { newPipelineOf, type PipelineFormState } from './pipeline-form-values.ts';
import type { usePipelineTest } from './use-pipeline-test.ts';

/** 15 s for the source, and as long for the destination. */
const TIMEOUT_S = 30;

const steps = ['fields', 'source', 'mapping', 'destination'] as const;

const running: Record<PipelineTestStep['step'], string> = {
  fields: 'Checking the fields',
  source: 'Testing the source',
  mapping: 'Mapping the message',
  destination: 'Testing the destination',
};

type Props = {
  form: PipelineFormState;
  types: readonly PipelineType[];
  testState: ReturnType<typeof usePipelineTest>['testState'];
  onStop: () => void;
  /** Tests again. */
  onRepeat: () => void;
  /** Shows the message of the source in the preview. */
  onShow: (message: ReceivedMessage) => void;
  /** Focuses the control of the field that a pointer names. */
  onGoTo: (pointer: string) => void;
};

const valueAt = (body: unknown, pointer: string): unknown =>
  pathOfPointer(pointer).reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    body,
  );

/** Events that show that the operator scrolls or works elsewhere. */
const ACTIONS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/** How long the result of a test stays in view. The scrollbar, a screen reader or a search in the page sends no event. */
const KEPT_IN_VIEW_MS = 5_000;

/**
 * A running or finished test of the pipeline. It stays in view until the operator acts or has had time to see the result, as
 * the footer of the form covers what is below the window, and a preview that loads meanwhile moves it down.
 */
export const PipelineTestResult = (props: Props) => {
  const root = useRef<HTMLDivElement>(null);
  const hasActed = useRef(false);
  const { kind } = props.testState;
  useEffect(() => {
    if (kind === 'running') hasActed.current = false;
    if (kind === 'none' || hasActed.current) return undefined;
    const observer = new ResizeObserver(() => root.current?.scrollIntoView({ block: 'nearest' }));
    // Calls back once as it begins.
    observer.observe(document.body);
    const stop = () => {
      observer.disconnect();
      for (const action of ACTIONS) window.removeEventListener(action, onAction);
    };
    const onAction = () => {
      hasActed.current = true;
      stop();
    };
    for (const action of ACTIONS) window.addEventListener(action, onAction, { passive: true });
    const timer = kind === 'running' ? undefined : setTimeout(stop, KEPT_IN_VIEW_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [kind]);
  return (
    <div ref={root} className="flex flex-col gap-4">
      <TestState {...props} />
    </div>
  );
};

const TestState = ({ form, types, testState, onStop, onRepeat, onShow, onGoTo }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  // As text: the form changes its values in place, so that they would be equal to themselves.
  const text = useWatch({
    control: form.control,
    compute: (values) => JSON.stringify(newPipelineOf(values, types)),
  });
  if (testState.kind === 'none') return null;
  if (testState.kind === 'failed') return <FormNotice tone="bad">{testState.detail}</FormNotice>;
  if (testState.kind === 'running')
    return (
      <TestProgress
        maxSeconds={TIMEOUT_S}
        onCancel={onStop}
        steps={{ names: steps, done: testState.done, current: testState.current }}
      >
        {running[testState.current ?? testState.done.at(-1)?.step ?? 'fields']}
      </TestProgress>
    );
  const { message, problems, steps: tried } = testState.test;
  const now = JSON.parse(text) as NewPipeline;
  const fields = configFieldsOf(types.find(({ type }) => type === now.type));
  const labelOf = (pointer: string) =>
    fields.find(({ name }) => pointer === `/config/${name}`)?.label ?? fieldInWords(pointer);
  const isUnchanged = (pointer: string): boolean =>
    JSON.stringify(valueAt(now, pointer)) === JSON.stringify(valueAt(testState.tested, pointer));
  const isStale = !isUnchanged('');
  const linkTo = (pointer: string, label: string) => (
    <button type="button" onClick={() => onGoTo(pointer)} className={linkClass}>
      {label}
    </button>
  );
  const withLinks = ({ step, detail, pointer }: PipelineTestStep) => {
    if (step === 'fields' && problems !== undefined)
      return (
        <ul className="flex flex-col gap-1">
          {problems.map((problem) => (
            <li key={problem.pointer + problem.detail}>
              {isUnchanged(problem.pointer)
                ? linkTo(problem.pointer, labelOf(problem.pointer))
                : labelOf(problem.pointer)}
              : {problem.detail}
            </li>
          ))}
        </ul>
      );
    return pointer === undefined || !isUnchanged(pointer) ? (
      detail
    ) : (
      <>
        {detail} {linkTo(pointer, `Go to ${labelOf(pointer)}`)}
      </>
    );
  };
  return (
    <>
      <TestOutcome
        test={testState.test}
        steps={steps}
        isStale={isStale}
        details={Object.fromEntries(tried.map((step) => [step.step, withLinks(step)]))}
      >
        {message?.truncated === true ? (
          <p className="text-sm text-muted">
            Penstock cannot preview this message because only part of it is available.
          </p>
        ) : (
          message !== undefined && (
            <Button className="w-fit" onClick={() => onShow(message)}>
              Preview this message
            </Button>
          )
        )}
      </TestOutcome>
      {isUnchanged('/config') && isUnchanged('/destination') && (
        <AllowOffer network={tried.find((step) => step.allow !== undefined)?.allow} onAllowed={onRepeat} />
      )}
      <p className="text-sm text-muted">
        {isStale ? 'The form changed after this test.' : 'Nothing was stored or acknowledged.'}
      </p>
    </>
  );
};
