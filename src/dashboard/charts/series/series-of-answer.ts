import type { Series, TelemetryAnswer } from '#contract/telemetry.ts';
import { seriesId, type ChartSeries, type ColourSlot } from './series.ts';

export interface SeriesName {
  label: string;
  colour: ColourSlot;
  /** Overrides the unit of the metric. */
  unit?: string | null;
}

/**
 * The series of a telemetry response. Numbers need the default aggregates (avg, min, max, count) and states need
 * `last`, if the response has buckets. Call it once per response: new objects count as new data.
 */
export function seriesOfAnswer(
  answer: TelemetryAnswer,
  nameOf: (series: Series) => SeriesName,
): ChartSeries[] {
  return answer.series.map((series) => {
    const { device, metric, kind, ts, value, last, avg = [], min = [], max = [], count } = series;
    const { label, colour, unit = series.unit } = nameOf(series);
    const head = { id: seriesId(device, metric), label, unit, colour };
    const { bucketMs } = answer;
    if (kind !== 'number') {
      const states = (bucketMs === null ? value : last) ?? [];
      const columns = { ts, value: states.filter((each) => typeof each !== 'number') };
      return { ...head, kind, columns: bucketMs === null ? columns : { ...columns, bucketMs } };
    }
    if (bucketMs === null) {
      return {
        ...head,
        kind,
        columns: { ts, value: (value ?? []).filter((each) => typeof each === 'number') },
      };
    }
    const buckets = { bucketMs, ts, avg, min, max };
    return { ...head, kind, columns: count === undefined ? buckets : { ...buckets, count } };
  });
}
