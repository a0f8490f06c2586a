import { Suspense, useRef } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import { useDialog } from '../../kit/confirm/use-dialog.ts';
import type { ReplayTarget } from '../../resources/pipelines/replay-choice.ts';
import { useFocusAfterControlRemoval } from '../../ui/browser/focus-fallback.ts';
import { Button, type ButtonVariant } from '../../ui/controls/button.tsx';
import { lazyDialog } from '../../ui/overlays/lazy-popup.tsx';

const ReplayDialog = lazyDialog(async () => (await import('./replay-dialog.tsx')).ReplayDialog);

type Props = {
  pipeline: Pick<Pipeline, 'id' | 'destination'>;
  target: ReplayTarget;
  variant?: ButtonVariant;
  children: string;
};

/** Opens a replay, which shows a preview first. */
export const ReplayButton = ({ children, variant = 'secondary', ...replay }: Props) => {
  const { subject, open, state } = useDialog<true>();
  const button = useRef<HTMLButtonElement>(null);
  // After a replay, the dialog returns the focus to a button whose messages may disappear next.
  useFocusAfterControlRemoval(button);
  return (
    <>
      <Button ref={button} variant={variant} onClick={() => open(true)}>
        {children}
      </Button>
      {subject !== null && (
        <Suspense>
          <ReplayDialog {...replay} state={state} />
        </Suspense>
      )}
    </>
  );
};
