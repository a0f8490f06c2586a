import { useEffect, useState } from 'react';

/** A value as it was once it had rested for `delayMs`. Objects count as changed by what they hold. */
export const useDebounced = <T>(value: T, delayMs: number): T => {
  const [rested, setRested] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(JSON.parse(key) as T), delayMs);
    return () => clearTimeout(timer);
  }, [key, delayMs]);
  return rested;
};
