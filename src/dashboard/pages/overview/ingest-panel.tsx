import { Table2 } from 'lucide-react';
import { useState } from 'react';
import type { Overview } from '#contract/overview.ts';
import { cx } from '../../ui/browser/cx.ts';
import { formatClock, timeZoneChoice } from '../../ui/format/format-time.ts';
import { formatCount, formatRate, plural } from '../../ui/format/format-number.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { paths } from '../../paths.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { LineSkeleton } from '../../ui/feedback/line-skeleton.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';

/** Grows with the panel, as `wall-text` does. */
const wallFigureClass = 'h-[1.6em] text-[clamp(1.875rem,7cqi,5rem)] leading-none';

type Ingest = NonNullable<Overview['ingest']>;

type Props = { ingest: Ingest | undefined };

/** Ingested samples per second: the mean of the last minute, and of each minute of the last hour. */
export const IngestPanel = ({ ingest }: Props) => {
  const [isTable, setIsTable] = useState(false);
  return (
    <Panel
      title="Samples per second"
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
      <div className="@container">
        <div className="flex flex-wrap items-end gap-x-8 gap-y-3 xl:h-[max(9.5rem,18vh)] xl:flex-nowrap">
          <div className="min-w-28">
            <div className={`tabular flex items-center font-semibold tracking-tight ${wallFigureClass}`}>
              {ingest === undefined ? <Skeleton className="h-8 w-20" /> : formatRate(ingest.perSecond)}
            </div>
            <div className="wall-text whitespace-nowrap text-muted">last minute</div>
          </div>
          <div className="min-w-60 flex-1 self-stretch">
            {isTable && ingest !== undefined ? (
              <MinuteTable perMinute={ingest.perMinute} />
            ) : (
              <IngestBars ingest={ingest} />
            )}
          </div>
        </div>
        <Busiest devices={ingest?.busiest} />
      </div>
    </Panel>
  );
};

/** The most devices that are named. On a phone, one. */
const MAX_BUSIEST = 2;

/** The devices that send most of the samples, to find one that sends in a loop. */
const Busiest = ({ devices }: { devices: Ingest['busiest'] | undefined }) => (
  // Always one line, so that nothing below moves.
  <p className="wall-text mt-3 truncate text-muted">
    {devices === undefined ? (
      <LineSkeleton className="w-48" />
    ) : devices.length === 0 ? (
      'Busiest in the last 5 to 10 min: all below 10%'
    ) : (
      <>
        Busiest in the last 5 to 10 min:{' '}
        {devices.slice(0, MAX_BUSIEST).map(({ id, name, share }, place) => (
          <span key={id} className={cx(place > 0 && 'max-md:hidden')}>
            {place > 0 && ', '}
            <Link to={paths.device(id)} className="inline-block max-w-36 truncate align-bottom">
              {name}
            </Link>{' '}
            ({formatCount(Math.round(share * 100))}%)
          </span>
        ))}
      </>
    )}
  </p>
);

const MinuteTable = ({ perMinute }: { perMinute: Ingest['perMinute'] }) => {
  const zone = useStoredChoice(timeZoneChoice);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable
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
const MINUTES = 60;

/** A round number at or above the maximum, so that the scale stays while values change. */
const ceilingOf = (value: number): number => {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
};

type Minute = {
  ts: number;
  /** Samples per second; null: the service did not run. */
  rate: number | null;
  isInProgress: boolean;
};

/**
 * The minutes of the last hour, oldest first. The minute in progress has the mean of the last minute: a burst of its first
 * seconds would change the scale.
 */
const lastHour = ({ perMinute, perSecond: lastMinute }: Ingest): Minute[] => {
  const rates = new Map(perMinute.map(({ ts, perSecond }) => [ts, perSecond]));
  const current = perMinute.at(-1)?.ts ?? 0;
  rates.set(current, lastMinute);
  return Array.from({ length: MINUTES }, (_, index) => {
    const ts = current - (MINUTES - 1 - index) * MINUTE_MS;
    return { ts, rate: rates.get(ts) ?? null, isInProgress: ts === current };
  });
};

/** A bar for each minute of the last hour, in samples per second; grey where the service did not run. */
const IngestBars = ({ ingest }: Props) => {
  const zone = useStoredChoice(timeZoneChoice);
  const minutes = ingest === undefined ? [] : lastHour(ingest);
  const rates = minutes.flatMap(({ rate }) => rate ?? []);
  const highest = Math.max(0, ...rates);
  const ceiling = ceilingOf(highest);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / Math.max(1, rates.length);
  const unknown = minutes.length - rates.length;
  const summary =
    ingest === undefined
      ? 'Loading'
      : `Samples per second in each minute of the last hour: ${formatRate(mean)} on average, ${formatRate(highest)} at most.${
          unknown > 0 ? ` Unknown in ${plural(unknown, 'minute')}, in which the service was not running.` : ''
        }`;
  return (
    <figure className="grid h-full grid-cols-[auto_1fr] grid-rows-[minmax(8rem,1fr)_auto] gap-x-2 text-xs text-faint">
      <div aria-hidden className="tabular flex min-w-[6ch] flex-col justify-between text-right leading-none">
        <span>{ingest === undefined ? '' : formatRate(ceiling)}</span>
        <span>{ingest === undefined ? '' : formatRate(ceiling / 2)}</span>
        <span>0</span>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- drawn here, from elements */}
      <div role="img" aria-label={summary} className="relative">
        <div aria-hidden className="absolute inset-0 flex flex-col justify-between">
          <span className="h-px bg-hairline" />
          <span className="h-px bg-hairline" />
          <span className="h-px bg-hairline" />
        </div>
        <div className="absolute inset-0 flex items-end gap-px">
          {minutes.map(({ ts, rate, isInProgress }) => (
            <span
              key={ts}
              data-hint={`${isInProgress ? 'Last minute' : formatClock(ts, zone).slice(0, 5)}: ${
                rate === null ? 'unknown, the service was not running' : `${formatRate(rate)} per second`
              }`}
              className={cx(
                'group flex h-full flex-1 items-end',
                rate === null && 'keeps-colour -mr-px bg-sunken',
              )}
            >
              {rate !== null && (
                <span
                  className="keeps-colour w-full rounded-t-[1px] bg-accent group-hover:bg-accent-strong"
                  style={{ height: rate === 0 ? 0 : `max(2px, ${(rate / ceiling) * 100}%)` }}
                />
              )}
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
