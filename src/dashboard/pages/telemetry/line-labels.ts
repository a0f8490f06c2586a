import { splitSeriesId, type NumberSeries } from '../../charts/series/series.ts';

/** Lines of one metric are told apart by their devices. */
export const withLineLabels = (series: readonly NumberSeries[]): NumberSeries[] => {
  const metrics = new Set(series.map(({ id, comparisonOf }) => splitSeriesId(comparisonOf ?? id).metric));
  if (metrics.size > 1) return [...series];
  return series.map((each) =>
    each.deviceName === undefined ? each : { ...each, lineLabel: each.deviceName },
  );
};
