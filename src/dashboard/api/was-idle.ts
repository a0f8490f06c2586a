import { useEffect, useState } from 'react';
import { queryClient } from './query-client.ts';

/** The shortest time after which parts load that the first content does not need. */
const AFTER_MS = 1_000;
/** How often the page is asked whether it still awaits a response. */
const CHECK_MS = 100;
/** The longest wait for responses, and then for a moment in which the browser is idle. */
const WITHIN_MS = 5_000;

/** True once the first content of a component has probably been painted. Parts that it does not need load then. */
export const useWasIdle = (): boolean => {
  const [wasIdle, setWasIdle] = useState(false);
  useEffect(() => {
    const latest = performance.now() + WITHIN_MS;
    let timer: ReturnType<typeof setTimeout>;
    const wait = (ms: number) => {
      timer = setTimeout(() => {
        if (queryClient.isFetching() > 0 && performance.now() < latest) wait(CHECK_MS);
        // Safari has no requestIdleCallback.
        else
          (globalThis.requestIdleCallback ?? queueMicrotask)(() => setWasIdle(true), { timeout: WITHIN_MS });
      }, ms);
    };
    wait(AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return wasIdle;
};
