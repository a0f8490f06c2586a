import { useState } from 'react';

/** The state that a dialog gets from the component that opens it. */
export type DialogState = { isOpen: boolean; onClose: () => void; onClosed: () => void };

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
