import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';

/** The least height of one of several charts, in CSS pixels. On a phone all charts have it. */
export const leastChartPx = (charts: number, isNarrow: boolean): number => {
  if (isNarrow) return charts > 1 ? 220 : 320;
  if (charts <= 1) return 280;
  return charts === 2 ? 200 : 170;
};

const GAP_PX = 12;

/** The height of each of several charts that share a room, in CSS pixels. */
export const chartHeightPx = (charts: number, roomPx: number): number =>
  Math.max(leastChartPx(charts, false), Math.floor(roomPx / Math.max(1, charts)) - GAP_PX);

/** The placeholder of a chart and its legend. */
export const TelemetrySkeleton = () => {
  const minHeight = leastChartPx(1, useIsNarrow());
  return (
    <output aria-label="Loading samples" className="flex flex-1 flex-col px-4 pt-1">
      <div className="flex-1 border-b border-l border-hairline" style={{ minHeight }} />
      <div className="flex h-(--row) items-center justify-between">
        <Skeleton className="w-40" />
        <Skeleton className="w-56 max-md:hidden" />
      </div>
    </output>
  );
};
