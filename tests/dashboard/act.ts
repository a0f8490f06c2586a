import React from 'react';
import { flushSync } from 'react-dom';

/**
 * Replaces the `act` that Testing Library calls for each render and event. As in a browser, React renders the change of an event
 * at once, and other changes in tasks of their own, which `setup.ts` waits for. React's own `act` never renders again if a part
 * whose code loads suspends a transition within it, and is missing in its production build.
 */
const act = <T>(callback: () => T): T => {
  const result = flushSync(callback);
  // What the effects of the change have changed.
  flushSync(() => undefined);
  return result;
};

Object.assign(React, { act });
// Testing Library sets it, and the development build of React would warn about each change that a test waits for.
Object.defineProperty(globalThis, 'IS_REACT_ACT_ENVIRONMENT', {
  configurable: true,
  get: () => false,
  set: () => undefined,
});
