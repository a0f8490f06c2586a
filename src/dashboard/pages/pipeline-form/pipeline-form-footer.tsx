import { ChevronLeft } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { bottomBarRef } from '../../ui/browser/document-mark.ts';
import { formSteps, stepNames, type FormStep } from './form-steps.ts';

type Props = {
  step: FormStep;
  onBack: (step: FormStep) => void;
  onNext: (step: FormStep) => void;
  /** The buttons that save; `false` until the last step. */
  save: ReactElement | false;
  test: ReactNode;
  /** The link that leaves the form. */
  leave: ReactNode;
};

/**
 * Moves between the steps, saves, tests and leaves. Always visible on large screens. Saving is apart from Next, whose place a
 * second click may still hit.
 */
export const PipelineFormFooter = ({ step, onBack, onNext, save, test, leave }: Props) => {
  const at = formSteps.indexOf(step);
  const before = formSteps[at - 1];
  const next = formSteps[at + 1];
  return (
    <div
      ref={bottomBarRef}
      className="sticky bottom-0 -mx-4 mt-auto flex flex-wrap gap-2 border-t border-hairline bg-canvas px-4 py-3 max-md:static lg:-mx-6 lg:-mb-5 lg:px-6"
    >
      {/* Always there, so that each button keeps its place from step to step. */}
      <Button
        icon={<ChevronLeft aria-hidden className="size-4" />}
        aria-label={before === undefined ? 'Back' : `Back to ${stepNames[before].toLowerCase()}`}
        disabled={before === undefined}
        onClick={() => before !== undefined && onBack(before)}
      >
        Back
      </Button>
      {next !== undefined && (
        <Button
          type={save === false ? 'submit' : 'button'}
          variant={save === false ? 'primary' : 'secondary'}
          onClick={save === false ? undefined : () => onNext(next)}
        >
          Next: {stepNames[next].toLowerCase()}
        </Button>
      )}
      <span className="flex-1 max-md:hidden" />
      {test}
      {leave}
      {save}
    </div>
  );
};

type SaveProps = { isNew: boolean; replays: boolean; isBusy: boolean; onSaveOnly: () => void };

/** Submits the form. A form that replays after saving can also be saved without a replay. */
export const SaveButtons = ({ isNew, replays, isBusy, onSaveOnly }: SaveProps) => (
  <>
    {replays && (
      <Button busy={isBusy} onClick={onSaveOnly}>
        Save
      </Button>
    )}
    <Button type="submit" variant="primary" busy={isBusy}>
      {isNew ? 'Create pipeline' : replays ? 'Save and replay' : 'Save'}
    </Button>
  </>
);
