import { Table2 } from 'lucide-react';
import { useState } from 'react';
import type { Overview } from '#contract/overview.ts';
import { cx } from '../../ui/browser/cx.ts';
import { formatClock, timeZoneChoice } from '../../ui/format/format-time.ts';
import { formatCount, formatRate } from '../../ui/format/format-number.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';

type Props = { ingest: Overview['ingest'] | undefined; asOfMs: number; className: string };

/** Ingested samples per second: now, and in each minute of the last hour. */
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
            label="Show as table"
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
    <section tabIndex={0} aria-label="Samples per minute" className="h-38 overflow-y-auto">
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

const MINUTE_MS = 60_000;

/** A round number at or above the maximum, so that the scale stays while values change. */
const ceilingOf = (value: number): number => {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
};

type IngestBarsProps = {
  perMinute: Overview['ingest']['perMinute'] | undefined;
  /** The time of the count, by the service's clock. */
  asOfMs: number;
};

/** A bar for each minute of the last hour, in samples per second. */
const IngestBars = ({ perMinute, asOfMs }: IngestBarsProps) => {
  const zone = useStoredChoice(timeZoneChoice);
  // The last minute is not over, so its rate is computed over the elapsed part.
  const rates = (perMinute ?? []).map(({ ts, count }) => ({
    ts,
    rate: (count / Math.min(MINUTE_MS, Math.max(1_000, asOfMs - ts))) * 1_000,
  }));
  const highest = Math.max(0, ...rates.map(({ rate }) => rate));
  const ceiling = ceilingOf(highest);
  const mean = rates.reduce((sum, { rate }) => sum + rate, 0) / Math.max(1, rates.length);
  const summary =
    perMinute === undefined
      ? 'Loading'
      : `Samples per second in each minute of the last hour: ${formatRate(mean)} on average, ${formatRate(highest)} at most.`;
  return (
    <figure className="grid grid-cols-[auto_1fr] gap-x-2 text-xs text-faint">
      <div aria-hidden className="tabular flex h-32 flex-col justify-between text-right leading-none">
        <span>{perMinute === undefined ? '' : formatRate(ceiling)}</span>
        <span>{perMinute === undefined ? '' : formatRate(ceiling / 2)}</span>
        <span>0</span>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- drawn here, from elements */}
      <div role="img" aria-label={summary} className="relative h-32">
        <div aria-hidden className="absolute inset-0 flex flex-col justify-between">
          <span className="h-px bg-hairline" />
          <span className="h-px bg-hairline" />
          <span className="h-px bg-hairline" />
        </div>
        <div className="absolute inset-0 flex items-end gap-px">
          {rates.map(({ ts, rate }) => (
            <span
              key={ts}
              data-hint={`${formatClock(ts, zone).slice(0, 5)}: ${formatRate(rate)} per second`}
              className="group flex h-full flex-1 items-end"
            >
              <span
                className="w-full rounded-t-[1px] bg-accent group-hover:bg-accent-strong"
                style={{ height: rate === 0 ? 0 : `max(2px, ${(rate / ceiling) * 100}%)` }}
              />
            </span>
          ))}
        </div>
      </div>
      <figcaption className="col-start-2 mt-1.5 flex justify-between">
        <span>60 min ago</span>
        <span>30 min ago</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
};
