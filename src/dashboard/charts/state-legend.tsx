import { useMemo } from 'react';
import { cx } from '../ui/browser/cx.ts';
import { useClock } from '../ui/browser/clock.ts';
import type { LiveSource } from './live/live-window.ts';
import type { TimeSpan } from './series/time-span.ts';
import { seriesColour } from './series/series-style.ts';
import { stateText, type StateSeries } from './series/series.ts';
import { stateRunsOf } from './tracks/state-runs.ts';
import type { StateColour } from './series/state-colours.ts';

interface StateLegendProps {
  series: readonly StateSeries[];
  /** The span of the timeline, in epoch ms; in live mode that of `live`. */
  span: TimeSpan;
  live: LiveSource | undefined;
  colourOf: (value: boolean | string) => StateColour;
}

/** The readout of the cursor names the others. */
const MAX_SHOWN = 12;

const byText = (a: boolean | string, b: boolean | string): number =>
  stateText(a).localeCompare(stateText(b), 'en', { numeric: true });

/** Returns the states in the span as JSON. In live mode they are read again once the span has moved. */
const readStates = ({ series, live, span }: Pick<StateLegendProps, 'series' | 'live' | 'span'>) => {
  let read: { span: TimeSpan; json: string } | undefined;
  return (): string => {
    const current = live?.span() ?? span;
    if (read?.span !== current) {
      const runs = series.flatMap((each) => stateRunsOf(each, live?.states(each.id), current));
      const states = [...new Set(runs.map(({ value }) => value))];
      read = { span: current, json: JSON.stringify(states.toSorted(byText)) };
    }
    return read.json;
  };
};

/** The states in a timeline with their colours. */
export function StateLegend({ series, span: { fromMs, toMs }, live, colourOf }: StateLegendProps) {
  const read = useMemo(
    () => readStates({ series, live, span: { fromMs, toMs } }),
    [series, live, fromMs, toMs],
  );
  const states = JSON.parse(useClock(read)) as (boolean | string)[];
  if (states.length === 0) return null;
  const more = states.length - MAX_SHOWN;
  return (
    <ul aria-label="States" className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
      {states.slice(0, MAX_SHOWN).map((state) => (
        <li key={JSON.stringify(state)} data-state className="flex max-w-full items-center gap-1.5">
          <StateSwatch colour={colourOf(state)} />
          <span data-hint-if-cut className="truncate">
            {stateText(state)}
          </span>
        </li>
      ))}
      {more > 0 && <li data-state>and {more} more</li>}
    </ul>
  );
}

const StateSwatch = ({ colour }: { colour: StateColour }) => (
  <span
    aria-hidden
    className={cx('keeps-colour size-2.5 shrink-0 rounded-[2px]', colour === 'faint' && 'bg-faint/50')}
    style={colour === 'faint' ? undefined : { background: seriesColour(colour) }}
  />
);
