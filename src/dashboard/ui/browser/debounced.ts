import { useEffect, useState } from 'react';

/** A value after it has not changed for `delayMs`. Objects are compared by content. */
export const useDebounced = <T>(value: T, delayMs: number): T => {
  const [rested, setRested] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(JSON.parse(key) as T), delayMs);
    return () => clearTimeout(timer);
  }, [key, delayMs]);
  return rested;
};
