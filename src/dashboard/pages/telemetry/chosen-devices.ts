import { useQueries, useQuery } from '@tanstack/react-query';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import type { TelemetryView } from './telemetry-view.ts';

export type ChosenDevice = { id: string; name: string };

export type ChosenDevices = {
  /** Individually chosen devices first, then those with the chosen tags. */
  devices: readonly ChosenDevice[];
  /** IDs without a device: deleted, or not readable by this session. */
  missing: readonly string[];
  /** The number of devices with the tags; null if no tag is chosen or the number is not loaded yet. */
  taggedTotal: number | null;
  isPending: boolean;
  error: Error | null;
  refetch: () => void;
};

/** Devices with the same name get their external ID appended. */
const named = (devices: readonly { id: string; name: string; externalId: string }[]): ChosenDevice[] => {
  const uses = new Map<string, number>();
  for (const { name } of devices) uses.set(name, (uses.get(name) ?? 0) + 1);
  return devices.map(({ id, name, externalId }) => ({
    id,
    name: (uses.get(name) ?? 0) > 1 ? `${name} (${externalId})` : name,
  }));
};

/** The devices that a view is about, with their names. */
export const useChosenDevices = ({ devices: ids, tags }: TelemetryView): ChosenDevices => {
  const single = useQueries({ queries: ids.map((id) => telemetryQueries.namedDevice(id)) });
  const tagged = useQuery(telemetryQueries.taggedDevices(tags));
  const byTag = (tags.length === 0 ? [] : (tagged.data?.data ?? [])).filter(({ id }) => !ids.includes(id));
  return {
    devices: named([...single.flatMap(({ data }) => data ?? []), ...byTag]),
    missing: ids.filter((_, index) => single[index]?.data === null),
    taggedTotal: tags.length === 0 ? null : (tagged.data?.total ?? null),
    isPending: single.some(({ isPending }) => isPending) || (tags.length > 0 && tagged.isPending),
    error: single.find(({ data }) => data === undefined)?.error ?? (tags.length > 0 ? tagged.error : null),
    refetch: () => {
      for (const { isError, refetch } of [...single, tagged]) if (isError) void refetch();
    },
  };
};
