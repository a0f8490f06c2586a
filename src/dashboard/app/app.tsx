import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, useEffect } from 'react';
import { RouterProvider, type RouterProviderProps } from 'react-router-dom';
import { loadWithRetry } from '../api/live/use-live.ts';
import { queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { useWasIdle } from '../api/was-idle.ts';
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
  // Earlier toasts are queued.
  const wasIdle = useWasIdle();
  useEffect(() => {
    if (wasIdle) void preloadOverlays();
  }, [wasIdle]);
  return (
    <StrictStyles>
      <QueryClientProvider client={queryClient}>
        <RouterContext value={router}>
          <RouterProvider router={router} />
        </RouterContext>
        {wasIdle && (
          <Optional>
            <HintLayer />
            {status !== 'signed-out' && <ToastViewport />}
          </Optional>
        )}
      </QueryClientProvider>
    </StrictStyles>
  );
};
