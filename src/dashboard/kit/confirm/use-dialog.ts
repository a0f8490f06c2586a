import { useState } from 'react';

/** What a dialog about one thing takes of the page that opens it. */
export type DialogState = { isOpen: boolean; onClose: () => void; onClosed: () => void };

/** A dialog about one thing. It stays while it closes, and is dropped with all that it held once it has gone. */
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
