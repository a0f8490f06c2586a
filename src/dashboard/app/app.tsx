import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, useEffect, useState } from 'react';
import { RouterProvider, type RouterProviderProps } from 'react-router-dom';
import { queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { Optional } from '../ui/browser/optional.tsx';
import { StrictStyles } from '../ui/browser/strict-styles.tsx';

const HintLayer = lazy(async () => ({ default: (await import('../ui/overlays/hint-layer.tsx')).HintLayer }));
const ToastViewport = lazy(async () => ({
  default: (await import('../ui/feedback/toast-viewport.tsx')).ToastViewport,
}));

/** Hints and toasts load after the first page. Earlier toasts are queued. */
const EXTRAS_AFTER_MS = 1_000;

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
    const timer = setTimeout(() => {
      setIsPainted(true);
      void preloadOverlays();
    }, EXTRAS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <StrictStyles>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
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
