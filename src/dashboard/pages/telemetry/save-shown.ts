import { chartPicture, type PictureFormat } from '../../charts/chart-picture.ts';
import {
  COMBINED_DEVICE,
  isNumberSeries,
  splitSeriesId,
  stateText,
  type ChartSeries,
  type NumberSeries,
  type StateSeries,
} from '../../charts/series/series.ts';
import { valueRowsOf } from '../../charts/tracks/value-rows.ts';
import { saveFile } from '../../ui/browser/save-file.ts';
import { writeCsv } from '../../ui/format/write-csv.ts';
import { rangeText } from './fixed-range.ts';
import { fileNameOf, type ShownTelemetry } from './shown-telemetry.ts';

// Loaded when something is saved.

const COLUMNS = [
  'time',
  'device',
  'externalId',
  'metric',
  'series',
  'unit',
  'value',
  'min',
  'max',
  'samples',
];
type Row = readonly (string | number)[];

const namesOf = (
  { id, comparisonOf, label, unit }: ChartSeries,
  { externalIds }: ShownTelemetry,
): readonly string[] => {
  const { deviceId, metric } = splitSeriesId(comparisonOf ?? id);
  const device = deviceId === COMBINED_DEVICE ? '' : deviceId;
  return [device, externalIds.get(device) ?? '', metric, label, unit ?? ''];
};

/** Of a comparison, the time of the data. */
const timeText = (ms: number, { laterByMs = 0 }: ChartSeries): string =>
  new Date(ms - laterByMs).toISOString();

function numberRows(series: NumberSeries, shown: ShownTelemetry): Row[] {
  const { span, live } = shown;
  return valueRowsOf(series, live?.numbers(series.id), span).map(({ ts, value, low, high, count }) => [
    timeText(ts, series),
    ...namesOf(series, shown),
    low === high && count !== null ? low : roundedMean(value),
    low,
    high,
    // The number of samples in a bucket of several devices is not known.
    count ?? '',
  ]);
}

/** Further digits of a mean result from its computation. Samples are exact. */
const MEAN_DIGITS = 12;
const roundedMean = (value: number): number => Number(value.toPrecision(MEAN_DIGITS));

function stateRows(series: StateSeries, shown: ShownTelemetry): Row[] {
  const { span, live } = shown;
  const { id, columns } = series;
  const rows: Row[] = [];
  const add = (ts: number, value: boolean | string) => {
    if (ts >= span.fromMs && ts < span.toMs)
      rows.push([timeText(ts, series), ...namesOf(series, shown), stateText(value), '', '', '']);
  };
  for (const [row, value] of columns.value.entries()) add(columns.ts[row]!, value);
  const lastMs = columns.ts.at(-1) ?? -Infinity;
  for (const { from, value } of live?.states(id)?.runs ?? []) if (from > lastMs) add(from, value);
  return rows;
}

/** The shown values as CSV, as the chart has them: samples, or buckets with their mean, lowest and highest value. */
export const saveShownCsv = (shown: ShownTelemetry): string => {
  const rows = shown.series.flatMap((series) =>
    isNumberSeries(series) ? numberRows(series, shown) : stateRows(series, shown),
  );
  const name = fileNameOf(shown.span, 'shown.csv');
  saveFile(name, new Blob([writeCsv(COLUMNS, rows)], { type: 'text/csv' }));
  return name;
};

const pictureOf = (
  charts: HTMLElement,
  { title, series, span, zone }: ShownTelemetry,
  format: PictureFormat,
): Promise<Blob> =>
  chartPicture(
    charts,
    {
      title,
      subtitle: `${rangeText(span, zone)}${zone === 'utc' ? ' UTC' : ''}`,
      legend: series.filter(isNumberSeries),
    },
    format,
  );

/** Saves the charts as a picture in the current theme. */
export const saveShownPicture = async (
  charts: HTMLElement,
  shown: ShownTelemetry,
  format: PictureFormat,
): Promise<string> => {
  const name = fileNameOf(shown.span, format);
  saveFile(name, await pictureOf(charts, shown, format));
  return name;
};

/** Puts the charts on the clipboard as a PNG. */
export const copyShownPicture = (charts: HTMLElement, shown: ShownTelemetry): Promise<void> =>
  navigator.clipboard.write([new ClipboardItem({ 'image/png': pictureOf(charts, shown, 'png') })]);
