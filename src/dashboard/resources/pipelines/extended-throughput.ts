import type { PipelineLastHour } from '#contract/throughput.ts';
import type { ObservedRates } from './throughput.ts';

const MINUTE_MS = 60_000;

/** Recorded minutes, then observed rates. A minute in which the service did not run leaves a gap. */
export const appendObservedRates = (
  hour: Pick<PipelineLastHour, 'ts' | 'perSecond'> | undefined,
  observed: ObservedRates,
): ObservedRates => {
  const points: [number, number][] = [];
  let endMs: number | undefined;
  for (const [i, startMs] of (hour?.ts ?? []).entries()) {
    if (endMs !== undefined && startMs > endMs) points.push([endMs, NaN]);
    points.push([startMs, hour?.perSecond[i] ?? NaN]);
    endMs = startMs + MINUTE_MS;
  }
  for (const [i, at] of observed.ts.entries())
    if (endMs === undefined || at >= endMs) points.push([at, observed.value[i] ?? NaN]);
  return {
    ts: Float64Array.from(points, ([at]) => at),
    value: Float64Array.from(points, ([, rate]) => rate),
  };
};
