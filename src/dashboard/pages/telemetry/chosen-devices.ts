import { useQueries, useQuery } from '@tanstack/react-query';
import type { TelemetryAnswer } from '#contract/telemetry.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { deviceFilterOf, type TelemetryView } from './telemetry-view.ts';

export type ChosenDevice = { id: string; name: string };

export type ChosenDevices = {
  /** Individually chosen devices first, then those that match the filter, of which at most the first 200 by name. */
  devices: readonly ChosenDevice[];
  /** The number of chosen devices. With a filter of many devices, individually chosen ones may count twice. */
  count: number;
  /** The IDs of devices that a link names by external ID. */
  idsByExternalId: ReadonlyMap<string, string>;
  /** IDs and external IDs without a device: unknown, deleted, or not readable by this session. */
  missing: readonly string[];
  isPending: boolean;
  error: Error | null;
  refetch: () => void;
};

type NamedDevice = { id: string; name: string; externalId: string };

/** Devices with the same name get their external ID appended. */
const namedApart = (devices: readonly NamedDevice[]): ChosenDevice[] => {
  const uses = new Map<string, number>();
  for (const { name } of devices) uses.set(name, (uses.get(name) ?? 0) + 1);
  return devices.map(({ id, name, externalId }) => ({
    id,
    name: (uses.get(name) ?? 0) > 1 ? `${name} (${externalId})` : name,
  }));
};

/** The devices that a view is about, with their names. */
export const useChosenDevices = (view: TelemetryView): ChosenDevices => {
  const ids = view.devices;
  const filter = deviceFilterOf(view);
  const single = useQueries({ queries: ids.map((id) => telemetryQueries.namedDevice(id)) });
  const matching = useQuery(telemetryQueries.matchingDevices(filter));
  const byFilter = filter === undefined ? [] : (matching.data?.data ?? []);
  const others = byFilter.filter(({ id }) => !ids.includes(id));
  const individual = single.flatMap(({ data }) => data ?? []);
  const idsByExternalId = new Map(
    ids.flatMap((id, index) => {
      const found = single[index]?.data?.id ?? id;
      return found === id ? [] : [[id, found] as const];
    }),
  );
  const total = filter === undefined ? 0 : (matching.data?.total ?? 0);
  return {
    devices: namedApart([...individual, ...others]),
    count: individual.length + total - (byFilter.length - others.length),
    idsByExternalId,
    missing: ids.filter((_, index) => single[index]?.data === null),
    // External IDs are about to be replaced.
    isPending:
      idsByExternalId.size > 0 ||
      single.some(({ isPending }) => isPending) ||
      (filter !== undefined && matching.isPending),
    error:
      single.find(({ data }) => data === undefined)?.error ??
      (filter === undefined || matching.data !== undefined ? null : matching.error),
    refetch: () => {
      for (const { isError, refetch } of [...single, matching]) if (isError) void refetch();
    },
  };
};

/** The names of ranked devices that are not listed are loaded one by one; further ones are shown by external ID. */
const NAMED_RANKED = 40;

/** The devices that have a line: in a ranking, those of the answer in its order. */
export const useDrawnDevices = (
  { devices }: ChosenDevices,
  answer: TelemetryAnswer | undefined,
): readonly ChosenDevice[] => {
  const ranked = answer?.top === undefined ? [] : answer.series;
  const externalIds = new Map(ranked.map(({ device, externalId }) => [device ?? '', externalId ?? '']));
  const names = new Map(devices.map(({ id, name }) => [id, name]));
  const unlisted = [...externalIds.keys()].filter((id) => !names.has(id));
  const found = useQueries({
    queries: unlisted.slice(0, NAMED_RANKED).map((id) => telemetryQueries.namedDevice(id)),
  });
  if (answer?.top === undefined) return devices;
  for (const { data } of found) if (data) names.set(data.id, data.name);
  return namedApart(
    [...externalIds].map(([id, externalId]) => ({ id, externalId, name: names.get(id) ?? externalId })),
  );
};
