import type { CSSProperties, ReactNode } from 'react';

/** A part of the page that scrolls inside; focusable for that. */
export const ScrollRegion = ({
  label,
  className,
  style,
  children,
}: {
  label: string;
  className: string;
  style?: CSSProperties;
  children: ReactNode;
}) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable
  <section tabIndex={0} aria-label={label} className={className} style={style}>
    {children}
  </section>
);
