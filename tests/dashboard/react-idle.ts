import { unstable_IdlePriority, unstable_scheduleCallback } from 'scheduler';

/** Resolves once React has rendered what it has scheduled, and has run the effects. */
export const reactIdle = (): Promise<void> =>
  new Promise((resolve) => {
    unstable_scheduleCallback(unstable_IdlePriority, () => resolve());
  });
