import { useSyncExternalStore } from 'react';

const subscribe = (listener: () => void) => {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
};

/** The height of the window in CSS pixels; renders when that changes. */
export const useWindowHeight = (): number => useSyncExternalStore(subscribe, () => window.innerHeight);
