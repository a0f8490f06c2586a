import { LIMITS } from '#contract/sample-rules.ts';
import { toIsoTime } from '../../platform/iso-time.ts';
import type { ResolvedDevice } from '../../devices/device-registry.ts';
import { deviceOfSample, pointerToValue, type Rejection, type SampleReading } from './sample-reading.ts';
import type { SeriesColumns } from '../store/sample-columns.ts';
import { SeriesBuilder } from '../store/series-builder.ts';
import type { WriteBatch } from '../store/telemetry-store.ts';

const DAY_MS = 86_400_000;

type Part = 'device' | 'ts' | 'values';

/** Collects rejections. Several samples of a group with the same pointer and reason are one rejection. */
export const createRejectionList = (reading: SampleReading) => {
  const list = [...reading.rejections];
  let last: ({ -readonly [K in keyof Rejection]: Rejection[K] } & { readonly part: Part }) | undefined;
  /** Whether sample `i` has the pointer of the last rejection. */
  const isAtLast = (i: number, part: Part): boolean =>
    last?.index === reading.groupOf[i] &&
    last?.part === part &&
    (part === 'device' || (part === 'ts' && reading.positionOf === undefined));
  return {
    /** The rejections in the order of their groups. */
    inOrder: (): Rejection[] => list.toSorted((a, b) => a.index - b.index),
    /** Rejects sample `i` of the reading. */
    add: (i: number, part: Part, code: string, detail: string): void => {
      if (last !== undefined && isAtLast(i, part)) {
        last.samples += 1;
        return;
      }
      last = {
        index: reading.groupOf[i]!,
        part,
        // Built on demand: of many rejections, few are described.
        get pointer() {
          return pointerToValue(reading, i, part);
        },
        get device() {
          return deviceOfSample(reading, i);
        },
        code,
        detail,
        samples: 1,
      };
      list.push(last);
    },
  };
};
export type RejectionList = ReturnType<typeof createRejectionList>;

/** A batch of valid samples. Its sample `i` is sample `source[i]` of the reading. */
export type PreparedBatch = { batch: WriteBatch; source: Uint32Array };

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

/** The timestamps that are stored. Without `retentionMs`, telemetry is kept forever. */
export type TimeWindow = { readonly nowMs: number; readonly retentionMs: number | undefined };

/** Whether a timestamp is outside of the window; a missing one (NaN) is not. */
export const isOutside = (ts: number, { nowMs, retentionMs = Infinity }: TimeWindow): boolean =>
  ts > nowMs + LIMITS.aheadMs || ts < nowMs - retentionMs;

/** Why a timestamp outside of the window is rejected. */
export const rejectTime = (ts: number, { nowMs, retentionMs = Infinity }: TimeWindow) =>
  ts > nowMs
    ? {
        reason: 'ts-too-far-ahead' as const,
        detail: `The timestamp is more than ${LIMITS.aheadMs / 60_000} minutes ahead of the clock of the service: it was read as ${toIsoTime(ts)}, and the clock shows ${toIsoTime(nowMs)}. Correct the unit or the time zone of the timestamp, or set the clock of the device.`,
      }
    : {
        reason: 'ts-too-old' as const,
        detail: `The timestamp is older than the telemetry retention of ${retentionMs / DAY_MS} days. Correct the timestamp, or raise RETENTION_DAYS.`,
      };

/** Rejects samples with an invalid device or timestamp, and sets missing timestamps. */
export const prepareBatch = (
  reading: SampleReading,
  devices: ReadonlyMap<string, ResolvedDevice>,
  window: TimeWindow,
  rejected: RejectionList,
): PreparedBatch => {
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
    else if (isOutside(at, window)) {
      const { reason, detail } = rejectTime(at, window);
      rejected.add(i, 'ts', reason, detail);
    } else {
      source[stored] = i;
      index[stored] = renumbered === undefined ? s : renumbered[s]!;
      ts[stored] = Number.isNaN(at) ? window.nowMs : at;
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
