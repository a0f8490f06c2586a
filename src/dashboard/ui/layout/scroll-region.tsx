import type { ReactNode } from 'react';

/** A part of the page that scrolls inside; focusable for that. */
export const ScrollRegion = ({
  label,
  className,
  children,
}: {
  label: string;
  className: string;
  children: ReactNode;
}) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable
  <section tabIndex={0} aria-label={label} className={className}>
    {children}
  </section>
);
