import { ChartTable } from '../../charts/chart-table.tsx';
import type { LiveSource, TimeSpan } from '../../charts/live/live-window.ts';
import type { ChartSeries } from '../../charts/series/series.ts';
import type { TimeZone } from '../../charts/axes/wall-clock.ts';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';
import { stretchText } from './stretch.ts';

type Props = {
  series: readonly ChartSeries[];
  span: TimeSpan;
  live: LiveSource | undefined;
  timeZone: TimeZone;
};

/** What the charts show, to be read. */
export const TelemetryTable = ({ series, span, live, timeZone }: Props) => (
  <ScrollRegion
    label="Values" // The region scrolls both ways: within it nothing else does.
    className="max-h-[60dvh] min-h-70 overflow-auto [&>div]:overflow-visible"
  >
    <ChartTable
      series={series}
      {...span}
      timeZone={timeZone}
      label={stretchText(span, timeZone)}
      {...(live !== undefined && { live })}
    />
  </ScrollRegion>
);
