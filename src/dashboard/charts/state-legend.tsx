import { useMemo } from 'react';
import { cx } from '../ui/browser/cx.ts';
import { useClock } from '../ui/browser/clock.ts';
import type { LiveSource } from './live/live-window.ts';
import { seriesColour } from './series/series-style.ts';
import { stateText, type StateSeries } from './series/series.ts';
import type { StateColour } from './series/state-colours.ts';

interface StateLegendProps {
  series: readonly StateSeries[];
  live: LiveSource | undefined;
  colourOf: (value: boolean | string) => StateColour;
}

/** More are left to the readout of the cursor: colours repeat after a few. */
const MAX_SHOWN = 12;

const byText = (a: boolean | string, b: boolean | string): number =>
  stateText(a).localeCompare(stateText(b), 'en', { numeric: true });

/** The shown states with their colours. */
export function StateLegend({ series, live, colourOf }: StateLegendProps) {
  const queried = useMemo(() => new Set(series.flatMap(({ columns }) => [...columns.value])), [series]);
  const later = useClock(() =>
    JSON.stringify([
      ...new Set(series.flatMap(({ id }) => live?.states(id)?.runs.map(({ value }) => value) ?? [])),
    ]),
  );
  const states = [...new Set([...queried, ...(JSON.parse(later) as (boolean | string)[])])].toSorted(byText);
  const more = states.length - MAX_SHOWN;
  return (
    <ul aria-label="States" className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
      {states.slice(0, MAX_SHOWN).map((state) => (
        <li key={JSON.stringify(state)} className="flex max-w-full items-center gap-1.5">
          <StateSwatch colour={colourOf(state)} />
          <span className="truncate">{stateText(state)}</span>
        </li>
      ))}
      {more > 0 && <li>and {more} more</li>}
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
