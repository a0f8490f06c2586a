/** Of one chart, in CSS pixels: one alone takes the room that there is, several stay in sight together. */
export const chartHeightPx = (charts: number, isNarrow: boolean): number => {
  if (isNarrow) return charts > 1 ? 200 : 260;
  if (charts <= 1) return 380;
  return charts === 2 ? 240 : 170;
};
