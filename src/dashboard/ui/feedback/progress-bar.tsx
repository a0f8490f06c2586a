import { cx } from '../browser/cx.ts';

/** A progress bar; `share` is 0 to 1, null: unknown. */
export const ProgressBar = ({
  label,
  share,
  className,
}: {
  label: string;
  share: number | null;
  className: string;
}) => (
  <progress
    aria-label={label}
    max={1}
    {...(share !== null && { value: share })}
    className={cx(
      'keeps-colour h-1.5 overflow-hidden rounded-full bg-hover accent-accent [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-hover [&::-webkit-progress-value]:bg-accent',
      className,
    )}
  />
);
