import { type ReactNode, useState } from 'react';
import type { PipelineTest, PipelineTestStep } from '#contract/pipeline-test.ts';
import { cx } from '../ui/browser/cx.ts';
import { formatCount } from '../ui/format/format-number.ts';
import { Dot } from '../ui/feedback/state-dot.tsx';
import { Button, Spinner } from '../ui/controls/button.tsx';
import { formatDuration } from '../ui/format/format-duration.ts';
import { nowMs, useClock } from '../ui/browser/clock.ts';

type StepName = PipelineTestStep['step'];

const stepNames: Record<StepName, string> = {
  fields: 'Fields',
  source: 'Source',
  mapping: 'Mapping',
  destination: 'Destination',
};

/** A step that passed has a pointer only if it rejected samples. */
const hasRejections = ({ ok, pointer }: PipelineTestStep): boolean => ok && pointer !== undefined;

const outcomeOf = (step: PipelineTestStep): { words: string; tone: 'good' | 'attention' | 'bad' } => {
  if (!step.ok) return { words: 'failed', tone: 'bad' };
  return hasRejections(step)
    ? { words: 'passed with rejections', tone: 'attention' }
    : { words: 'passed', tone: 'good' };
};

/** “4 s” since this was first rendered. */
const Elapsed = () => {
  const [begunMs] = useState(nowMs);
  return useClock((now) => formatDuration(Math.max(0, now - begunMs)));
};

type StepListProps = {
  /** All steps in order, including those that were not reached. */
  names: readonly StepName[];
  done: readonly PipelineTestStep[];
  /** The step that runs. */
  current?: StepName | undefined;
  /** Replaces the details of steps. */
  details?: Partial<Record<StepName, ReactNode>>;
  /** Whether what was tested has changed since. */
  isStale?: boolean;
  /** The detail of a step that has not begun. */
  waiting: (name: StepName) => string;
};

const StepList = ({ names, done, current, details, isStale = false, waiting }: StepListProps) => {
  // A single step needs no name.
  const isOne = names.length === 1;
  return (
    <ol>
      {names.map((name) => {
        const step = done.find((one) => one.step === name);
        const isCurrent = step === undefined && name === current;
        const { words, tone } =
          step === undefined
            ? { words: isCurrent ? 'running' : 'not tested', tone: 'idle' as const }
            : outcomeOf(step);
        return (
          <li key={name} className="flex items-baseline gap-2.5 py-1">
            <Dot tone={isStale ? 'idle' : tone} className="-translate-y-px" />
            <span className="flex min-w-0 flex-1 flex-wrap gap-x-3">
              <span className={isOne ? 'sr-only' : 'w-22 shrink-0 font-medium'}>
                {stepNames[name]}
                <span className="sr-only">, {words}:</span>
              </span>
              <span className="min-w-48 flex-1 wrap-anywhere">
                {step === undefined ? (
                  <span className="text-muted">{isCurrent ? 'Running' : waiting(name)}</span>
                ) : (
                  (details?.[name] ?? step.detail)
                )}
              </span>
            </span>
            <span className="tabular shrink-0 text-sm text-muted">
              {step === undefined ? isCurrent && <Elapsed /> : `${formatCount(step.ms)} ms`}
            </span>
          </li>
        );
      })}
    </ol>
  );
};

type Props = {
  test: PipelineTest;
  steps: readonly StepName[];
  details?: StepListProps['details'];
  isStale?: boolean;
  /** Shown below the steps. */
  children?: ReactNode;
};

const toneClasses = {
  good: ['border-good bg-good-soft', 'text-good-text'],
  attention: ['border-attention bg-attention-soft', 'text-attention-text'],
  bad: ['border-bad bg-bad-soft', 'text-bad-text'],
  stale: ['border-hairline', 'text-muted'],
} as const;

/** The result of a test, step by step, announced to screen readers. */
export const TestOutcome = ({
  test: { ok, steps: done },
  steps,
  details,
  isStale = false,
  children,
}: Props) => {
  const failed = done.find((step) => !step.ok);
  const isPartial = done.some(hasRejections);
  const isUnmapped = ok && steps.includes('mapping') && !done.some(({ step }) => step === 'mapping');
  const tone = ok ? (isPartial ? 'attention' : 'good') : 'bad';
  const [boxClass, titleClass] = toneClasses[isStale ? 'stale' : tone];
  return (
    <div className={cx('flex flex-col gap-1 rounded-md border px-3 py-2.5', boxClass)}>
      <output className={cx('flex min-h-8 items-center font-medium', titleClass)}>
        {isStale && 'Before your changes: '}
        {failed === undefined
          ? isUnmapped
            ? 'Source and destination passed. Mapping not tested: no message received'
            : `Test passed${isPartial ? ', with rejected samples' : ''}`
          : steps.length === 1
            ? 'Test failed'
            : `${stepNames[failed.step]} test failed`}
        {failed !== undefined && <span className="sr-only">. {failed.detail}</span>}
      </output>
      <StepList
        names={steps}
        done={done}
        isStale={isStale}
        {...(details === undefined ? {} : { details })}
        waiting={(name) =>
          name === 'mapping' && isUnmapped
            ? 'Not tested. Preview shows how a message is mapped.'
            : 'Not tested'
        }
      />
      {children}
    </div>
  );
};

type TestProgressProps = {
  /** What is being tested: “Connecting to the destination”. */
  children: string;
  /** The steps, if the service reports them while they run. */
  steps?: Pick<StepListProps, 'names' | 'done' | 'current'>;
  /** The longest duration, in seconds. */
  maxSeconds: number;
  onCancel: () => void;
};

/** A running test: what is tested, for how long, and a button that stops it. In the layout of its outcome. */
export const TestProgress = ({ children, steps, maxSeconds, onCancel }: TestProgressProps) => (
  <div className="flex flex-col gap-1 rounded-md border border-hairline px-3 py-2.5">
    <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      <Spinner />
      <output className="min-w-48 flex-1">{children}</output>
      <span aria-hidden className="tabular text-sm text-muted">
        <Elapsed /> of up to {maxSeconds} s
      </span>
      <Button variant="quiet" className="ml-auto" onClick={onCancel}>
        Stop
      </Button>
    </div>
    {steps !== undefined && <StepList {...steps} waiting={() => 'Waiting'} />}
  </div>
);
