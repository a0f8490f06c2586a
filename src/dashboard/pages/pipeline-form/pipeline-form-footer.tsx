import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { PlugZap } from 'lucide-react';
import { useEffect, useRef, type ReactNode, useState } from 'react';
import { useWatch, type UseFormReturn } from 'react-hook-form';
import type { PipelineTest, PipelineType, NewPipeline } from '#contract/pipelines.ts';
import type { FieldProblem } from '#contract/problem.ts';
import { TestOutcome, TestProgress } from '../../kit/test-outcome.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { linkClass } from '../../ui/controls/link.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { fieldInWords } from '../../resources/pipelines/config-fields.ts';
import { newPipelineOf, type PipelineFormValues } from './pipeline-form-values.ts';
import { hasCode } from '../../api/api-error.ts';
import { useTestPipeline } from '../../resources/pipelines/pipeline-queries.ts';

/** The tested request as text, to detect whether the form has changed since. */
const testedText = (body: NewPipeline): string => JSON.stringify(body);

type Outcome = { kind: 'finished'; test: PipelineTest; tested: string } | { kind: 'failed'; detail: string };
type TestState = { kind: 'none' } | { kind: 'running' } | Outcome;

/** Tests the pipeline in the form. One test at a time; the result of a stopped test is ignored. */
const usePipelineTest = (
  onProblems: (problems: readonly FieldProblem[]) => void,
  pipelineId: string | undefined,
) => {
  const [testState, setTestState] = useState<TestState>({ kind: 'none' });
  const running = useRef<AbortController>(undefined);
  const { mutateAsync } = useTestPipeline();
  useEffect(() => () => running.current?.abort(), []);

  const start = async (body: NewPipeline) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setTestState({ kind: 'running' });
    let outcome: Outcome;
    let problems: readonly FieldProblem[] = [];
    try {
      const test = await mutateAsync({ body, id: pipelineId, signal: controller.signal });
      problems = (test.problems ?? []).map((problem) => ({ code: 'unfit', ...problem }));
      outcome = { kind: 'finished', test, tested: testedText(body) };
    } catch (error) {
      problems = hasCode(error, 'validation-failed', 'destination-forbidden') ? error.fields : [];
      const detail = problems.length > 0 ? 'Fix the highlighted fields first.' : describeFailedChange(error);
      outcome = { kind: 'failed', detail };
    }
    if (controller.signal.aborted) return;
    setTestState(outcome);
    if (problems.length > 0) onProblems(problems);
  };

  const stop = () => {
    running.current?.abort();
    setTestState({ kind: 'none' });
  };

  return { testState, start, stop };
};

type Props = {
  form: UseFormReturn<PipelineFormValues, unknown, PipelineFormValues>;
  types: readonly PipelineType[];
  /** Undefined for a new pipeline. */
  pipelineId: string | undefined;
  /** The button that saves. */
  save: ReactNode;
  /** The link that leaves the form. */
  leave: ReactNode;
  /** Places problems at their fields. */
  onProblems: (problems: readonly FieldProblem[]) => void;
  /** Focuses the control of the field that a pointer names. */
  onGoTo: (pointer: string) => void;
};

/** 15 s for the source, and as long for the destination. */
const TIMEOUT_S = 30;

const steps = ['fields', 'source', 'mapping', 'destination'] as const;

/** The footer of the form: saves the pipeline, or tests it first. */
export const PipelineFormFooter = ({ form, types, pipelineId, save, leave, onProblems, onGoTo }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const values = useWatch({ control: form.control, compute: (now) => now });
  const { testState, start, stop } = usePipelineTest(onProblems, pipelineId);
  const button = useRef<HTMLButtonElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const { kind } = testState;
  useEffect(() => {
    if (kind !== 'none') place.current?.scrollIntoView({ block: 'nearest' });
  }, [kind]);

  return (
    <div className="flex min-w-0 flex-col gap-4 border-t border-hairline pt-4 lg:col-start-1">
      <div className="flex flex-wrap gap-2">
        {save}
        <Button
          ref={button}
          busy={kind === 'running'}
          icon={<PlugZap aria-hidden className="size-4" />}
          onClick={() => void form.handleSubmit((now) => start(newPipelineOf(now, types)))()}
        >
          Test
        </Button>
        {leave}
      </div>
      <div ref={place} className="flex scroll-my-24 flex-col gap-2 empty:hidden">
        {testState.kind === 'running' && (
          <TestProgress
            maxSeconds={TIMEOUT_S}
            onCancel={() => {
              stop();
              button.current?.focus();
            }}
          >
            Testing the source, the mapping and the destination
          </TestProgress>
        )}
        {testState.kind === 'failed' && <FormNotice tone="bad">{testState.detail}</FormNotice>}
        {testState.kind === 'finished' && (
          <>
            <TestOutcome
              test={testState.test}
              steps={steps}
              details={{ fields: <MissingFields test={testState.test} onGoTo={onGoTo} /> }}
            />
            <p className="text-sm text-muted">
              {testState.tested === testedText(newPipelineOf(values, types))
                ? 'Nothing was stored or acknowledged.'
                : 'The form changed after this test.'}
            </p>
          </>
        )}
      </div>
    </div>
  );
};

/** Links to the fields with problems. */
const MissingFields = ({ test, onGoTo }: { test: PipelineTest; onGoTo: Props['onGoTo'] }) =>
  test.problems === undefined ? (
    'All fields are valid.'
  ) : (
    <ul className="flex flex-col gap-1">
      {test.problems.map(({ pointer, detail }) => (
        <li key={pointer + detail}>
          <button type="button" onClick={() => onGoTo(pointer)} className={linkClass}>
            {fieldInWords(pointer)}
          </button>
          : {detail}
        </li>
      ))}
    </ul>
  );
