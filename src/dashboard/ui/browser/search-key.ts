import { useEffect, useEffectEvent } from 'react';

const EVENT = 'penstock:search';

/** Asks the page to focus its search. */
export const focusSearch = () => document.dispatchEvent(new Event(EVENT));

/** Calls back when the search of the page should have the focus. */
export const useSearchKey = (focus: () => void) => {
  const onSearch = useEffectEvent(focus);
  useEffect(() => {
    const listener = () => onSearch();
    document.addEventListener(EVENT, listener);
    return () => document.removeEventListener(EVENT, listener);
  }, []);
};
