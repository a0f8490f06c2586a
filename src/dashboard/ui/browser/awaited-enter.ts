import { useEffect, useEffectEvent, useRef } from 'react';

type Search = {
  text: string;
  /** Whether results for the text are still to come. */
  isSearching: boolean;
  act: () => void;
};

/**
 * Enter acts on the results of the typed text. While these are to come it waits for them, unless the text changes or
 * the wait is cancelled.
 */
export const useAwaitedEnter = ({ text, isSearching, act }: Search) => {
  // Its memoised form is larger, and its users render with each typed character anyway.
  'use no memo';
  /** The text for which Enter waits. */
  const entered = useRef<string>(undefined);
  const actIfAwaited = useEffectEvent((searched: string) => {
    const isAwaited = entered.current === searched;
    entered.current = undefined;
    if (isAwaited) act();
  });
  useEffect(() => {
    if (!isSearching) actIfAwaited(text);
  }, [text, isSearching]);
  return {
    enter: () => {
      if (isSearching) entered.current = text;
      else act();
    },
    /** Enter was pressed for a text that is about to be the typed one. */
    enterFor: (next: string) => {
      entered.current = next;
    },
    cancel: () => {
      entered.current = undefined;
    },
  };
};
