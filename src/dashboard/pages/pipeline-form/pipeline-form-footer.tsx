import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { formSteps, stepNames, type FormStep } from './form-steps.ts';

type Props = {
  step: FormStep;
  onBack: (step: FormStep) => void;
  onNext: (step: FormStep) => void;
  /** The buttons that save; null until the last step. */
  save: ReactNode;
  test: ReactNode;
  /** The link that leaves the form. */
  leave: ReactNode;
};

/** Moves between the steps, saves, tests and leaves. Always visible on large screens. */
export const PipelineFormFooter = ({ step, onBack, onNext, save, test, leave }: Props) => {
  const at = formSteps.indexOf(step);
  const before = formSteps[at - 1];
  const next = formSteps[at + 1];
  return (
    <div className="sticky bottom-0 -mx-4 mt-auto flex flex-wrap gap-2 border-t border-hairline bg-canvas px-4 py-3 max-md:static lg:-mx-6 lg:-mb-5 lg:px-6">
      {before !== undefined && (
        <Button
          icon={<ChevronLeft aria-hidden className="size-4" />}
          aria-label={`Back to ${stepNames[before].toLowerCase()}`}
          onClick={() => onBack(before)}
        >
          Back
        </Button>
      )}
      {next !== undefined && (
        <Button
          type={save === null ? 'submit' : 'button'}
          variant={save === null ? 'primary' : 'secondary'}
          onClick={save === null ? undefined : () => onNext(next)}
        >
          Next: {stepNames[next].toLowerCase()}
        </Button>
      )}
      {save}
      <span className="flex-1 max-md:hidden" />
      {test}
      {leave}
    </div>
  );
};
