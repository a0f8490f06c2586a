import { useDebounced } from '../browser/debounced.ts';

/** Most queries are answered sooner: to dim their old content would only delay the new one. */
const DIM_AFTER_MS = 300;

/** Dims content that has belonged to the previous query for so long that this should be visible. */
export const useStaleClass = (isStale: boolean): string | false =>
  useDebounced(isStale, DIM_AFTER_MS) && isStale && 'opacity-60';
