import { Table2 } from 'lucide-react';
import { useState } from 'react';
import type { Overview } from '#contract/overview.ts';
import { cx } from '../../ui/browser/cx.ts';
import { formatClock, timeZoneChoice } from '../../ui/format/format-time.ts';
import { formatCount, formatRate } from '../../ui/format/format-number.ts';
import { IconButton } from '../../ui/controls/icon-button.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { IngestBars } from './ingest-bars.tsx';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';

type Props = { ingest: Overview['ingest'] | undefined; asOfMs: number; className: string };

/** How many values come in: now, and in each minute of the last hour. */
export const IngestPanel = ({ ingest, asOfMs, className }: Props) => {
  const [isTable, setIsTable] = useState(false);
  return (
    <Panel
      title="Samples per second"
      className={className}
      aside={
        <>
          Last hour
          <IconButton
            label="Show as a table"
            aria-pressed={isTable}
            icon={<Table2 />}
            onClick={() => setIsTable(!isTable)}
            className={cx(isTable && 'bg-hover')}
          />
        </>
      }
    >
      <div className="flex flex-wrap items-end gap-x-8 gap-y-3">
        <div className="w-28">
          <div className="tabular flex h-12 items-center text-3xl font-semibold tracking-tight">
            {ingest === undefined ? <Skeleton className="h-8 w-20" /> : formatRate(ingest.perSecond)}
          </div>
          <div className="text-muted">now</div>
        </div>
        <div className="min-w-60 flex-1">
          {isTable && ingest !== undefined ? (
            <MinuteTable perMinute={ingest.perMinute} />
          ) : (
            <IngestBars perMinute={ingest?.perMinute} asOfMs={asOfMs} />
          )}
        </div>
      </div>
    </Panel>
  );
};

const MinuteTable = ({ perMinute }: { perMinute: Overview['ingest']['perMinute'] }) => {
  const zone = useStoredChoice(timeZoneChoice);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable
    <section tabIndex={0} aria-label="Samples in each minute" className="h-38 overflow-y-auto">
      <table className="tabular w-full">
        <thead className="sticky top-0 bg-surface text-left text-sm text-muted">
          <tr>
            <th scope="col" className="py-1 font-medium">
              Minute
            </th>
            <th scope="col" className="py-1 text-right font-medium">
              Samples
            </th>
          </tr>
        </thead>
        <tbody>
          {perMinute.toReversed().map(({ ts, count }) => (
            <tr key={ts} className="border-t border-hairline">
              <td className="py-1">{formatClock(ts, zone)}</td>
              <td className="py-1 text-right">{formatCount(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
