import { useSyncExternalStore } from 'react';

/** Whether a media query matches; renders when that changes. */
export const useMediaQuery = (query: string): boolean =>
  useSyncExternalStore(
    (listener) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );

/** The breakpoint of the phone layout; `md` in styles.css. */
export const useIsNarrow = (): boolean => useMediaQuery('(width < 48rem)');
