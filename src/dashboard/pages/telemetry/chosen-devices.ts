import { useQueries, useQuery } from '@tanstack/react-query';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import type { TelemetryView } from './telemetry-view.ts';

export type ChosenDevice = { id: string; name: string };

export type ChosenDevices = {
  /** Those named one by one first, then those that the tags stand for. */
  devices: readonly ChosenDevice[];
  /** Ids that name no device: deleted, or not for this session. */
  missing: readonly string[];
  /** How many devices carry the tags; null where no tag is chosen, or that is not known yet. */
  taggedTotal: number | null;
  isPending: boolean;
  error: Error | null;
  refetch: () => void;
};

/** Two devices of one name are told apart by their external IDs. */
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
