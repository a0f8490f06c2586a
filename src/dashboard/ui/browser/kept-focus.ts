import { useEffect, useRef, type RefObject } from 'react';
import { keepFocusOnPage } from './focus-fallback.ts';

/** If the focused button has disappeared with the old content, the first button gets the focus, or the page. */
export const useKeptFocus = (region: RefObject<HTMLElement | null>, content: string) => {
  const shown = useRef(content);
  useEffect(() => {
    if (shown.current === content) return;
    shown.current = content;
    if (document.activeElement !== document.body) return;
    const button = region.current?.querySelector('button');
    if (button == null) keepFocusOnPage();
    else button.focus({ preventScroll: true });
  }, [region, content]);
};
