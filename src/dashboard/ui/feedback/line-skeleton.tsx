import { cx } from '../browser/cx.ts';
import { Skeleton } from './skeleton.tsx';

/** A placeholder that takes the height of a line of text. */
export const LineSkeleton = ({ className }: { className: string }) => (
  <Skeleton className={cx('my-[calc((1lh-1rem)/2)] h-4', className)} />
);
