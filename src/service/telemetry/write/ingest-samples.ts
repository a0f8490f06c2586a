import { LIMITS, type MetricKind, type Value, type WriteReport } from '#contract/telemetry.ts';
import type { ResolvedDevice, ResolveDevices } from '../../devices/device-registry.ts';
import type { Sender } from '../../devices/sender.ts';
import { pointerToValue, type Rejection, type SampleReading } from './sample-reading.ts';
import { seriesAt, valueAt, type SeriesColumns } from '../store/sample-columns.ts';
import { SeriesBuilder } from '../store/series-builder.ts';
import { OUTCOME, type TelemetryStore, type WriteBatch, type WriteResult } from '../store/telemetry-store.ts';

/** New or changed values of one series in a write, in the order of receipt. */
type AcceptedSeries = {
  readonly device: string;
  readonly metric: string;
  readonly kind: MetricKind;
  readonly ts: number[];
  readonly value: Value[];
};

export type Accepted = {
  /** The time of receipt, in epoch ms. */
  readonly at: number;
  /** IDs of the devices to mark as seen: those that the write names, whatever their clocks say. */
  readonly seenDevices: readonly string[];
  /** The devices that this write registered. */
  readonly registered: readonly string[];
  /** Number of values stored. */
  readonly stored: number;
  /** The stored values. Computed when read: mostly nobody follows them. */
  readonly series: readonly AcceptedSeries[];
  /** Number of values for an external destination. */
  readonly routed: number;
};

/** Overwritten values of a series in one write, with the latest of them and the value before, if known. */
export type OverwrittenSeries = {
  readonly device: string;
  readonly metric: string;
  readonly count: number;
  /** The index of the sample with the latest overwritten value. */
  readonly index: number;
  readonly ts: number;
  readonly before: Value | undefined;
  readonly after: Value;
};

/** The outcome of a write: received = accepted + duplicates + rejected. */
type IngestReport = Omit<WriteReport, 'errors'> & {
  readonly seenDevices: readonly string[];
  readonly rejections: readonly Rejection[];
  /** For a replay: number of new or changed values, by the index of their sample. */
  readonly freshIn: ReadonlyMap<number, number>;
  /** Number of values that replaced a different value, by the index of their sample. */
  readonly overwrittenIn: ReadonlyMap<number, number>;
  readonly overwrites: readonly OverwrittenSeries[];
};

/** A valid sample for an external destination. `index`: of the sample it was read from. `device`: the external ID. */
export type RoutableSample = {
  readonly index: number;
  readonly device: string;
  /** Epoch ms. */
  readonly ts: number;
  readonly values: Readonly<Record<string, Value>>;
};

export type ValidatedSamples = {
  readonly samples: readonly RoutableSample[];
  readonly seenDevices: readonly string[];
  readonly rejections: readonly Rejection[];
};

export type Ingest = {
  /**
   * Stores a reading. Resolves after it is on disk.
   * @throws StorageFull, StoreBusy: nothing was stored
   */
  accept(reading: SampleReading, sender: Sender): Promise<IngestReport>;
  /** Validates a reading for an external destination and registers devices. Stores no values. */
  validate(reading: SampleReading, sender: Sender): Promise<ValidatedSamples>;
};

type Dependencies = {
  readonly store: Pick<TelemetryStore, 'write'>;
  readonly resolveDevices: ResolveDevices;
  /** Called after the write, before `accept` resolves; awaited. */
  readonly onAccepted: (accepted: Accepted) => void | Promise<void>;
  /** Epoch ms. */
  readonly clock: () => number;
  /** Older values are rejected; undefined: no limit. */
  readonly retentionMs?: number | undefined;
};

const DAY_MS = 86_400_000;

/** Collects rejections. Several values with the same sample, pointer and reason are one rejection. */
const createRejectionList = (reading: SampleReading) => {
  const list = [...reading.rejections];
  let last: { -readonly [K in keyof Rejection]: Rejection[K] } | undefined;
  return {
    list,
    /** Rejects value `i` of the reading. */
    add: (i: number, part: 'device' | 'ts' | 'values', code: string, detail: string): void => {
      const pointer = pointerToValue(reading, i, part);
      if (last?.pointer === pointer) last.values += 1;
      else list.push((last = { index: reading.sampleOf[i]!, pointer, code, detail, values: 1 }));
    },
  };
};
type RejectionList = ReturnType<typeof createRejectionList>;

/** A batch of valid values. Its value `i` is value `source[i]` of the reading. */
type Prepared = { batch: WriteBatch; source: Uint32Array };

/** The series of a reading under the IDs of their devices. A device that is not resolved keeps its name. */
const resolveSeries = (
  { devices: names, ...series }: SeriesColumns,
  resolved: readonly ResolvedDevice[],
): { series: SeriesColumns; renumbered: Uint32Array | undefined } => {
  const devices = names.map((name, d) => {
    const device = resolved[d]!;
    return 'id' in device ? device.id : name;
  });
  if (new Set(devices).size === devices.length)
    return { series: { ...series, devices }, renumbered: undefined };
  // Two names of one device: its series become one.
  const builder = new SeriesBuilder();
  const renumbered = series.device.map((d, s) =>
    builder.seriesNumber(
      builder.deviceNumber(devices[d]!),
      builder.metricNumber(series.metrics[series.metric[s]!]!),
      series.kind[s]!,
    ),
  );
  return { series: builder.columns(), renumbered };
};

/** Rejects values with an invalid device or timestamp, and sets missing timestamps. */
const prepare = (
  reading: SampleReading,
  devices: ReadonlyMap<string, ResolvedDevice>,
  { nowMs, retentionMs = Infinity }: { nowMs: number; retentionMs: number | undefined },
  rejected: RejectionList,
): Prepared => {
  const total = reading.index.length;
  const [source, index] = [new Uint32Array(total), new Uint32Array(total)];
  const [ts, cells] = [new Float64Array(total), new Float64Array(total)];
  const resolved = reading.series.devices.map((name) => {
    const device = devices.get(name);
    if (device === undefined) throw new Error(`The device ${name} was not resolved.`);
    return device;
  });
  const { series, renumbered } = resolveSeries(reading.series, resolved);
  let stored = 0;
  for (let i = 0; i < total; i += 1) {
    const s = reading.index[i]!;
    const at = reading.ts[i]!;
    const device = resolved[reading.series.device[s]!]!;
    if ('reason' in device) rejected.add(i, 'device', device.reason, device.detail);
    else if (at > nowMs + LIMITS.aheadMs)
      rejected.add(
        i,
        'ts',
        'ts-too-far-ahead',
        `Is more than ${LIMITS.aheadMs / 60_000} minutes ahead of the service. Set the device's clock.`,
      );
    else if (at < nowMs - retentionMs)
      rejected.add(
        i,
        'ts',
        'ts-too-old',
        `Is older than ${retentionMs / DAY_MS} days, the retention of telemetry (RETENTION_DAYS).`,
      );
    else {
      source[stored] = i;
      index[stored] = renumbered === undefined ? s : renumbered[s]!;
      ts[stored] = Number.isNaN(at) ? nowMs : at;
      cells[stored] = reading.cells[i]!;
      stored += 1;
    }
  }
  return {
    batch: {
      series,
      index: index.subarray(0, stored),
      ts: ts.subarray(0, stored),
      cells: cells.subarray(0, stored),
      texts: reading.texts,
    },
    source: source.subarray(0, stored),
  };
};

const isStored = (outcome: number | undefined): boolean =>
  outcome === OUTCOME.accepted || outcome === OUTCOME.overwritten;

/** The stored values of a batch, by series. */
const acceptedSeries = (batch: WriteBatch, { outcome }: WriteResult): AcceptedSeries[] => {
  const accepted = new Map<number, AcceptedSeries>();
  for (const [i, s] of batch.index.entries()) {
    if (!isStored(outcome[i])) continue;
    let columns = accepted.get(s);
    if (columns === undefined)
      accepted.set(s, (columns = { ...seriesAt(batch.series, s), ts: [], value: [] }));
    columns.ts.push(batch.ts[i]!);
    columns.value.push(valueAt(batch, i));
  }
  return [...accepted.values()];
};

type Counts = { accepted: number; overwritten: number; duplicates: number };
type Summary = Counts & Pick<IngestReport, 'freshIn' | 'overwrittenIn'>;

/** Counts the outcomes, and rejects values of another kind than their metric. */
const summarise = (
  reading: SampleReading,
  { batch, source }: Prepared,
  { outcome, kinds }: WriteResult,
  { rejected, isReplay = false }: { rejected: RejectionList; isReplay: boolean | undefined },
): Summary => {
  const counts = { accepted: 0, overwritten: 0, duplicates: 0 };
  const freshIn = new Map<number, number>();
  const overwrittenIn = new Map<number, number>();
  for (let i = 0; i < outcome.length; i += 1) {
    const what = outcome[i];
    if (what === OUTCOME.accepted && !isReplay) counts.accepted += 1;
    else if (what === OUTCOME.duplicate) counts.duplicates += 1;
    else {
      const sample = reading.sampleOf[source[i]!]!;
      if (what === OUTCOME.kindMismatch) {
        const { kind } = seriesAt(batch.series, batch.index[i]!);
        rejected.add(
          source[i]!,
          'values',
          'kind-mismatch',
          `The metric has values of kind ${kinds[batch.index[i]!]}, not ${kind}. Send the value under another metric name.`,
        );
        continue;
      }
      counts.accepted += 1;
      if (isReplay) freshIn.set(sample, (freshIn.get(sample) ?? 0) + 1);
      if (what !== OUTCOME.overwritten) continue;
      counts.overwritten += 1;
      overwrittenIn.set(sample, (overwrittenIn.get(sample) ?? 0) + 1);
    }
  }
  return { ...counts, freshIn, overwrittenIn };
};

/** The devices that a reading names, whatever the timestamps of their values. */
const devicesIn = (devices: ReadonlyMap<string, ResolvedDevice>): string[] => [
  ...new Set([...devices.values()].flatMap((device) => ('id' in device ? [device.id] : []))),
];

/** The series with overwritten values, ordered by the latest overwritten value. */
const overwritesIn = (
  reading: SampleReading,
  { batch, source }: Prepared,
  { outcome, replaced }: WriteResult,
): OverwrittenSeries[] => {
  const found = new Map<number, { count: number; place: number }>();
  for (const [place, what] of outcome.entries()) {
    if (what !== OUTCOME.overwritten) continue;
    const s = batch.index[place]!;
    const count = (found.get(s)?.count ?? 0) + 1;
    found.delete(s);
    found.set(s, { count, place });
  }
  return Array.from(found, ([s, { count, place }]) => {
    const { device, metric } = seriesAt(batch.series, s);
    const index = reading.sampleOf[source[place]!]!;
    const [ts, before, after] = [batch.ts[place]!, replaced?.get(place), valueAt(batch, place)];
    return { device, metric, count, index, ts, before, after };
  });
};

/** The devices to mark as seen, and those of them that this write registered. */
const devicesToMarkSeen = (
  { isReplay = false, isBackfill = false }: Sender,
  seenDevices: readonly string[],
  devices: ReadonlyMap<string, ResolvedDevice>,
): Pick<Accepted, 'seenDevices' | 'registered'> => {
  if (isReplay || isBackfill) return { seenDevices: [], registered: [] };
  const newIds = new Set<string>();
  for (const device of devices.values()) if ('id' in device && device.isNew === true) newIds.add(device.id);
  return { seenDevices, registered: seenDevices.filter((id) => newIds.has(id)) };
};

const inOrder = ({ list }: RejectionList): Rejection[] => list.toSorted((a, b) => a.index - b.index);

/** Groups the values of a batch into samples. */
const samplesOf = (
  reading: SampleReading,
  devices: ReadonlyMap<string, ResolvedDevice>,
  { batch, source }: Prepared,
): RoutableSample[] => {
  const places = Map.groupBy(batch.index.keys(), (place) => reading.sampleOf[source[place]!]!);
  return [...places].map(([index, [first = 0, ...others]]) => {
    const { device: name } = seriesAt(reading.series, reading.index[source[first]!]!);
    const device = devices.get(name);
    const entries = [first, ...others].map(
      (place) => [seriesAt(batch.series, batch.index[place]!).metric, valueAt(batch, place)] as const,
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

/** All values of the API, pipelines and the broker are stored through this. */
export const createIngest = ({
  store,
  resolveDevices,
  onAccepted,
  clock,
  retentionMs,
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
    const prepared = prepare(reading, devices, { nowMs: at, retentionMs }, rejected);
    const { batch } = prepared;
    const result =
      batch.index.length === 0 ? { outcome: new Uint8Array(), kinds: [] } : await store.write(batch);
    const { isReplay } = sender;
    const summary = summarise(reading, prepared, result, { rejected, isReplay });
    const seenDevices = devicesIn(devices);
    if (seenDevices.length > 0)
      await onAccepted({
        at,
        ...devicesToMarkSeen(sender, seenDevices, devices),
        stored: summary.accepted,
        get series() {
          return acceptedSeries(batch, result);
        },
        routed: 0,
      });
    const rejections = inOrder(rejected);
    return {
      received: reading.rejections.reduce((sum, { values }) => sum + values, reading.index.length),
      ...summary,
      rejected: rejections.reduce((sum, { values }) => sum + values, 0),
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
    const { batch, source } = prepare(reading, devices, { nowMs: at, retentionMs: undefined }, rejected);
    const seenDevices = devicesIn(devices);
    if (seenDevices.length > 0)
      await onAccepted({
        at,
        ...devicesToMarkSeen(sender, seenDevices, devices),
        stored: 0,
        series: [],
        routed: batch.index.length,
      });
    return {
      samples: samplesOf(reading, devices, { batch, source }),
      seenDevices,
      rejections: inOrder(rejected),
    };
  };

  return { accept, validate };
};
