import { Suspense } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import { useDialog } from '../../kit/confirm/use-dialog.ts';
import type { ReplayTarget } from '../../resources/pipelines/replay-choice.ts';
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
  return (
    <>
      <Button variant={variant} onClick={() => open(true)}>
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
