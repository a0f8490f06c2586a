import type { ColourSlot } from './series.ts';
import { COMPARISON_OPACITY, dashPattern, seriesColour, type LineStyle } from './series-style.ts';

const WIDTH_PX = 22;

/** A piece of the line of a series, for legends. An ancestor may set another colour (`--swatch`). */
export const SeriesSwatch = ({ series }: { series: LineStyle & { colour: ColourSlot } }) => (
  <svg
    aria-hidden
    width={WIDTH_PX}
    height={4}
    className="keeps-colour shrink-0"
    opacity={series.comparisonOf === undefined ? 1 : COMPARISON_OPACITY}
  >
    <line
      x1={0}
      x2={WIDTH_PX}
      y1={2}
      y2={2}
      strokeWidth={2.5}
      strokeDasharray={dashPattern(series).join(' ')}
      style={{ stroke: `var(--swatch, ${seriesColour(series.colour)})` }}
    />
  </svg>
);
