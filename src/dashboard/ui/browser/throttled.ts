import { useEffect, useRef, useState } from 'react';

const EVERY_MS = 500;

/** A count that may grow hundreds of times a second, updated at most twice a second. */
export const useThrottled = (value: number): number => {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = value;
    if (value === shown || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, EVERY_MS);
  }, [value, shown]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return shown;
};
