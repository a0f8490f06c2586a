import { useQuery } from '@tanstack/react-query';
import type { Device } from '#contract/devices.ts';
import type { Metric } from '#contract/metrics.ts';
import { useHasKnownScope } from '../../api/session-queries.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';

/** A last will that comes with other messages of the device is written together with them. */
const SAME_WRITE_MS = 1_000;

/** Whether a metric reports a lost connection, as the last wills of Tasmota, Zigbee2MQTT and Homie do. */
const saysOffline = ({ metric, value }: Metric): boolean =>
  typeof value === 'string'
    ? /^(offline|lost|disconnected)$/i.test(value)
    : (value === false || value === 0) && /(^|[./])(online|connected)$/i.test(metric);

/**
 * The metric that reported the connection as lost since the last message. Beside other values in a message,
 * `cloud.connected` is about another connection.
 */
const reportIn = (metrics: readonly Metric[], lastSeenMs: number): Metric | undefined => {
  const otherTs = metrics.filter((metric) => !saysOffline(metric)).map(({ lastTs }) => lastTs);
  return metrics.find(
    (metric) =>
      saysOffline(metric) &&
      metric.lastTs + SAME_WRITE_MS >= lastSeenMs &&
      otherTs.every((ts) => ts < metric.lastTs),
  );
};

/**
 * Says that a device reported its connection as lost after its last message. The device stays online for some time, because
 * last wills do not change presence.
 */
export const OfflineReport = ({ device: { id, lastSeenAt } }: { device: Device }) => {
  const { data: report } = useQuery({
    ...telemetryQueries.metrics(id),
    enabled: useHasKnownScope('telemetry:read'),
    select: ({ data }) => reportIn(data, Date.parse(lastSeenAt ?? '')),
  });
  if (report === undefined) return null;
  return (
    <>
      {', '}
      <span className="font-medium text-attention-text">
        connection reported lost <RelativeTime at={new Date(report.lastTs).toISOString()} /> ({report.metric}{' '}
        {String(report.value)})
      </span>
    </>
  );
};
