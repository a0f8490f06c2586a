import { encodeQuery } from '#contract/query-string.ts';
import { LIMITS, telemetryApi } from '#contract/telemetry.ts';
import type { SeriesRequest } from '../../resources/telemetry/telemetry-queries.ts';

const KEY = '-H "Authorization: Bearer $PENSTOCK_KEY"';

/** A line for a shell that reads what the chart shows. Device ids and metric names hold no quotes. */
export const curlLine = (baseUrl: string, { devices, metrics, from, to, points }: SeriesRequest): string => {
  if (devices.length * metrics.length > LIMITS.seriesPerGet) {
    const body = JSON.stringify({ devices, metrics, from, to, points });
    return `curl ${KEY} --json '${body}' '${baseUrl}${telemetryApi.query.path}'`;
  }
  const query = encodeQuery({ device: devices, metric: metrics, from, to, points });
  return `curl ${KEY} '${baseUrl}${telemetryApi.read.path}${query}'`;
};
