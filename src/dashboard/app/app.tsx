import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, useEffect, useState } from 'react';
import { RouterProvider, type RouterProviderProps } from 'react-router-dom';
import { loadWithRetry } from '../api/live/use-live.ts';
import { queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { Optional } from '../ui/browser/optional.tsx';
import { RouterContext } from '../ui/browser/query-params.ts';
import { StrictStyles } from '../ui/browser/strict-styles.tsx';

const HintLayer = lazy(() =>
  loadWithRetry(async () => ({ default: (await import('../ui/overlays/hint-layer.tsx')).HintLayer })),
);
const ToastViewport = lazy(() =>
  loadWithRetry(async () => ({
    default: (await import('../ui/feedback/toast-viewport.tsx')).ToastViewport,
  })),
);

/** Hints and toasts load after the first page. Earlier toasts are queued. */
const EXTRAS_AFTER_MS = 1_000;
/** On a slow computer, the first page may not be painted by then, so the browser chooses the moment, at most this late. */
const EXTRAS_WITHIN_MS = 5_000;

/** Runs work when the browser is idle. Returns a function that cancels it. */
const runWhenIdle = (work: () => void): (() => void) => {
  // Safari does not have it.
  if (!('requestIdleCallback' in globalThis)) {
    work();
    return () => undefined;
  }
  const handle = requestIdleCallback(work, { timeout: EXTRAS_WITHIN_MS });
  return () => cancelIdleCallback(handle);
};

/** Preloads overlays, so that they open immediately and also while the service is unreachable. */
const preloadOverlays = () =>
  Promise.allSettled([
    import('../ui/overlays/menu-popup.tsx'),
    import('./sign-in-again.tsx'),
    import('./command-palette.tsx'),
  ]);

export const App = ({ router }: Pick<RouterProviderProps, 'router'>) => {
  // A screen reader announces changes only in a live region that exists already, so the region is created early.
  const { status } = useSession();
  const [isPainted, setIsPainted] = useState(false);
  useEffect(() => {
    let cancel = () => undefined as void;
    const timer = setTimeout(() => {
      cancel = runWhenIdle(() => {
        setIsPainted(true);
        void preloadOverlays();
      });
    }, EXTRAS_AFTER_MS);
    return () => {
      clearTimeout(timer);
      cancel();
    };
  }, []);
  return (
    <StrictStyles>
      <QueryClientProvider client={queryClient}>
        <RouterContext value={router}>
          <RouterProvider router={router} />
        </RouterContext>
        {isPainted && (
          <Optional>
            <HintLayer />
            {status !== 'signed-out' && <ToastViewport />}
          </Optional>
        )}
      </QueryClientProvider>
    </StrictStyles>
  );
};
