import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';

type Props = {
  children: ReactNode;
  isBusy: boolean;
  /** Why another one could not be made. */
  error: string | null;
  onRemake: () => void;
};

/** What it belongs to was made, but the answer that held the secret never came: nobody has it, and another one is needed. */
export const LostSecret = ({ children, isBusy, error, onRemake }: Props) => (
  <div className="flex flex-col gap-4">
    <FormNotice
      tone="attention"
      action={
        <Button look="primary" busy={isBusy} onClick={onRemake}>
          Make a new secret
        </Button>
      }
    >
      {children}
    </FormNotice>
    {error !== null && <FormNotice tone="bad">{error}</FormNotice>}
  </div>
);
