import type { Value } from '#contract/telemetry.ts';
import { csvRows } from '../../telemetry/csv-rows.ts';
import type { SpooledSamples } from './destination.ts';
import { toIsoTime } from '../../platform/iso-time.ts';

type LineFormat = {
  /** The header of each file. */
  readonly header: string;
  /** Complete lines; none without samples. */
  lines(samples: readonly SpooledSamples[]): string;
};

/** JSON supports -0, but JSON.stringify does not write it. */
const jsonOf = (value: Value): string => (Object.is(value, -0) ? '-0' : JSON.stringify(value));

const jsonLine = ({ device, ts, values }: SpooledSamples): string => {
  const members = Object.entries(values).map(
    ([metric, value]) => `${JSON.stringify(metric)}:${jsonOf(value)}`,
  );
  return `{"device":${JSON.stringify(device)},"ts":"${toIsoTime(ts)}","values":{${members.join(',')}}}\n`;
};

const csvOf = (samples: readonly SpooledSamples[]): string => {
  const rows = samples.flatMap(({ device, ts, values }) =>
    Object.entries(values).map(([metric, value]) => [toIsoTime(ts), device, metric, value]),
  );
  return rows.length === 0 ? '' : `${csvRows(rows)}\r\n`;
};

/**
 * Samples as lines of a file, with times in ISO 8601 (UTC): `ndjson` has one line per device and timestamp, `csv`
 * (RFC 4180) one per sample.
 */
export const lineFormats: Record<'ndjson' | 'csv', LineFormat> = {
  ndjson: {
    header: '',
    lines: (samples) =>
      samples
        .filter(({ values }) => Object.keys(values).length > 0)
        .map(jsonLine)
        .join(''),
  },
  csv: { header: 'time,device,metric,value\r\n', lines: csvOf },
};
