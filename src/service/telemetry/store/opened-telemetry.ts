import type { FileProblem } from '#contract/storage.ts';
import type { TelemetryStore } from './telemetry-store.ts';

/** A telemetry.db, whose problems do not prevent a start. */
export type TelemetryFile = {
  /** The problem of the file; undefined: none is known. */
  problem(): FileProblem | undefined;
  /**
   * Continues without the lost samples: renames a damaged file, creates a missing one. Resolves to the problem that this
   * call solved; undefined: there was none.
   */
  acceptLoss(): Promise<FileProblem | undefined>;
};

/** The telemetry of a service. `file`: undefined on a database server. */
export type OpenedTelemetry = {
  readonly store: TelemetryStore;
  readonly file?: TelemetryFile;
  close(): Promise<void>;
};
