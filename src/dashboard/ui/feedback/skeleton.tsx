import { cx } from '../browser/cx.ts';

/** A bar in the place and size of what is loading, so that nothing moves when it comes. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden className={cx('block h-3 animate-pulse rounded-sm bg-hover', className)} />
);
