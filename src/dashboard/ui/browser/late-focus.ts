import { useEffect, type RefObject } from 'react';

/**
 * Gives a field the focus where it comes into a dialog that is open already, what it waited for being there now.
 * (Where it is there from the start, the dialog's own `initialFocus` finds it.)
 */
export const useLateFocus = (field: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    const dialog = field.current?.closest('[role="dialog"]');
    if (dialog?.contains(document.activeElement) === true) field.current?.focus();
  }, [field]);
};
