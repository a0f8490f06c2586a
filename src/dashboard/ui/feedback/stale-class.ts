import { useDebounced } from '../browser/debounced.ts';

/** Most queries take less time than this, and need no dimming. */
const DIM_AFTER_MS = 300;

/** The class of content that belongs to the previous query: dimmed after a while. */
export const useStaleClass = (isStale: boolean): string | false =>
  useDebounced(isStale, DIM_AFTER_MS) && isStale && 'opacity-60';
