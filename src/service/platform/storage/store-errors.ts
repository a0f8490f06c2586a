/** The file of the store is missing or damaged. The message says what to do. */
export class TelemetryUnavailable extends Error {
  override readonly name = 'TelemetryUnavailable';
}

/** A read would return more than fits into memory. The message says what to do. */
export class QueryTooLarge extends Error {
  override readonly name = 'QueryTooLarge';
}

/** The disk is full. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
  readonly code = 'ENOSPC';
}

/** Too many writes are waiting in memory. Try again later. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy';
}
