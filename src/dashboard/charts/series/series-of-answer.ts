import type { Series, TelemetryAnswer, Value } from '#contract/telemetry.ts';
import {
  COMBINED_DEVICE,
  seriesId,
  type ChartSeries,
  type ColourSlot,
  type DashStyle,
  type NumberColumn,
} from './series.ts';

/** How a metric or a series is named, and the decimals of its numbers. */
export interface SeriesName {
  label: string;
  /** The name of its device, if the label has more than that. */
  deviceName?: string;
  decimals: number | null;
}

export interface StyledName extends SeriesName {
  colour: ColourSlot;
  dash?: DashStyle;
}

/**
 * The series of a telemetry response. Numbers need the default aggregates (avg, min, max, count) and states need
 * `last`, if the response has buckets; `first` and `last` of numbers make statistics exact. Call it once per response:
 * new objects count as new data.
 */
export function seriesOfAnswer(
  answer: TelemetryAnswer,
  nameOf: (series: Series) => StyledName,
): ChartSeries[] {
  return answer.series.map((series) => {
    const { device, metric, kind, ts, value, last, avg = [], min = [], max = [], count, first } = series;
    const { decimals, ...name } = nameOf(series);
    const head = { id: seriesId(device ?? COMBINED_DEVICE, metric), unit: series.unit, ...name };
    const { bucketMs } = answer;
    if (kind !== 'number') {
      const states = (bucketMs === null ? value : last) ?? [];
      const columns = { ts, value: states.filter((each) => typeof each !== 'number') };
      return {
        ...head,
        kind,
        columns:
          bucketMs === null ? columns : { ...columns, bucketMs, ...(count !== undefined && { count }) },
      };
    }
    if (bucketMs === null) {
      return {
        ...head,
        kind,
        decimals,
        columns: { ts, value: (value ?? []).filter((each) => typeof each === 'number') },
      };
    }
    const columns = {
      bucketMs,
      ts,
      avg,
      min,
      max,
      ...(count !== undefined && { count }),
      ...(first !== undefined && { first: numbersIn(first) }),
      ...(last !== undefined && { last: numbersIn(last) }),
    };
    return { ...head, kind, decimals, columns };
  });
}

const numbersIn = (values: readonly Value[]): NumberColumn =>
  values.filter((value) => typeof value === 'number');
