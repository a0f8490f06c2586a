import { useQueries, useQuery } from '@tanstack/react-query';
import { hasCode } from '../../api/api-error.ts';
import { deviceQueries } from '../../api/device-queries.ts';
import { telemetryQueries } from '../../api/telemetry-queries.ts';
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
};

/** Two devices of one name are told apart by their external ids. */
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
  const details = useQueries({ queries: ids.map((id) => deviceQueries.detail(id)) });
  const tagged = useQuery(telemetryQueries.taggedDevices(tags));

  const missing = ids.filter((_, index) => hasCode(details[index]?.error, 'not-found'));
  const single = ids
    .filter((id) => !missing.includes(id))
    .map((id) => {
      // Who may not read devices still has the series: the id stands for the name.
      const known = details.find(({ data }) => data?.id === id)?.data;
      return { id, name: known?.name ?? id, externalId: known?.externalId ?? id };
    });
  const byTag = (tags.length === 0 ? [] : (tagged.data?.data ?? [])).filter(({ id }) => !ids.includes(id));
  return {
    devices: named([...single, ...byTag]),
    missing,
    taggedTotal: tags.length === 0 ? null : (tagged.data?.total ?? null),
    isPending: details.some(({ isPending }) => isPending) || (tags.length > 0 && tagged.isPending),
    error: tags.length > 0 ? tagged.error : null,
  };
};
