import { use, useTransition, type ComponentType } from 'react';

/** How a part whose code did not load is loaded again. */
export type LoadRetry = {
  isRetrying: boolean;
  onRetry: () => void;
  /** Forgets the failure, so that the next render loads again. */
  onForget: () => void;
};

/**
 * A component whose code loads when it is first rendered, within a `Suspense`. React's `lazy` keeps a failed load and
 * the error replaces the page. `lazyPart` renders `Failed` instead, which can load again.
 */
export const lazyPart = <P extends object>(
  loadPart: () => Promise<ComponentType<P>>,
  Failed: ComponentType<P & LoadRetry>,
): ComponentType<P> => {
  // Outside React: a component that waits before its first render has no state.
  let attempt: Promise<ComponentType<P> | null> | undefined;
  let hasFailed = false;
  const load = () =>
    loadPart().catch(() => {
      hasFailed = true;
      return null;
    });
  const forget = () => {
    if (!hasFailed) return;
    hasFailed = false;
    attempt = undefined;
  };
  /** Replaces the failed attempt at its end, so that the failure stays, with the focus, until then. */
  const reload = async () => {
    const next = load();
    hasFailed = (await next) === null;
    attempt = next;
  };
  return function LazyPart(props: P) {
    'use no memo';
    const [isRetrying, startRetry] = useTransition();
    const Part = use((attempt ??= load()));
    if (Part !== null) return <Part {...props} />;
    return <Failed {...props} isRetrying={isRetrying} onRetry={() => startRetry(reload)} onForget={forget} />;
  };
};
