import type { MouseEvent } from 'react';
import { useNavigate } from 'react-router-dom';
import { discardOf, useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';

/** The link opens in another tab or window, or is downloaded: the form stays. */
const opensElsewhere = ({ button, altKey, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean =>
  button !== 0 || altKey || ctrlKey || metaKey || shiftKey;

type Options = {
  to: string;
  hasChanges: () => boolean;
  /** Called before the page changes. */
  onLeave: () => void;
};

/** A link that leaves a form, and asks first if changes would be lost. `dialog` belongs outside of the form element. */
export const useLeaveForm = ({ to, hasChanges, onLeave }: Options) => {
  const navigate = useNavigate();
  const { confirm, dialog } = useConfirm();
  const link = (
    <LinkButton
      variant="quiet"
      to={to}
      onClick={(event) => {
        if (opensElsewhere(event)) return;
        if (!hasChanges()) return onLeave();
        event.preventDefault();
        confirm(
          discardOf(() => {
            onLeave();
            void navigate(to);
          }),
        );
      }}
    >
      Cancel
    </LinkButton>
  );
  return { link, dialog };
};
