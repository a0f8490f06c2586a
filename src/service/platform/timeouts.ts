import type { LeaseTimeouts } from './storage/lease.ts';
import type { DatabaseTimeouts } from './storage/postgres-lock.ts';

/** How long the service waits for clients and other services, in ms. */
type Limits = {
  /** From the first byte of a request (or the opening of a new connection) until its headers are complete. */
  headersMs: number;
  /** The same until the body is complete. */
  requestMs: number;
  /** Without a byte in either direction, for example if a client does not read. Streams send a heartbeat every 15 s. */
  silenceMs: number;
  /** Between two requests on a connection. */
  keepAliveMs: number;
  /** How often connections are checked for the limits above. */
  checkEveryMs: number;
  /** For running requests when the service stops. */
  stopMs: number;
  /** From opening a TLS or MQTT connection until the client is authenticated. */
  handshakeMs: number;
  /** For one delivery to a destination, until the end of the response. */
  deliverMs: number;
  /** For the preview of a replay: after the first message, no further one is started after this time. */
  previewMs: number;
  /** How often old telemetry, expired sessions and deleted devices are removed. */
  cleanupEveryMs: number;
};

/** Intervals of periodic work, in ms. Tests shorten them. */
type Intervals = {
  /** How often the wall clock is read if nothing else reads it. */
  clockCheckMs: number;
  /** How often the last-seen times of devices are written. */
  lastSeenFlushMs: number;
  /** How often devices are checked for becoming late or offline. */
  presenceSweepMs: number;
  /** How often the last use of API keys is written. */
  keyUsageFlushMs: number;
  /** How often pipeline states are evaluated and their frames are sent. */
  pipelineTickMs: number;
  /** How long the state of a pipeline lasts at least, and how long its faults must be over before it ends. */
  pipelineStateHoldMs: number;
  /** How often a process reads the event log of the others, in case an announcement was lost. */
  eventCheckMs: number;
  /** How often the clock is read to end the minutes of the throughput. */
  throughputCheckMs: number;
  /** How often the spool is checked for batches that are due. */
  spoolCheckMs: number;
  /** The wait before the first retry of a delivery to a destination. */
  firstRetryMs: number;
  /** The limit of this wait, which doubles with each failure. Deliveries that the destination rejects wait longer. */
  longestRetryMs: number;
  /** How often the time of an error of a destination is written while the same error continues. */
  sameErrorMs: number;
  /** How often the service checks for webhook deliveries that are due. */
  webhookCheckMs: number;
  /** How often the keys of connected MQTT clients are checked. */
  mqttKeyCheckMs: number;
  /** How often the free space on the disk is compared with the limit of the warning. */
  storageCheckMs: number;
};

export type Timeouts = Limits & DatabaseTimeouts & LeaseTimeouts & Intervals;

export const INTERVALS: Intervals = {
  clockCheckMs: 1_000,
  lastSeenFlushMs: 250,
  presenceSweepMs: 1_000,
  keyUsageFlushMs: 1_000,
  pipelineTickMs: 500,
  pipelineStateHoldMs: 60_000,
  eventCheckMs: 1_000,
  throughputCheckMs: 5_000,
  spoolCheckMs: 100,
  firstRetryMs: 1_000,
  longestRetryMs: 60_000,
  sameErrorMs: 30_000,
  webhookCheckMs: 1_000,
  mqttKeyCheckMs: 1_000,
  storageCheckMs: 5_000,
};

export const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 120_000,
  keepAliveMs: 72_000,
  checkEveryMs: 1_000,
  stopMs: 3_000,
  handshakeMs: 10_000,
  deliverMs: 30_000,
  previewMs: 1_000,
  databaseWaitMs: 30_000,
  databaseLockMs: 5_000,
  databaseCheckMs: 10_000,
  databaseRetryMs: 250,
  databaseEndMs: 2_000,
  leaseMs: 10_000,
  leaseRenewMs: 3_000,
  cleanupEveryMs: 3_600_000,
  ...INTERVALS,
};
