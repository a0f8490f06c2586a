export const LIMITS = {
  metricsPerTimestamp: 200,
  textBytes: 1_024,
  pointsPerSeries: 5_000,
  seriesPerGet: 100,
  seriesPerQuery: 500,
  /** The largest number of series that a query combines or ranks. */
  seriesToCombine: 10_000,
  /** The largest number of series whose latest values a request reads. */
  seriesPerLatest: 20_000,
  /** The largest number of devices that a query selects. */
  devicesPerQuery: 10_000,
  /** 2000-01-01 in epoch ms: earlier timestamps are rejected unless `allowOld` is set. */
  earliestMs: 946_684_800_000,
  /** How far ahead of the service's clock a sample may be. */
  aheadMs: 600_000,
} as const;

/** JSON keys that are never accepted: copied onto an object, they would change its prototype. */
export const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor'];

export const METRIC_NAME = /^[\p{L}\p{N}._\-/:]+$/u;
export const METRIC_NAME_LENGTH = 128;

export const isMetricName = (name: string): boolean =>
  name.length <= METRIC_NAME_LENGTH && METRIC_NAME.test(name) && !FORBIDDEN_KEYS.includes(name);
