import { Suspense, useState } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
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
  const [dialog, setDialog] = useState<'open' | 'closing' | null>(null);
  return (
    <>
      <Button variant={variant} onClick={() => setDialog('open')}>
        {children}
      </Button>
      {dialog !== null && (
        <Suspense>
          <ReplayDialog
            {...replay}
            state={{
              isOpen: dialog === 'open',
              onClose: () => setDialog('closing'),
              onClosed: () => setDialog(null),
            }}
          />
        </Suspense>
      )}
    </>
  );
};
