import { useSyncExternalStore } from 'react';

/** Whether a media query holds; renders again when that changes. */
export const useMediaQuery = (query: string): boolean =>
  useSyncExternalStore(
    (listener) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );

/** Below this the layout is a phone's. As `md` in styles.css. */
export const useIsNarrow = (): boolean => useMediaQuery('(width < 48rem)');
