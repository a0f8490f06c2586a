import { useEffect, useState } from 'react';

/** A value after it has not changed for `delayMs`. Objects are compared by content. */
export const useDebounced = <T>(value: T, delayMs: number): T => {
  const [rested, setRested] = useState(value);
  // Undefined has no JSON.
  const key = JSON.stringify(value) as string | undefined;
  useEffect(() => {
    const timer = setTimeout(
      () => setRested((key === undefined ? undefined : JSON.parse(key)) as T),
      delayMs,
    );
    return () => clearTimeout(timer);
  }, [key, delayMs]);
  return rested;
};
