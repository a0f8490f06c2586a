import { Skeleton } from '../../ui/feedback/skeleton.tsx';

const ROWS = 14;

/** The list before its first events are there. */
export const ActivitySkeleton = () => (
  <output aria-label="Loading" className="block rounded-md border border-hairline bg-surface">
    <span className="flex h-9 items-center border-b border-hairline px-4">
      <Skeleton className="w-32" />
    </span>
    {Array.from({ length: ROWS }, (_, index) => (
      <span
        key={index}
        className="flex h-9 items-center gap-3 border-b border-hairline px-4 last:border-0 touch:h-11"
      >
        <Skeleton className="w-14" />
        <Skeleton className="size-2" />
        <Skeleton className={index % 3 === 0 ? 'w-2/5' : index % 3 === 1 ? 'w-1/3' : 'w-1/2'} />
      </span>
    ))}
  </output>
);
