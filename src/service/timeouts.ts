/** How long the service waits for others, in ms. */
type Limits = {
  /** From the first byte of a connection (of a new one: from its opening) until the headers of a request are there. */
  headersMs: number;
  /** The same, until the body of the request is there too. */
  requestMs: number;
  /** Without a byte in either direction, as where an answer is not read. A stream has a heartbeat each 15 s. */
  silenceMs: number;
  /** Between two answers. */
  keepAliveMs: number;
  /** How often connections are checked for the limits above. */
  checkEveryMs: number;
  /** For requests under way when the service stops. */
  stopMs: number;
  /** Of an MQTT client and of TLS, from the opening until the client is authenticated. */
  handshakeMs: number;
  /** For one delivery to a destination, from its first byte to the end of the answer. */
  deliverMs: number;
  /** How often telemetry, sessions and deleted devices are deleted for their age. */
  cleanupEveryMs: number;
};

/** How often the service looks after something by itself, in ms. Tests run these faster. */
type Intervals = {
  /** How often the wall clock is read where nobody asks for the time. */
  clockCheckMs: number;
  /** How often it is written down when devices were last seen. */
  lastSeenFlushMs: number;
  /** How often devices are looked for that became late or offline. */
  presenceSweepMs: number;
  /** How often the uses of API keys are written down. */
  keyUsageFlushMs: number;
  /** How often states of pipelines are judged, and their frames sent. */
  pipelineTickMs: number;
  /** How often batches are looked for that are due at a destination. */
  spoolCheckMs: number;
  /** The wait before the first retry of a delivery to a destination. */
  firstRetryMs: number;
  /** How often webhook calls are looked for that are due. */
  webhookCheckMs: number;
  /** How often the keys of connected MQTT clients are checked. */
  mqttKeyCheckMs: number;
};

export type Timeouts = Limits & Intervals;

export const INTERVALS: Intervals = {
  clockCheckMs: 1_000,
  lastSeenFlushMs: 250,
  presenceSweepMs: 1_000,
  keyUsageFlushMs: 1_000,
  pipelineTickMs: 500,
  spoolCheckMs: 100,
  firstRetryMs: 1_000,
  webhookCheckMs: 1_000,
  mqttKeyCheckMs: 1_000,
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
  cleanupEveryMs: 3_600_000,
  ...INTERVALS,
};
