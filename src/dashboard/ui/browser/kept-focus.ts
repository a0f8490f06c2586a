import { useEffect, useRef, type RefObject } from 'react';
import { keepFocusOnPage } from './focus-fallback.ts';

type Region = RefObject<HTMLElement | null>;

/**
 * If the focused control has disappeared with its item, the control in its place gets the focus, or the page.
 * `items`: changes when controls may disappear. `selector`: the controls that get the focus.
 */
export const useKeptFocus = (region: Region, items: string, selector = 'button, input') => {
  const place = useRef(-1);
  const shown = useRef(items);
  useEffect(() => {
    const record = ({ target }: FocusEvent) => {
      place.current = controlsOf(region, selector).findIndex((control) => control === target);
    };
    // A click on the page takes the focus from a control, which then has no place to keep.
    const forget = ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        const isLeft =
          target instanceof Node && target.isConnected && document.activeElement === document.body;
        if (isLeft) place.current = -1;
      });
    document.addEventListener('focusin', record);
    document.addEventListener('focusout', forget);
    return () => {
      document.removeEventListener('focusin', record);
      document.removeEventListener('focusout', forget);
      if (place.current !== -1) keepFocusOnPage();
    };
  }, [region, selector]);
  useEffect(() => {
    if (shown.current === items) return;
    shown.current = items;
    if (place.current === -1 || document.activeElement !== document.body) return;
    const controls = controlsOf(region, selector);
    const next = controls[Math.min(place.current, controls.length - 1)];
    if (next === undefined) keepFocusOnPage();
    else next.focus({ preventScroll: true });
  }, [region, items, selector]);
};

const controlsOf = (region: Region, selector: string): HTMLElement[] => [
  ...(region.current?.querySelectorAll<HTMLElement>(selector) ?? []),
];
