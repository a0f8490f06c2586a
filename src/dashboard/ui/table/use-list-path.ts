import { useLocation } from 'react-router-dom';

/** The list that a row of it was opened from, as it was; without one, the whole list. */
export const useListPath = (path: string): string => {
  const state: unknown = useLocation().state;
  const list = typeof state === 'object' && state !== null && 'list' in state ? state.list : undefined;
  return typeof list === 'string' && list.split('?')[0] === path ? list : path;
};
