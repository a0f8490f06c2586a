import { useQuery } from '@tanstack/react-query';
import type { Value } from '#contract/telemetry.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { formatValue } from '../../ui/format/format-value.ts';
import { plural } from '../../ui/format/format-number.ts';
import { telemetryQueries } from '../telemetry/telemetry-queries.ts';

const SHOWN = 6;
const READ_EVERY_MS = 5_000;

const valueText = (value: Value, unit: string | null): string =>
  typeof value === 'number' ? formatValue(value, { unit, decimals: null }) : String(value);

/** The latest values of a device, to compare with the values that it sent. Nothing without `telemetry:read`. */
export const LatestValues = ({ deviceId }: { deviceId: string }) => {
  const { data } = useQuery({
    ...telemetryQueries.latest(deviceId),
    enabled: useHasScope('telemetry:read'),
    // What is cached may be older than the message that has just arrived.
    refetchOnMount: 'always',
    refetchInterval: READ_EVERY_MS,
  });
  const latest = (data?.data ?? []).toSorted((a, b) => b.ts - a.ts);
  const shown = latest.slice(0, SHOWN);
  return (
    <dl className="tabular mt-1 text-sm">
      {shown.map(({ metric, value, unit }) => (
        <div key={metric} className="flex justify-between gap-3">
          <dt className="min-w-0 break-words text-muted">{metric}</dt>
          <dd className="text-right break-words">{valueText(value, unit)}</dd>
        </div>
      ))}
      {latest.length > shown.length && (
        <dt className="text-muted">and {plural(latest.length - shown.length, 'more metric')}</dt>
      )}
    </dl>
  );
};
