import type { MetricKind, Value } from '#contract/telemetry.ts';
import { createIngest, type Ingest, type RoutableSamples } from './ingest-samples.ts';
import type { ResolveDevices } from '../../devices/device-registry.ts';
import { seriesAt, valueAt, type SeriesKey } from '../store/sample-columns.ts';
import { OUTCOME, type TelemetryStore, type WriteBatch, type WriteResult } from '../store/telemetry-store.ts';

type Dependencies = {
  readonly store: Pick<TelemetryStore, 'metrics' | 'read' | 'countSeries' | 'countsRepeats'>;
  /** Resolves devices without registering any. A device that would be registered has its external ID as ID. */
  readonly resolveDryRun: ResolveDevices;
  /** Epoch ms. */
  readonly clock: () => number;
  readonly retentionMs?: number | undefined;
  readonly metricsPerDevice: number;
  /** Whether samples that are stored already are left out, as in a replay. */
  readonly omitsStored: boolean;
};

type StoredSamples = Omit<RoutableSamples, 'index'>;

type DryRun = {
  readonly ingest: Ingest;
  /** Returns what would have been stored since the last call, sorted by time, with external IDs as devices. */
  readonly takeStored: () => StoredSamples[];
};

type Key = { readonly device: string; readonly metric: string };
const keyOf = ({ device, metric }: Key): string => `${device} ${metric}`;

/**
 * An ingest that predicts outcomes without effects: it stores no samples, registers no devices, marks none as seen and
 * sends no frames.
 */
export const createDryRunIngest = ({
  store,
  resolveDryRun,
  clock,
  retentionMs,
  metricsPerDevice,
  omitsStored,
}: Dependencies): DryRun => {
  let stored = new Map<string, StoredSamples & { values: Record<string, Value> }>();
  const externalIds = new Map<string, string>();
  /** The kinds of stored metrics, and of metrics that would have been stored. */
  const kinds = new Map<string, MetricKind>();
  const storedSeries = new Set<string>();
  /** The number of metrics of each device that would get new ones, with those. */
  const metricCounts = new Map<string, number>();

  const learnKinds = async (series: readonly SeriesKey[]): Promise<void> => {
    const missing = series.filter((each) => !kinds.has(keyOf(each)));
    if (missing.length === 0) return;
    const devices = new Set(missing.map(({ device }) => device));
    const metrics = new Set(missing.map(({ metric }) => metric));
    for (const known of await store.metrics([...devices], [...metrics])) {
      kinds.set(keyOf(known), known.kind);
      storedSeries.add(keyOf(known));
    }
    const withNewMetrics = new Set(
      missing.filter((each) => !kinds.has(keyOf(each))).map(({ device }) => device),
    );
    for (const device of withNewMetrics)
      if (!metricCounts.has(device)) metricCounts.set(device, await store.countSeries([device]));
  };

  /** The stored values of these series at these times, by series and time in epoch ms. */
  const readStored = async (
    series: readonly SeriesKey[],
    { index, ts }: WriteBatch,
  ): Promise<ReadonlyMap<string, Value>> => {
    const found = new Map<string, Value>();
    const positions = Map.groupBy(index.keys(), (i) => ts[i]!);
    for (const [at, atTime] of positions) {
      const known = atTime.map((i) => series[index[i]!]!).filter((each) => storedSeries.has(keyOf(each)));
      if (known.length === 0) continue;
      const devices = [...new Set(known.map(({ device }) => device))];
      const metrics = [...new Set(known.map(({ metric }) => metric))];
      const range = { devices, metrics, fromMs: at, toMs: at + 1 };
      for (const { device, metric, value } of (await store.read(range, { points: 1 }, [])).series)
        if (value?.[0] !== undefined) found.set(`${keyOf({ device, metric })} ${at}`, value[0]);
    }
    return found;
  };

  const write = async (batch: WriteBatch): Promise<WriteResult> => {
    const { index, ts } = batch;
    const series = Array.from(batch.series.kind, (_, s) => seriesAt(batch.series, s));
    await learnKinds(series);
    const storedValues = omitsStored ? await readStored(series, batch) : new Map<string, Value>();
    const outcome = Array.from(index, (s, i) => {
      const { kind } = series[s]!;
      const key = keyOf(series[s]!);
      const known = kinds.get(key);
      if (known === undefined) {
        const metrics = metricCounts.get(series[s]!.device) ?? 0;
        if (metrics >= metricsPerDevice) return OUTCOME.metricLimit;
        metricCounts.set(series[s]!.device, metrics + 1);
        kinds.set(key, kind);
      } else if (known !== kind) return OUTCOME.kindMismatch;
      const before = storedValues.get(`${key} ${ts[i]}`);
      if (before === undefined) return OUTCOME.accepted;
      return before === valueAt(batch, i) ? OUTCOME.duplicate : OUTCOME.overwritten;
    });
    return {
      outcome: Uint8Array.from(outcome),
      kinds: series.map((each) => kinds.get(keyOf(each)) ?? each.kind),
    };
  };

  const keep = (device: string, ts: number, metric: string, value: Value): void => {
    const key = `${device} ${ts}`;
    const group = stored.get(key) ?? { device, ts, values: {} };
    stored.set(key, group);
    // Defines own properties, even for names such as `toString`.
    Object.defineProperty(group.values, metric, { value, enumerable: true, configurable: true });
  };
  const takeStored = (): StoredSamples[] => {
    const groups = [...stored.values()].toSorted((a, b) => a.ts - b.ts);
    stored = new Map();
    return groups;
  };

  const ingest = createIngest({
    // The dry run counts what the store would count.
    store: { write, countsRepeats: store.countsRepeats },
    resolveDevices: async (names, sender) => {
      const resolved = await resolveDryRun(names, sender);
      for (const device of resolved.values())
        if ('id' in device) externalIds.set(device.id, device.externalId);
      return resolved;
    },
    onAccepted: ({ series }) => {
      for (const { device, metric, ts, value } of series)
        for (const [i, each] of value.entries())
          keep(externalIds.get(device) ?? device, ts[i]!, metric, each);
    },
    clock,
    retentionMs,
    metricsPerDevice,
  });
  return { ingest, takeStored };
};
