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

/** Keeps the focus on the page if a control disappears while it has the focus, or contains it. */
export const useFocusAfterControlRemoval = (control: RefObject<HTMLElement | null>) =>
  useLayoutEffect(() => {
    const { current } = control;
    // React runs this before it removes the element.
    return () => {
      if (current?.contains(document.activeElement) === true) keepFocusOnPage();
    };
  }, [control]);
