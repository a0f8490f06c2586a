import type { OfflineDevices } from '../devices/offline-devices.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import { listNames, NO_DETAILS, type KnownItem } from './attention-items.ts';

/** The groups that an item lists. */
const LISTED_GROUPS = 3;

/** One item for each offline device while they are few, otherwise one for all. */
export const offlineItems = (offline: OfflineDevices): KnownItem[] => {
  const { total, devices, areFew, grouping } = offline;
  if (total === 0) return [];
  const common = { ...NO_DETAILS, kind: 'devices-offline', severity: 'critical' } as const;
  if (areFew)
    return devices.map(({ id, name, offlineAtMs, lastSeenAtMs }) => ({
      ...common,
      id: `offline ${id}`,
      subject: { type: 'device', id, name },
      devices: 1,
      since: toIsoTime(offlineAtMs),
      lastSeenAt: toIsoTime(lastSeenAtMs),
    }));
  const [latest] = devices;
  const names =
    latest === undefined ? '' : `Latest: ${listNames(devices.slice(0, 3).map(({ name }) => name))}.`;
  return [
    {
      ...common,
      id: 'offline',
      detail: names,
      groups:
        grouping === undefined
          ? null
          : {
              by: grouping.by,
              data: grouping.groups
                .slice(0, LISTED_GROUPS)
                .map(({ value, offline: count }) => ({ value, devices: count })),
            },
      devices: total,
      lastAt: latest === undefined ? null : toIsoTime(latest.offlineAtMs),
    },
  ];
};
