import { Skeleton } from '../ui/feedback/skeleton.tsx';

/** What stands where a page will be while its code is on the way. */
export const PageSkeleton = () => (
  <div aria-busy="true">
    <output className="sr-only">Loading</output>
    <div className="mb-4 flex h-8 items-center justify-between">
      <Skeleton className="h-5 w-32" />
      <Skeleton className="h-5 w-24" />
    </div>
    <div className="h-96 rounded-md border border-hairline bg-surface" />
  </div>
);
