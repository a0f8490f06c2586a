import { useRef } from 'react';
import { useTestDestination } from '../../resources/destinations/destination-queries.ts';

/** Tries one destination at a time; what was stopped tells nothing any more. */
export const useDestinationTest = () => {
  const { mutate, reset, variables, data, error, isPending } = useTestDestination();
  const under = useRef<AbortController>(undefined);
  const stop = () => {
    under.current?.abort();
    reset();
  };
  return {
    /** Which one this is about. */
    testedId: variables?.id ?? null,
    isPending,
    data,
    error,
    start: (id: string) => {
      stop();
      under.current = new AbortController();
      mutate({ id, signal: under.current.signal });
    },
    stop,
  };
};
export type DestinationTest = ReturnType<typeof useDestinationTest>;
