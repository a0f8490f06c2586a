import { startTransition, use, useState, type ComponentType } from 'react';

/** How a part whose code did not load is loaded again. */
export type LoadRetry = {
  onRetry: () => void;
  /** Forgets the failure, so that the next render loads again. */
  onForget: () => void;
};

/**
 * A component whose code loads when it is first rendered, within a `Suspense`. `lazy` of React fails for good and takes
 * the whole page with it: this renders `Failed` in its place, which can load again.
 */
export const lazyPart = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  Failed: ComponentType<P & LoadRetry>,
): ComponentType<P> => {
  let attempt: Promise<ComponentType<P> | null> | undefined;
  const loaded = () => (attempt ??= load().catch(() => null));
  const forget = () => {
    attempt = undefined;
  };
  return function LazyPart(props: P) {
    // The attempt is outside React: a component that waits before its first render has no state.
    'use no memo';
    const [, renderAgain] = useState(0);
    const Part = use(loaded());
    if (Part !== null) return <Part {...props} />;
    const retry = () => {
      forget();
      // The failure stays, with the focus, until the code has loaded.
      startTransition(() => renderAgain((count) => count + 1));
    };
    return <Failed {...props} onRetry={retry} onForget={forget} />;
  };
};
