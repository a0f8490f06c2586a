import { useEffect, useRef, useState } from 'react';
import type { PipelineTest, PipelineTestStep } from '#contract/pipeline-test.ts';
import type { NewPipeline } from '#contract/pipelines.ts';
import type { FieldProblem } from '#contract/problem.ts';
import type { ReceivedMessage } from '#contract/received-message.ts';
import { hasCode } from '../../api/api-error.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { runPipelineTest } from '../../resources/pipelines/run-pipeline-test.ts';

/** `tested`: the tested request, to detect what has changed in the form since. */
type Outcome =
  | { kind: 'finished'; test: PipelineTest; tested: NewPipeline }
  | { kind: 'failed'; detail: string };
/** `done`: the steps that ended. `current`: the step that runs; undefined: none yet. */
type Running = { kind: 'running'; done: readonly PipelineTestStep[]; current?: PipelineTestStep['step'] };
type TestState = { kind: 'none' } | Running | Outcome;

type Options = {
  /** The chosen type. The result for another type is removed, since its fields are gone. */
  type: string;
  /** Undefined for a new pipeline. */
  pipelineId: string | undefined;
  /** Called with the fields to fix. */
  onProblems: (problems: readonly FieldProblem[]) => void;
  /** Called with the message that the source returned. */
  onMessage: (received: ReceivedMessage) => void;
};

/** Tests the pipeline in the form. One test at a time; the result of a stopped test is ignored. */
export const usePipelineTest = ({ type, pipelineId, onProblems, onMessage }: Options) => {
  const [testState, setTestState] = useState<TestState>({ kind: 'none' });
  const running = useRef<AbortController>(undefined);
  const start = async (body: NewPipeline) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    let progress: Running = { kind: 'running', done: [] };
    setTestState(progress);
    let outcome: Outcome;
    let problems: readonly FieldProblem[] = [];
    try {
      const test = await runPipelineTest({
        body,
        pipelineId,
        signal: controller.signal,
        onLine: (line) => {
          progress =
            line.type === 'begin'
              ? { ...progress, current: line.step }
              : { kind: 'running', done: [...progress.done, line] };
          if (!controller.signal.aborted) setTestState(progress);
        },
      });
      problems = (test.problems ?? []).map((problem) => ({ code: 'unfit', ...problem }));
      outcome = { kind: 'finished', test, tested: body };
    } catch (error) {
      problems = hasCode(error, 'validation-failed', 'destination-forbidden') ? error.fields : [];
      const detail = problems.length > 0 ? 'Fix the highlighted fields first.' : describeFailedChange(error);
      outcome = { kind: 'failed', detail };
    }
    if (controller.signal.aborted) return;
    setTestState(outcome);
    if (problems.length > 0) onProblems(problems);
    if (outcome.kind === 'finished' && outcome.test.message !== undefined) onMessage(outcome.test.message);
  };

  const stop = () => {
    running.current?.abort();
    setTestState({ kind: 'none' });
  };
  // Also when the form is left.
  // oxlint-disable-next-line react/exhaustive-deps -- only for another type
  useEffect(() => stop, [type]);

  return { testState, start, stop };
};
