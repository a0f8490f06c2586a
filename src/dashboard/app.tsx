import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { RouterProvider } from 'react-router-dom';
import { queryClient } from './api/query-client.ts';
import { useSession } from './api/session.ts';
import type { createAppRouter } from './routes.tsx';
import { HintLayer } from './ui/hint-layer.tsx';

const ToastViewport = lazy(async () => ({
  default: (await import('./ui/toast-viewport.tsx')).ToastViewport,
}));

/** The kit's code for toasts comes after the first page is there; what is said before then waits. */
const TOASTS_AFTER_MS = 1_500;

export const App = ({ router }: { router: ReturnType<typeof createAppRouter> }) => {
  // A screen reader announces what comes into a live region that was there before, so it comes before it is needed.
  const { status } = useSession();
  const [hasToasts, setHasToasts] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setHasToasts(true), TOASTS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <HintLayer />
        {hasToasts && status !== 'signed-out' && (
          <Suspense>
            <ToastViewport />
          </Suspense>
        )}
      </QueryClientProvider>
    </CSPProvider>
  );
};
