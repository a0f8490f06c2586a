import { useLayoutEffect, useState } from 'react';

/** The element's width in whole CSS pixels, as it changes; 0 before it is known. */
export const useElementWidth = (element: Element | null): number => useElementLength(element, 'width');

/** Like `useElementWidth`, for the height. */
export const useElementHeight = (element: Element | null): number => useElementLength(element, 'height');

function useElementLength(element: Element | null, side: 'width' | 'height'): number {
  const [length, setLength] = useState(0);

  useLayoutEffect(() => {
    if (element === null) return undefined;
    // The observer calls back before the first paint.
    const observer = new ResizeObserver((entries) => {
      const last = entries.at(-1);
      if (last !== undefined) setLength(Math.floor(last.contentRect[side]));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element, side]);

  return length;
}
