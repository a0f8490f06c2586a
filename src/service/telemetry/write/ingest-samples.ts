import type { Value, WriteReport } from '#contract/telemetry.ts';
import type { ResolvedDevice, ResolveDevices } from '../../devices/device-registry.ts';
import type { Sender } from '../../devices/sender.ts';
import { countByDevice } from './busiest-devices.ts';
import { isDisplayUnit } from './display-unit.ts';
import { createRejectionList, prepareBatch, type PreparedBatch } from './prepare-batch.ts';
import type { Rejection, SampleReading } from './sample-reading.ts';
import {
  acceptedSeries,
  overwritesIn,
  summarise,
  type AcceptedSeries,
  type OverwrittenSeries,
  type Summary,
} from './write-summary.ts';
import { seriesAt, valueAt, type SeriesColumns } from '../store/sample-columns.ts';
import type { TelemetryStore } from '../store/telemetry-store.ts';

export type Accepted = {
  /** The time of receipt, in epoch ms. */
  readonly at: number;
  /** IDs of the devices to mark as seen: those that the write names, whatever their clocks say. */
  readonly seenDevices: readonly string[];
  /** The devices that this write registered. */
  readonly registered: readonly string[];
  /** Number of samples stored. */
  readonly stored: number;
  /** The stored samples. Computed when read, because most samples have no subscriber. */
  readonly series: readonly AcceptedSeries[];
  /** Number of samples for an external destination. */
  readonly routed: number;
  /** Number of samples of each device, including repeated ones. Computed when read: imports and replays are not counted. */
  readonly samplesByDevice: ReadonlyMap<string, number>;
  /** Neither an import of history nor a replay. */
  readonly isLive: boolean;
};

/** The outcome of a write: received = accepted + duplicates + rejected. */
type IngestReport = Omit<WriteReport, 'errors'> &
  Pick<Summary, 'newByGroup' | 'overwrittenByGroup'> & {
    readonly seenDevices: readonly string[];
    readonly rejections: readonly Rejection[];
    readonly overwrites: readonly OverwrittenSeries[];
  };

/**
 * Valid samples of a device at one time for an external destination. `index`: of their group. `device`: the external
 * ID.
 */
export type RoutableSamples = {
  readonly index: number;
  readonly device: string;
  /** Epoch ms. */
  readonly ts: number;
  readonly values: Readonly<Record<string, Value>>;
};

export type ValidatedSamples = {
  readonly samples: readonly RoutableSamples[];
  readonly seenDevices: readonly string[];
  readonly rejections: readonly Rejection[];
};

export type Ingest = {
  /**
   * Stores a reading. Resolves after it is on disk.
   * @throws StorageFull, StoreBusy: nothing was stored
   */
  accept(reading: SampleReading, sender: Sender): Promise<IngestReport>;
  /** Validates a reading for an external destination and registers devices. Stores no samples. */
  validate(reading: SampleReading, sender: Sender): Promise<ValidatedSamples>;
};

type Dependencies = {
  readonly store: Pick<TelemetryStore, 'write' | 'countsRepeats'>;
  readonly resolveDevices: ResolveDevices;
  /** Called after the write, before `accept` resolves; awaited. */
  readonly onAccepted: (accepted: Accepted) => void | Promise<void>;
  /** Epoch ms. */
  readonly clock: () => number;
  /** Older samples are rejected; undefined: no limit. */
  readonly retentionMs?: number | undefined;
  /** The limit of the store. */
  readonly metricsPerDevice: number;
};

/**
 * The devices in a reading, whatever the timestamps of their samples, except devices that are only reported as offline.
 */
const devicesIn = (devices: ReadonlyMap<string, ResolvedDevice>, { offlineDevices }: Sender): string[] => [
  ...new Set(
    [...devices].flatMap(([name, device]) =>
      'id' in device && offlineDevices?.has(name) !== true ? [device.id] : [],
    ),
  ),
];

const hasKnownDevice = (devices: ReadonlyMap<string, ResolvedDevice>): boolean =>
  [...devices.values()].some((device) => 'id' in device);

/** The devices to mark as seen, and those of them that this write registered. */
const devicesToMarkSeen = (
  { isReplay = false, isBackfill = false }: Sender,
  seenDevices: readonly string[],
  devices: ReadonlyMap<string, ResolvedDevice>,
): Pick<Accepted, 'seenDevices' | 'registered' | 'isLive'> => {
  const isLive = !isReplay && !isBackfill;
  if (!isLive) return { seenDevices: [], registered: [], isLive };
  const newIds = new Set<string>();
  for (const device of devices.values()) if ('id' in device && device.isNew === true) newIds.add(device.id);
  return { seenDevices, registered: seenDevices.filter((id) => newIds.has(id)), isLive };
};

/** The unit that the sender states for each series of a batch; null: none, or text that is not a unit. */
const unitsOf = (
  { devices: ids, metrics, device, metric }: SeriesColumns,
  devices: ReadonlyMap<string, ResolvedDevice>,
  stated: ReadonlyMap<string, string>,
): (string | null)[] => {
  // A write can name a device by its ID and by its external ID.
  const namesOf = Map.groupBy(devices.keys(), (name) => {
    const resolved = devices.get(name)!;
    return 'id' in resolved ? resolved.id : undefined;
  });
  const unitOf = (id: string, metricName: string): string | null => {
    const units = (namesOf.get(id) ?? []).map((name) => stated.get(`${name}/${metricName}`));
    return units.find(isDisplayUnit) ?? null;
  };
  return Array.from(device, (d, s) => unitOf(ids[d]!, metrics[metric[s]!]!));
};

/** The unit of each series of a batch in the convention of its sender; undefined: none has one. */
const conventionalUnitsOf = (
  { metrics, metric }: SeriesColumns,
  unitOfMetric: Sender['unitOfMetric'],
): (string | null)[] | undefined => {
  if (unitOfMetric === undefined) return undefined;
  const units = metrics.map((name) => unitOfMetric(name) ?? null);
  return units.every((unit) => unit === null) ? undefined : Array.from(metric, (m) => units[m]!);
};

/** The samples of a batch in the groups of the reading. */
const groupsOf = (
  reading: SampleReading,
  devices: ReadonlyMap<string, ResolvedDevice>,
  { batch, source }: PreparedBatch,
): RoutableSamples[] => {
  const positions = Map.groupBy(batch.index.keys(), (position) => reading.groupOf[source[position]!]!);
  return [...positions].map(([index, [first = 0, ...others]]) => {
    const { device: name } = seriesAt(reading.series, reading.index[source[first]!]!);
    const device = devices.get(name);
    const entries = [first, ...others].map(
      (position) =>
        [seriesAt(batch.series, batch.index[position]!).metric, valueAt(batch, position)] as const,
    );
    return {
      index,
      device: device !== undefined && 'externalId' in device ? device.externalId : name,
      ts: batch.ts[first]!,
      // Defines own properties, even for names such as `toString`.
      values: Object.fromEntries(entries),
    };
  });
};

/** All samples of the API, pipelines and the broker are stored through this. */
export const createIngest = ({
  store,
  resolveDevices,
  onAccepted,
  clock,
  retentionMs,
  metricsPerDevice,
}: Dependencies): Ingest => {
  const resolve = async (
    reading: SampleReading,
    sender: Sender,
  ): Promise<ReadonlyMap<string, ResolvedDevice>> => {
    const { devices } = reading.series;
    return devices.length === 0 ? new Map() : resolveDevices(devices, sender);
  };

  const accept: Ingest['accept'] = async (reading, sender) => {
    const at = clock();
    const devices = await resolve(reading, sender);
    const rejected = createRejectionList(reading);
    const prepared = prepareBatch(reading, devices, { nowMs: at, retentionMs }, rejected);
    const { batch } = prepared;
    const { isReplay, units: stated, unitOfMetric } = sender;
    const units =
      stated === undefined || stated.size === 0
        ? conventionalUnitsOf(batch.series, unitOfMetric)
        : unitsOf(batch.series, devices, stated);
    const result =
      batch.index.length === 0
        ? { outcome: new Uint8Array(), kinds: [] }
        : await store.write(units === undefined ? batch : { ...batch, units });
    const countsNew = isReplay === true && store.countsRepeats;
    const summary = summarise(reading, prepared, result, { rejected, countsNew, metricsPerDevice });
    const seenDevices = devicesIn(devices, sender);
    if (hasKnownDevice(devices))
      await onAccepted({
        at,
        ...devicesToMarkSeen(sender, seenDevices, devices),
        stored: summary.accepted,
        get series() {
          return acceptedSeries(batch, result);
        },
        routed: 0,
        get samplesByDevice() {
          return countByDevice(batch);
        },
      });
    const rejections = rejected.inOrder();
    return {
      received: reading.rejections.reduce((sum, { samples }) => sum + samples, reading.index.length),
      ...summary,
      rejected: rejections.reduce((sum, { samples }) => sum + samples, 0),
      seenDevices,
      rejections,
      overwrites: summary.overwritten === 0 ? [] : overwritesIn(reading, prepared, result),
    };
  };

  const validate: Ingest['validate'] = async (reading, sender) => {
    const at = clock();
    const devices = await resolve(reading, sender);
    const rejected = createRejectionList(reading);
    // The retention does not apply to external destinations.
    const { batch, source } = prepareBatch(reading, devices, { nowMs: at, retentionMs: undefined }, rejected);
    const seenDevices = devicesIn(devices, sender);
    if (hasKnownDevice(devices))
      await onAccepted({
        at,
        ...devicesToMarkSeen(sender, seenDevices, devices),
        stored: 0,
        series: [],
        routed: batch.index.length,
        get samplesByDevice() {
          return countByDevice(batch);
        },
      });
    return {
      samples: groupsOf(reading, devices, { batch, source }),
      seenDevices,
      rejections: rejected.inOrder(),
    };
  };

  return { accept, validate };
};
