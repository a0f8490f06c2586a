import { Link as RouterLink, type LinkProps } from 'react-router-dom';
import { buttonClass, type ButtonVariant } from './button.tsx';
import { cx } from '../browser/cx.ts';
import type { ReactNode } from 'react';

/** For what looks like a link in running text but leads out of the dashboard, or does something. */
export const linkClass =
  'rounded-sm text-accent underline decoration-current/30 underline-offset-2 hover:decoration-current';

/** A link in running text. */
export const Link = ({ className, ...props }: LinkProps) => (
  <RouterLink {...props} className={cx(linkClass, className)} />
);

/** A link that looks like a button: it goes somewhere, where a button does something. */
export const LinkButton = ({
  variant,
  icon,
  className,
  children,
  ...props
}: LinkProps & { variant?: ButtonVariant; icon?: ReactNode }) => (
  <RouterLink {...props} className={buttonClass(variant, className)}>
    {icon}
    {children}
  </RouterLink>
);
