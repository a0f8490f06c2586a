import type { ComponentProps, ReactNode } from 'react';
import { cx } from '../browser/cx.ts';

type Props = Omit<ComponentProps<'input'>, 'type' | 'role'> & { label: ReactNode; hideLabel?: boolean };

/** Switches something immediately. In a form that is saved, use a check box. */
export const Switch = ({ label, hideLabel = false, className, ...props }: Props) => (
  <label className={cx('inline-flex min-h-6 cursor-pointer items-center gap-2.5 touch:min-h-11', className)}>
    <span className="relative inline-flex h-5 w-9 shrink-0">
      <input
        type="checkbox"
        // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props -- the check box itself says whether it is on
        role="switch"
        {...props}
        className="peer h-5 w-9 cursor-pointer appearance-none rounded-full border border-control bg-sunken checked:border-accent-fill checked:bg-accent-fill disabled:opacity-55"
      />
      <span
        aria-hidden
        className="pointer-events-none absolute top-0.75 left-0.75 size-3.5 rounded-full bg-control transition-transform peer-checked:translate-x-4 peer-checked:bg-on-accent forced-colors:bg-[ButtonText] forced-colors:peer-checked:bg-[Highlight]"
      />
    </span>
    <span className={hideLabel ? 'sr-only' : undefined}>{label}</span>
  </label>
);
