import { useQuery } from '@tanstack/react-query';
import type { Device } from '#contract/devices.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { ExternalId } from '../../resources/devices/external-id.tsx';
import { DeviceStateDot } from '../../resources/devices/device-state.tsx';
import { paths } from '../../paths.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Button } from '../../ui/controls/button.tsx';
import type { KnownMetrics } from './known-metrics.ts';

const SUGGESTED = 6;
/** How often the page checks for the first message while no device was ever seen. */
const FIRST_MESSAGE_POLL_MS = 2_000;

const hasBeenSeen = ({ lastSeenAt }: Device) => lastSeenAt !== null;

/** Suggests the most recently seen devices while none is chosen. */
export const NoSelection = ({ onChoose }: { onChoose: (deviceId: string) => void }) => {
  const canFind = useHasScope('devices:read');
  const { data, isPending } = useQuery({
    ...telemetryQueries.findDevices(''),
    enabled: canFind,
    refetchInterval: ({ state }) =>
      state.data?.data.some(hasBeenSeen) === false ? FIRST_MESSAGE_POLL_MS : false,
  });
  // The picker above says which scope is missing.
  if (!canFind) return <EmptyState title="No devices chosen">Open a link that names devices.</EmptyState>;
  const seen = (data?.data ?? []).filter(hasBeenSeen).slice(0, SUGGESTED);
  if (data !== undefined && seen.length === 0) {
    return (
      <EmptyState title="No telemetry yet" action={<LinkButton to={paths.devices}>Go to Devices</LinkButton>}>
        Metrics appear here after a device sends its first sample.
      </EmptyState>
    );
  }
  return (
    <div className="px-4 pt-6 pb-4">
      <h2 className="font-semibold">Choose a device</h2>
      <p className="mb-3 text-muted">
        {data === undefined && !isPending ? 'Search above to find a device.' : 'Recently seen devices:'}
      </p>
      <ul className="grid grid-cols-1 gap-2 md:grid-cols-2 xl:grid-cols-3">
        {isPending
          ? Array.from({ length: SUGGESTED }, (_, index) => (
              <li key={index} className="flex h-14 items-center rounded-md border border-hairline px-3">
                <Skeleton className="w-1/2" />
              </li>
            ))
          : seen.map((device) => (
              <li key={device.id}>
                <Suggestion device={device} onChoose={onChoose} />
              </li>
            ))}
      </ul>
    </div>
  );
};

const Suggestion = ({
  device: { id, name, externalId, state, lastSeenAt },
  onChoose,
}: {
  device: Device;
  onChoose: (deviceId: string) => void;
}) => (
  <button
    type="button"
    onClick={() => onChoose(id)}
    className="flex min-h-14 w-full items-center gap-3 rounded-md border border-hairline px-3 py-2 text-left hover:border-control hover:bg-hover/60"
  >
    <span className="min-w-0 flex-1">
      <span className="block truncate font-medium">{name}</span>
      <ExternalId id={externalId} />
    </span>
    <span className="flex flex-col items-end text-sm">
      <DeviceStateDot state={state} />
      {lastSeenAt !== null && <RelativeTime at={lastSeenAt} inRow className="text-muted" />}
    </span>
  </button>
);

/** More are found in the field above. */
const SUGGESTED_METRICS = 8;

/** Suggests metrics while devices but no metrics are chosen. */
export const NoMetric = ({ known, onChoose }: { known: KnownMetrics; onChoose: (metric: string) => void }) =>
  known.metrics.length === 0 ? (
    <EmptyState title="No telemetry from these devices yet">
      Metrics appear here after the first sample.
    </EmptyState>
  ) : (
    <EmptyState
      title="Choose a metric"
      action={known.metrics.slice(0, SUGGESTED_METRICS).map(({ metric, label, unit }) => (
        <Button key={metric} onClick={() => onChoose(metric)}>
          {label}
          {unit !== null && <span className="font-normal text-muted">{unit}</span>}
        </Button>
      ))}
    />
  );
