import type { ReactNode } from 'react';

/** A text whose meaning is told on hover, focus and tap. On anything else, set `data-hint` itself. */
export const Tooltip = ({ hint, children }: { hint: string; children: ReactNode }) => (
  // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the hint must be reachable by keyboard
  <span tabIndex={0} data-hint={hint} className="rounded-sm underline decoration-dotted underline-offset-3">
    {children}
  </span>
);
