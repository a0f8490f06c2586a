import type { RefCallback, RefObject } from 'react';

/** One ref for several that want the same element, as a form and the drawer that gives it the focus do. */
export const mergeRefs =
  <T>(...refs: readonly (RefCallback<T> | RefObject<T | null>)[]): RefCallback<T> =>
  (element) => {
    for (const ref of refs) {
      if (typeof ref === 'function') ref(element);
      else ref.current = element;
    }
  };
