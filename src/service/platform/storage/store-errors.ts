/** The file of the store is missing or damaged. The message says what to do. */
export class TelemetryUnavailable extends Error {
  override readonly name = 'TelemetryUnavailable';
}

/** The disk has no room for more. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
  readonly code = 'ENOSPC';
}

/** More is waiting to be written than memory should hold: try again later. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy';
}
