import { useEffect, useRef, useState } from 'react';
import type { NewPipeline, PipelineTest } from '#contract/pipelines.ts';
import type { FieldProblem } from '#contract/problem.ts';
import { describeError, hasCode } from '../../api/api-error.ts';
import { useTestPipeline } from '../../resources/pipelines/pipeline-queries.ts';

/** What was tried as text: by it one tells whether the form still says the same. */
export const testedText = (body: NewPipeline): string => JSON.stringify(body);

type Outcome = { kind: 'told'; test: PipelineTest; tested: string } | { kind: 'failed'; detail: string };
export type PipelineTrial = { kind: 'none' } | { kind: 'running' } | Outcome;

/** Tries what the form holds. One try at a time; what was stopped or left behind tells nothing any more. */
export const usePipelineTest = (
  onProblems: (problems: readonly FieldProblem[]) => void,
  pipelineId: string | undefined,
) => {
  const [trial, setTrial] = useState<PipelineTrial>({ kind: 'none' });
  const under = useRef<AbortController>(undefined);
  const { mutateAsync } = useTestPipeline();
  useEffect(() => () => under.current?.abort(), []);

  const start = async (body: NewPipeline) => {
    under.current?.abort();
    const controller = new AbortController();
    under.current = controller;
    setTrial({ kind: 'running' });
    let outcome: Outcome;
    let problems: readonly FieldProblem[] = [];
    try {
      const test = await mutateAsync({ body, id: pipelineId, signal: controller.signal });
      problems = (test.problems ?? []).map((problem) => ({ code: 'unfit', ...problem }));
      outcome = { kind: 'told', test, tested: testedText(body) };
    } catch (error) {
      problems = hasCode(error, 'validation-failed', 'destination-forbidden') ? error.fields : [];
      const detail =
        problems.length > 0 ? 'Not tried: mend what is marked above first.' : describeError(error).detail;
      outcome = { kind: 'failed', detail };
    }
    if (controller.signal.aborted) return;
    setTrial(outcome);
    if (problems.length > 0) onProblems(problems);
  };

  const stop = () => {
    under.current?.abort();
    setTrial({ kind: 'none' });
  };

  return { trial, start, stop };
};
