import { useLayoutEffect, type RefObject } from 'react';

/** Focuses the current row of the page's table, or its heading, if the focused element has disappeared. */
export const keepFocusOnPage = () => {
  // After the kit has tried to return the focus.
  requestAnimationFrame(() => {
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    const page = document.querySelector('main');
    const next =
      page?.querySelector<HTMLElement>('[data-row-link][tabindex="0"], [data-row-toggle][tabindex="0"]') ??
      page?.querySelector<HTMLElement>('h1[tabindex]') ??
      page;
    next?.focus({ preventScroll: true });
  });
};

const CONTROL = ':is(input, select, textarea, button):not(:disabled, [aria-label="Close"])';

/**
 * Focuses the first control of a dialog or popover, except Close, after its content has replaced the focused button. The control
 * may come later, and the kit may focus the dialog itself: until the user does something, the focus goes from there to the control.
 */
const focusWithin = (dialog: Element) => {
  const focus = () => {
    if (document.activeElement === document.body || document.activeElement === dialog)
      dialog.querySelector<HTMLElement>(CONTROL)?.focus({ preventScroll: true });
  };
  const added = new MutationObserver(focus);
  added.observe(dialog, { childList: true, subtree: true });
  dialog.addEventListener('focus', focus);
  const stop = () => {
    added.disconnect();
    dialog.removeEventListener('focus', focus);
  };
  for (const act of ['keydown', 'pointerdown'])
    document.addEventListener(act, stop, { once: true, capture: true });
  focus();
};

/** If a control disappears while it has the focus, or contains it, keeps the focus in its dialog or on the page. */
export const useFocusAfterControlRemoval = (control: RefObject<HTMLElement | null>) =>
  useLayoutEffect(() => {
    const { current } = control;
    const dialog = current?.closest('[role="dialog"]');
    // React runs this before it removes the element.
    return () => {
      // Safari leaves the focus on the dialog when a button is clicked.
      const focused = document.activeElement;
      if (focused === null || !(focused === dialog || current?.contains(focused))) return;
      requestAnimationFrame(() => {
        if (dialog?.isConnected === true) focusWithin(dialog);
        else keepFocusOnPage();
      });
    };
  }, [control]);
