/**
 * The ID of the advisory lock that writes share, until their transaction ends. A step that removes samples or series,
 * or changes partitions, holds it alone: no write of any process runs meanwhile.
 */
const WRITE_LOCK = 7_365_739;

/** The ID of the advisory lock for the creation of series on another server. */
const SERIES_CREATION_LOCK = 7_365_740;

/** Statements that a transaction begins with. The next statement sees what the former holders have committed. */
export const SHARE_WRITES = `select pg_advisory_xact_lock_shared(${WRITE_LOCK})`;
export const STOP_WRITES = `select pg_advisory_xact_lock(${WRITE_LOCK})`;
export const LOCK_SERIES_CREATION = `select pg_advisory_xact_lock(${SERIES_CREATION_LOCK})`;
