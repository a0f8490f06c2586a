import type { ComponentProps, ReactNode } from 'react';
import { cx } from '../browser/cx.ts';

type Props = Omit<ComponentProps<'button'>, 'children'> & {
  label: string;
  icon: ReactNode;
  shortcut?: string;
};

/** A button that shows an icon alone; its label is its name and its hint. */
export const IconButton = ({ label, icon, shortcut, className, ...props }: Props) => (
  <button
    type="button"
    aria-label={label}
    data-hint={shortcut === undefined ? label : `${label} (${shortcut})`}
    {...props}
    className={cx(
      'inline-flex size-(--control-height) shrink-0 items-center justify-center rounded-md text-muted',
      'hover:bg-hover hover:text-ink disabled:opacity-55 aria-expanded:bg-hover aria-expanded:text-ink [&_svg]:size-4',
      className,
    )}
  >
    {icon}
  </button>
);
