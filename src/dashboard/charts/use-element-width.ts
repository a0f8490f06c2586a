import { useLayoutEffect, useState } from 'react';

/** The element's width in whole CSS pixels, as it changes; 0 before it is known. */
export function useElementWidth(element: Element | null): number {
  const [width, setWidth] = useState(0);

  useLayoutEffect(() => {
    if (element === null) return undefined;
    // The observer calls back before the first paint.
    const observer = new ResizeObserver((entries) => {
      const last = entries.at(-1);
      if (last !== undefined) setWidth(Math.floor(last.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);

  return width;
}
