import { useEffect, useState } from 'react';

/** Whether the element can be seen: scrolled into view, in a tab that is not hidden. */
export function useOnScreen(element: Element | null): boolean {
  const [isInView, setIsInView] = useState(false);
  const [isShown, setIsShown] = useState(!document.hidden);

  useEffect(() => {
    if (element === null) return undefined;
    // Drawn a little before it scrolls in.
    const observer = new IntersectionObserver(
      (entries) => setIsInView(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: '100px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);

  useEffect(() => {
    const update = () => setIsShown(!document.hidden);
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);

  return isInView && isShown;
}
