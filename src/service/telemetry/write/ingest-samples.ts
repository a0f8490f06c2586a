import { pointerOf } from '#contract/problem.ts';
import { LIMITS, type MetricKind, type Value, type WriteReport } from '#contract/telemetry.ts';
import type { ResolvedDevice, ResolveDevices } from '../../devices/device-registry.ts';
import type { Sender } from '../../devices/sender.ts';
import type { Rejection, SampleReading } from './sample-reading.ts';
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
  /** IDs of the devices to mark as seen: those with a readable value, including duplicates. */
  readonly seenDevices: readonly string[];
  /** The devices that this write registered. */
  readonly registered: readonly string[];
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
const createRejectionList = (first: readonly Rejection[]) => {
  const list = [...first];
  let last: { -readonly [K in keyof Rejection]: Rejection[K] } | undefined;
  return {
    list,
    add: (index: number, path: readonly string[], code: string, detail: string): void => {
      const pointer = pointerOf(['samples', index, ...path]);
      if (last?.pointer === pointer) last.values += 1;
      else list.push((last = { index, pointer, code, detail, values: 1 }));
    },
  };
};
type RejectionList = ReturnType<typeof createRejectionList>;

/** A batch of valid values. Its value `i` is value `source[i]` of the reading. */
type Prepared = { batch: WriteBatch; source: Uint32Array };

/** Rejects values with an invalid device or timestamp, and sets missing timestamps. */
const prepare = (
  reading: SampleReading,
  devices: ReadonlyMap<string, ResolvedDevice>,
  { nowMs, retentionMs = Infinity }: { nowMs: number; retentionMs: number | undefined },
  rejected: RejectionList,
): Prepared => {
  const total = reading.value.length;
  const [source, index, ts] = [new Uint32Array(total), new Uint32Array(total), new Float64Array(total)];
  const value: Value[] = [];
  const resolved = reading.series.map(({ device }) => devices.get(device));
  for (let i = 0; i < total; i += 1) {
    const [series, sample, at] = [reading.seriesOf[i]!, reading.sampleOf[i]!, reading.ts[i]!];
    const device = resolved[series];
    if (device === undefined)
      throw new Error(`The device ${reading.series[series]?.device} was not resolved.`);
    if ('reason' in device) rejected.add(sample, ['device'], device.reason, device.detail);
    else if (at > nowMs + LIMITS.aheadMs)
      rejected.add(
        sample,
        ['ts'],
        'ts-too-far-ahead',
        `Is more than ${LIMITS.aheadMs / 60_000} minutes ahead of the service. Set the device's clock.`,
      );
    else if (at < nowMs - retentionMs)
      rejected.add(
        sample,
        ['ts'],
        'ts-too-old',
        `Is older than ${retentionMs / DAY_MS} days, the retention of telemetry (RETENTION_DAYS).`,
      );
    else {
      const place = value.push(reading.value[i]!) - 1;
      source[place] = i;
      index[place] = series;
      ts[place] = Number.isNaN(at) ? nowMs : at;
    }
  }
  const series = reading.series.map(({ device, metric, kind }, s) => {
    const known = resolved[s];
    return { device: known !== undefined && 'id' in known ? known.id : device, metric, kind };
  });
  const stored = value.length;
  return {
    batch: { series, index: index.subarray(0, stored), ts: ts.subarray(0, stored), value },
    source: source.subarray(0, stored),
  };
};

const summarise = (
  reading: SampleReading,
  { batch, source }: Prepared,
  { outcome, kinds }: WriteResult,
  { rejected, isReplay = false }: { rejected: RejectionList; isReplay: boolean | undefined },
): { counts: number[]; series: AcceptedSeries[] } & Pick<IngestReport, 'freshIn' | 'overwrittenIn'> => {
  const counts = Object.values(OUTCOME).map(() => 0);
  const freshIn = new Map<number, number>();
  const overwrittenIn = new Map<number, number>();
  const accepted = new Map<number, AcceptedSeries>();
  for (const [i, what] of outcome.entries()) {
    counts[what]! += 1;
    const s = batch.index[i]!;
    const { device, metric, kind } = batch.series[s]!;
    if (what === OUTCOME.kindMismatch)
      rejected.add(
        reading.sampleOf[source[i]!]!,
        ['values', metric],
        'kind-mismatch',
        `The metric has values of kind ${kinds[s]}, not ${kind}. Send the value under another metric name.`,
      );
    if (what !== OUTCOME.accepted && what !== OUTCOME.overwritten) continue;
    let columns = accepted.get(s);
    if (columns === undefined) accepted.set(s, (columns = { device, metric, kind, ts: [], value: [] }));
    columns.ts.push(batch.ts[i]!);
    columns.value.push(batch.value[i]!);
    const index = reading.sampleOf[source[i]!]!;
    if (what === OUTCOME.overwritten) overwrittenIn.set(index, (overwrittenIn.get(index) ?? 0) + 1);
    if (isReplay) freshIn.set(index, (freshIn.get(index) ?? 0) + 1);
  }
  return { counts, series: [...accepted.values()], freshIn, overwrittenIn };
};

const devicesIn = ({ index, series }: WriteBatch): string[] => [
  ...new Set(Array.from(index, (s) => series[s]!.device)),
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
    const { device, metric } = batch.series[s]!;
    const index = reading.sampleOf[source[place]!]!;
    const [ts, before, after] = [batch.ts[place]!, replaced?.get(place), batch.value[place]!];
    return { device, metric, count, index, ts, before, after };
  });
};

/** The devices to mark as seen, and those of them that this write registered. */
const devicesToMarkSeen = (
  { isReplay = false }: Sender,
  seenDevices: readonly string[],
  devices: ReadonlyMap<string, ResolvedDevice>,
): Pick<Accepted, 'seenDevices' | 'registered'> => {
  if (isReplay) return { seenDevices: [], registered: [] };
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
  const places = Map.groupBy(batch.value.keys(), (place) => reading.sampleOf[source[place]!]!);
  return [...places].map(([index, [first = 0, ...others]]) => {
    const { device: name } = reading.series[batch.index[first]!]!;
    const device = devices.get(name);
    const entries = [first, ...others].map(
      (place) => [batch.series[batch.index[place]!]!.metric, batch.value[place]!] as const,
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
    const names = [...new Set(reading.series.map(({ device }) => device))];
    return names.length === 0 ? new Map() : resolveDevices(names, sender);
  };

  const accept: Ingest['accept'] = async (reading, sender) => {
    const at = clock();
    const devices = await resolve(reading, sender);
    const rejected = createRejectionList(reading.rejections);
    const prepared = prepare(reading, devices, { nowMs: at, retentionMs }, rejected);
    const { batch } = prepared;
    const result =
      batch.value.length === 0 ? { outcome: new Uint8Array(), kinds: [] } : await store.write(batch);
    const summary = summarise(reading, prepared, result, { rejected, isReplay: sender.isReplay });
    const { counts, series, freshIn, overwrittenIn } = summary;
    const seenDevices = devicesIn(batch);
    if (seenDevices.length > 0)
      await onAccepted({ at, ...devicesToMarkSeen(sender, seenDevices, devices), series, routed: 0 });
    const rejections = inOrder(rejected);
    const rejectedValues = rejections.reduce((sum, { values }) => sum + values, 0);
    const overwritten = counts[OUTCOME.overwritten]!;
    return {
      received: reading.rejections.reduce((sum, { values }) => sum + values, reading.value.length),
      accepted: counts[OUTCOME.accepted]! + overwritten,
      overwritten,
      duplicates: counts[OUTCOME.duplicate]!,
      rejected: rejectedValues,
      seenDevices,
      rejections,
      freshIn,
      overwrittenIn,
      overwrites: overwritten === 0 ? [] : overwritesIn(reading, prepared, result),
    };
  };

  const validate: Ingest['validate'] = async (reading, sender) => {
    const at = clock();
    const devices = await resolve(reading, sender);
    const rejected = createRejectionList(reading.rejections);
    // The retention does not apply to external destinations.
    const { batch, source } = prepare(reading, devices, { nowMs: at, retentionMs: undefined }, rejected);
    const seenDevices = devicesIn(batch);
    if (seenDevices.length > 0)
      await onAccepted({
        at,
        ...devicesToMarkSeen(sender, seenDevices, devices),
        series: [],
        routed: batch.value.length,
      });
    return {
      samples: samplesOf(reading, devices, { batch, source }),
      seenDevices,
      rejections: inOrder(rejected),
    };
  };

  return { accept, validate };
};
