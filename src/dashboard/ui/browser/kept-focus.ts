import { useEffect, useRef, type RefObject } from 'react';
import { keepFocusOnPage } from './focus-fallback.ts';

type Region = RefObject<HTMLElement | null>;

const focusOrPage = (control: HTMLElement | null | undefined) => {
  if (control == null) keepFocusOnPage();
  else control.focus({ preventScroll: true });
};

/** If the focused button has disappeared with the old content, the first button gets the focus, or the page. */
export const useKeptFocus = (region: Region, content: string) => {
  const shown = useRef(content);
  useEffect(() => {
    if (shown.current === content) return;
    shown.current = content;
    if (document.activeElement === document.body) focusOrPage(region.current?.querySelector('button'));
  }, [region, content]);
};

/**
 * If the focused control has disappeared with its item, the control in its place gets the focus, or the page.
 * `selector`: the controls that get it.
 */
export const useKeptPlace = (region: Region, items: string, selector = 'button, input') => {
  const place = useRef(-1);
  const shown = useRef(items);
  useEffect(() => {
    const record = ({ target }: FocusEvent) => {
      place.current = controlsOf(region, selector).findIndex((control) => control === target);
    };
    document.addEventListener('focusin', record);
    return () => {
      document.removeEventListener('focusin', record);
      if (place.current !== -1) keepFocusOnPage();
    };
  }, [region, selector]);
  useEffect(() => {
    if (shown.current === items) return;
    shown.current = items;
    if (place.current === -1 || document.activeElement !== document.body) return;
    const controls = controlsOf(region, selector);
    focusOrPage(controls[Math.min(place.current, controls.length - 1)]);
  }, [region, items, selector]);
};

const controlsOf = (region: Region, selector: string): HTMLElement[] => [
  ...(region.current?.querySelectorAll<HTMLElement>(selector) ?? []),
];
