import { useContext, type ComponentProps, type ReactNode } from 'react';
import { cx } from '../browser/cx.ts';
import { LoaderCircle } from 'lucide-react';
import { RowTabIndex } from './row-tab-index.ts';

export const Spinner = () => (
  <LoaderCircle aria-hidden className="size-4 animate-spin motion-reduce:hidden" />
);

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';

const variants: Record<ButtonVariant, string> = {
  primary:
    'bg-accent-fill text-on-accent hover:bg-accent-strong dark:hover:brightness-110 dark:hover:bg-accent-fill',
  secondary: 'border border-control bg-surface text-ink hover:bg-hover',
  quiet: 'text-ink hover:bg-hover aria-expanded:bg-hover',
  danger: 'bg-bad-fill text-on-accent hover:brightness-110',
};

export const buttonClass = (variant: ButtonVariant = 'secondary', extra?: string) =>
  cx(
    'inline-flex h-(--control-height) shrink-0 items-center justify-center gap-1.5 rounded-md px-3 font-medium whitespace-nowrap select-none',
    'aria-disabled:cursor-not-allowed aria-disabled:opacity-55 disabled:cursor-not-allowed disabled:opacity-55',
    // Forced colours remove the backgrounds.
    'forced-colors:border',
    variants[variant],
    extra,
  );

export type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant;
  icon?: ReactNode;
  /** While busy the button keeps its width and its focus, and ignores clicks. */
  busy?: boolean;
};

/** A button. The default `type` is `button`, so that no button submits a form by accident. */
export const Button = ({
  variant,
  icon,
  busy = false,
  className,
  children,
  onClick,
  ...props
}: ButtonProps) => (
  <button
    type="button"
    {...props}
    aria-disabled={busy || undefined}
    aria-busy={busy || undefined}
    onClick={(event) => {
      if (busy) event.preventDefault();
      else onClick?.(event);
    }}
    className={buttonClass(variant, className)}
  >
    {busy ? <Spinner /> : icon}
    {children}
  </button>
);

type Props = Omit<ComponentProps<'button'>, 'children'> & {
  label: string;
  icon: ReactNode;
  shortcut?: string;
};

/** A button with only an icon; the label is its accessible name and its hint. */
export const IconButton = ({ label, icon, shortcut, className, ...props }: Props) => (
  <button
    type="button"
    tabIndex={useContext(RowTabIndex)}
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
