import { type ReactNode, useState } from 'react';
import type { PipelineTest } from '#contract/pipelines.ts';
import { cx } from '../ui/browser/cx.ts';
import { formatCount } from '../ui/format/format-number.ts';
import { Dot } from '../ui/feedback/state-dot.tsx';
import { Button, Spinner } from '../ui/controls/button.tsx';
import { formatDuration } from '../ui/format/format-duration.ts';
import { nowMs, useClock } from '../ui/browser/clock.ts';

type StepName = PipelineTest['steps'][number]['step'];

const stepNames: Record<StepName, string> = {
  fields: 'Fields',
  source: 'Source',
  mapping: 'Mapping',
  destination: 'Destination',
};

type Props = {
  test: PipelineTest;
  /** All steps in order, including those that were not reached. */
  steps: readonly StepName[];
  /** Replaces the details of steps. */
  details?: Partial<Record<StepName, ReactNode>>;
  /** Shown below the steps. */
  children?: ReactNode;
};

/** The result of a test, step by step, announced to screen readers. */
export const TestOutcome = ({ test: { ok, steps: tried }, steps, details, children }: Props) => {
  // A single step needs no name.
  const isOne = steps.length === 1;
  const failed = tried.find((step) => !step.ok);
  return (
    <div
      className={cx(
        'flex flex-col gap-1 rounded-md border px-3 py-2.5',
        ok ? 'border-good bg-good-soft' : 'border-bad bg-bad-soft',
      )}
    >
      <output className={cx('font-medium', ok ? 'text-good-text' : 'text-bad-text')}>
        {failed === undefined
          ? 'Test passed'
          : isOne
            ? 'Test failed'
            : `${stepNames[failed.step]} test failed`}
        {failed !== undefined && <span className="sr-only">. {failed.detail}</span>}
      </output>
      <ol>
        {steps.map((name) => {
          const step = tried.find((one) => one.step === name);
          return (
            <li key={name} className="flex items-baseline gap-2.5 py-1">
              <Dot
                tone={step === undefined ? 'idle' : step.ok ? 'good' : 'bad'}
                className="-translate-y-px"
              />
              <span className="flex min-w-0 flex-1 flex-wrap gap-x-3">
                <span className={isOne ? 'sr-only' : 'w-22 shrink-0 font-medium'}>
                  {stepNames[name]}
                  <span className="sr-only">
                    {step === undefined ? ', not tested:' : step.ok ? ', passed:' : ', failed:'}
                  </span>
                </span>
                <span className="min-w-48 flex-1 wrap-anywhere">
                  {step === undefined ? (
                    <span className="text-muted">
                      {name === 'mapping' && ok ? 'No message received' : 'Not tested'}
                    </span>
                  ) : (
                    (details?.[name] ?? step.detail)
                  )}
                </span>
              </span>
              {step !== undefined && (
                <span className="tabular shrink-0 text-sm text-muted">{formatCount(step.ms)} ms</span>
              )}
            </li>
          );
        })}
      </ol>
      {children}
    </div>
  );
};

type TestWaitProps = {
  /** What is being tested: “Connecting to the destination”. */
  children: string;
  /** The longest duration, in seconds. */
  maxSeconds: number;
  onCancel: () => void;
};

/** A running test: what is tested, for how long, and a button that stops it. */
export const TestProgress = ({ children, maxSeconds, onCancel }: TestWaitProps) => {
  const [begunMs] = useState(nowMs);
  const lasted = useClock((now) => formatDuration(Math.max(0, now - begunMs)));
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-hairline px-3 py-2">
      <Spinner />
      <output className="min-w-48 flex-1">{children}</output>
      <span aria-hidden className="tabular text-sm text-muted">
        {lasted} of up to {maxSeconds} s
      </span>
      <Button variant="quiet" className="ml-auto" onClick={onCancel}>
        Stop
      </Button>
    </div>
  );
};
