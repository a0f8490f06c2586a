import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';

/** The height of one chart, in CSS pixels: a single chart is tall, several fit the screen together. */
export const chartHeightPx = (charts: number, isNarrow: boolean): number => {
  if (isNarrow) return charts > 1 ? 200 : 260;
  if (charts <= 1) return 380;
  return charts === 2 ? 240 : 170;
};

/** The placeholder of a chart and its legend. */
export const TelemetrySkeleton = () => {
  const height = chartHeightPx(1, useIsNarrow());
  return (
    <output aria-label="Loading samples" className="block px-4 pt-1">
      <div className="flex items-end gap-2 border-b border-l border-hairline" style={{ height }} />
      <div className="flex h-(--row) items-center justify-between">
        <Skeleton className="w-40" />
        <Skeleton className="w-56 max-md:hidden" />
      </div>
    </output>
  );
};
