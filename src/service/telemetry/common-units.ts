import type { IsAwaited } from '../platform/http/awaited.ts';
import type { Db } from '../platform/storage/database.ts';
import { VALUES_PER_QUERY } from '../platform/storage/slices.ts';
import { describeMetric } from './describe-metric.ts';
import { loadMetricSettings } from './metric-settings-store.ts';
import { deviceSlices } from './query/device-slices.ts';
import type { CombinedSeries } from './store/telemetry-store.ts';

type StoredUnit = { readonly metric: string; readonly unit: string | null };

const storedUnitsByDevice = (all: readonly CombinedSeries[]): Map<string, StoredUnit[]> => {
  const byDevice = new Map<string, StoredUnit[]>();
  for (const { metric, devices, units } of all)
    for (const [i, device] of devices.entries()) {
      const stored = { metric, unit: units[i] ?? null };
      const others = byDevice.get(device);
      if (others === undefined) byDevice.set(device, [stored]);
      else others.push(stored);
    }
  return byDevice;
};

/** Loads the unit of each combined series: the one that all its devices have, null if they differ. */
export const loadCommonUnits = async (
  db: Db,
  all: readonly CombinedSeries[],
  isAwaited: IsAwaited,
): Promise<(metric: string) => string | null> => {
  const byDevice = storedUnitsByDevice(all);
  const seriesOf = new Map(Array.from(byDevice, ([device, stored]) => [device, stored.length]));
  const units = new Map<string, Set<string | null>>();
  for await (const devices of deviceSlices(seriesOf, VALUES_PER_QUERY, isAwaited)) {
    const settingsOf = await loadMetricSettings(db, devices);
    for (const device of devices)
      for (const stored of byDevice.get(device) ?? []) {
        const { unit } = describeMetric({ device, kind: 'number', ...stored }, settingsOf);
        units.set(stored.metric, (units.get(stored.metric) ?? new Set()).add(unit));
      }
  }
  return (metric) => {
    const [unit = null, ...others] = units.get(metric) ?? [];
    return others.length === 0 ? unit : null;
  };
};
