import type { TimeZone } from '../../ui/format/intl-formats.ts';
import { ChartTable } from '../../charts/chart-table.tsx';
import type { LiveSource } from '../../charts/live/live-window.ts';
import type { TimeSpan } from '../../charts/series/time-span.ts';
import type { ChartSeries } from '../../charts/series/series.ts';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';
import { rangeText } from './fixed-range.ts';

type Props = {
  series: readonly ChartSeries[];
  span: TimeSpan;
  live: LiveSource | undefined;
  timeZone: TimeZone;
};

/** The charts' data as a table. */
export const TelemetryTable = ({ series, span, live, timeZone }: Props) => (
  // Fills the window, however many rows there are.
  <div className="relative min-h-[60dvh] flex-1 md:min-h-[50dvh]">
    <ScrollRegion
      label="Values" // The region scrolls both ways: within it nothing else does.
      className="absolute inset-0 overflow-auto [&>div]:overflow-visible"
    >
      <ChartTable series={series} time={{ ...span, timeZone, live }} label={rangeText(span, timeZone)} />
    </ScrollRegion>
  </div>
);
