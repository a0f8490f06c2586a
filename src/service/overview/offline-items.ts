import type { OfflineDevices } from '../devices/offline-devices.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import { listNames, NO_DETAILS, type KnownItem } from './attention-items.ts';

const NAMED_TYPES = 3;

/** “By type: boiler 12, pump 8, others 17.”; empty if no device has a type. */
const describeTypes = ({ total, types }: OfflineDevices): string => {
  if (types.length === 0) return '';
  const named = types.slice(0, NAMED_TYPES);
  const others = Math.max(0, total - named.reduce((sum, { offline }) => sum + offline, 0));
  const counts = [
    ...named.map(({ type, offline }) => `${type} ${offline.toLocaleString('en')}`),
    ...(others === 0 ? [] : [`others ${others.toLocaleString('en')}`]),
  ];
  return `By type: ${counts.join(', ')}. `;
};

/** One item for each offline device while they are few, otherwise one for all. */
export const offlineItems = (offline: OfflineDevices): KnownItem[] => {
  const { total, devices, areFew } = offline;
  if (total === 0) return [];
  const common = { ...NO_DETAILS, kind: 'devices-offline', severity: 'critical' } as const;
  if (areFew)
    return devices.map(({ id, name, offlineAtMs }) => ({
      ...common,
      id: `offline ${id}`,
      subject: { type: 'device', id, name },
      devices: 1,
      since: toIsoTime(offlineAtMs),
    }));
  const [latest] = devices;
  const names =
    latest === undefined ? '' : `Latest: ${listNames(devices.slice(0, 3).map(({ name }) => name))}.`;
  return [
    {
      ...common,
      id: 'offline',
      detail: `${describeTypes(offline)}${names}`.trim(),
      devices: total,
      lastAt: latest === undefined ? null : toIsoTime(latest.offlineAtMs),
    },
  ];
};
