import type { Aggregate } from '#contract/telemetry.ts';
import type { PackedResult } from './packed-batch.ts';
import type {
  CombinedResult,
  CombineOptions,
  ReadResult,
  Resolution,
  ScanPosition,
  ScanResult,
  Selection,
  SeriesCounts,
  StoredMetric,
  WriteBatch,
} from '../telemetry-store.ts';

type Named = { readonly devices: readonly string[]; readonly metrics: readonly string[] | undefined };

export type WorkerData = {
  readonly path: string;
  readonly isReadOnly: boolean;
  readonly metricsPerDevice: number | undefined;
};

/** The calls to the telemetry worker, with the input and output of each. */
export type TelemetryCalls = {
  write: { in: WriteBatch; out: PackedResult };
  countSeries: { in: Named; out: number };
  countSeriesByDevice: { in: Named; out: SeriesCounts };
  read: {
    in: { selection: Selection; resolution: Resolution; aggregates: readonly Aggregate[] };
    out: ReadResult;
  };
  readCombined: {
    in: { selection: Selection; resolution: Resolution; options: CombineOptions };
    out: CombinedResult;
  };
  scan: { in: { selection: Selection; limit: number; after: ScanPosition | undefined }; out: ScanResult };
  metrics: { in: Named & { readonly untilMs: number | undefined }; out: StoredMetric[] };
  remove: { in: Selection; out: number };
  stats: { in: undefined; out: { samples: number; bytes: number } };
  /** Writes the log into the file and returns free pages of the file to the disk. */
  shrink: { in: undefined; out: undefined };
  /** Keeps the write-ahead log short while the disk has little space. */
  limitLog: { in: boolean; out: undefined };
  close: { in: undefined; out: undefined };
};
export type CallName = keyof TelemetryCalls;

/**
 * Answered by a Reply with the same ID. Requests begin in the order of arrival, but reads also before writes that wait
 * for a compaction.
 */
export type Request = { [N in CallName]: { id: number; name: N; input: TelemetryCalls[N]['in'] } }[CallName];

/** Structured cloning drops the class and the fields of an error. `errcode`: the result code of SQLite, 0 for none. */
export type Failure = {
  message: string;
  stack: string;
  isDiskFull: boolean;
  isSyncFailed: boolean;
  isTooLarge: boolean;
  errcode: number;
};
/**
 * `converted`: samples of an older version that are converted so far, before the first answer. `compactionFailure`: why a
 * compaction failed.
 */
export type Reply =
  | { id: number; output: unknown }
  | { id: number; failure: Failure }
  | { converted: number }
  | { compactionFailure: Failure };
