import type { ReactNode } from 'react';
import { cx } from '../../ui/browser/cx.ts';
import { plural } from '../../ui/format/format-number.ts';
import { formSteps, stepNames, type FormProblem, type FormStep } from './form-steps.ts';

type Props = { current: FormStep; problems: readonly FormProblem[]; onChoose: (step: FormStep) => void };

/** The steps of the form. Any step can be opened at any time. A step with problems shows how many. */
export const StepList = ({ current, problems, onChoose }: Props) => (
  <nav aria-label="Steps">
    <ol className="flex border-b border-hairline">
      {formSteps.map((step, index) => {
        const count = problems.filter((problem) => problem.step === step).length;
        return (
          <li key={step} className="min-w-0 flex-1 md:flex-none">
            <button
              type="button"
              aria-current={step === current ? 'step' : undefined}
              onClick={() => onChoose(step)}
              className={cx(
                'flex min-h-10 w-full tab-underline flex-col items-center justify-center px-1 pb-0.5 text-muted hover:text-ink',
                'max-md:text-sm md:w-auto md:flex-row md:gap-2 md:px-4 touch:min-h-11',
                'aria-[current=step]:font-medium aria-[current=step]:text-ink',
              )}
            >
              <span>
                <span aria-hidden className="tabular mr-1.5 text-faint max-md:hidden">
                  {index + 1}
                </span>
                {stepNames[step]}
              </span>{' '}
              {count > 0 && (
                <span className="text-sm font-normal text-bad-text">{plural(count, 'error')}</span>
              )}
            </button>
          </li>
        );
      })}
    </ol>
  </nav>
);

type StepProps = { name: FormStep; current: FormStep; children: ReactNode };

/** A step. It stays mounted while another is shown, so that inputs keep what was typed and their undo history. */
export const Step = ({ name, current, children }: StepProps) => (
  <section
    aria-label={stepNames[name]}
    hidden={name !== current}
    data-step={name}
    tabIndex={-1}
    className="outline-none"
  >
    {children}
  </section>
);
