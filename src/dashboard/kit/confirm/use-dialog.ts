import { useState } from 'react';
import type { DialogState } from '../../ui/overlays/dialog.tsx';

/** Keeps the subject of a dialog while the dialog closes, and then drops it. */
export const useDialog = <T>() => {
  const [shown, setShown] = useState<{ subject: T; isOpen: boolean } | null>(null);
  const state: DialogState = {
    isOpen: shown?.isOpen === true,
    onClose: () => setShown((current) => current && { ...current, isOpen: false }),
    onClosed: () => setShown(null),
  };
  return {
    subject: shown?.subject ?? null,
    open: (subject: T) => setShown({ subject, isOpen: true }),
    state,
  };
};
