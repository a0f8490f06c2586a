import type { MetricKind } from '#contract/telemetry.ts';
import {
  createIngest,
  type Ingest,
  type ResolveDevices,
  type Sender,
  type SiftedSample,
} from './ingest-samples.ts';
import { OUTCOME, type TelemetryStore, type WriteBatch, type WriteResult } from './telemetry-store.ts';

type Dependencies<S extends Sender> = {
  readonly store: Pick<TelemetryStore, 'metrics'>;
  /** Finds devices without registering one: that which would be registered has its external id for an id. */
  readonly foreseeDevices: ResolveDevices<S>;
  /** Epoch ms. */
  readonly clock: () => number;
  readonly retentionMs?: number | undefined;
};

type StoredValue = Omit<SiftedSample, 'index'>;

type Rehearsal<S extends Sender> = {
  readonly ingest: Ingest<S>;
  /** What it would have stored so far, a value each, by the external ids of its devices. */
  readonly stored: readonly StoredValue[];
};

type Key = { readonly device: string; readonly metric: string };
const keyOf = ({ device, metric }: Key): string => `${device} ${metric}`;

/**
 * An ingest that says what would become of values, and does none of it: no value is stored, no device registered or
 * heard from, nobody told. A value that is stored already counts as accepted, not as a duplicate.
 */
export const rehearseIngest = <S extends Sender>({
  store,
  foreseeDevices,
  clock,
  retentionMs,
}: Dependencies<S>): Rehearsal<S> => {
  const stored: StoredValue[] = [];
  const externalIds = new Map<string, string>();
  /** Of the store, and of what would have been stored before. */
  const kinds = new Map<string, MetricKind>();

  const learnKinds = async (series: WriteBatch['series']): Promise<void> => {
    const missing = series.filter((each) => !kinds.has(keyOf(each)));
    if (missing.length === 0) return;
    const devices = new Set(missing.map(({ device }) => device));
    const metrics = new Set(missing.map(({ metric }) => metric));
    for (const known of await store.metrics([...devices], [...metrics])) kinds.set(keyOf(known), known.kind);
  };

  const write = async ({ series, index }: WriteBatch): Promise<WriteResult> => {
    await learnKinds(series);
    const outcome = index.map((s) => {
      const { kind } = series[s]!;
      const known = kinds.get(keyOf(series[s]!));
      if (known === undefined) kinds.set(keyOf(series[s]!), kind);
      return known === undefined || known === kind ? OUTCOME.accepted : OUTCOME.kindMismatch;
    });
    return {
      outcome: Uint8Array.from(outcome),
      kinds: series.map((each) => kinds.get(keyOf(each)) ?? each.kind),
    };
  };

  const ingest = createIngest<S>({
    store: { write },
    resolveDevices: async (names, sender) => {
      const resolved = await foreseeDevices(names, sender);
      for (const device of resolved.values())
        if ('id' in device) externalIds.set(device.id, device.externalId);
      return resolved;
    },
    onAccepted: ({ series }) => {
      for (const { device, metric, ts, value } of series)
        for (const [i, each] of value.entries())
          stored.push({ device: externalIds.get(device) ?? device, ts: ts[i]!, values: { [metric]: each } });
    },
    clock,
    retentionMs,
  });
  return { ingest, stored };
};
