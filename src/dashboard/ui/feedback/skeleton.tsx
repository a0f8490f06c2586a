import { cx } from '../browser/cx.ts';

/** A placeholder with the size of the loading content, so that nothing moves. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden className={cx('block h-3 animate-pulse rounded-sm bg-hover', className)} />
);
