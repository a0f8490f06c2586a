import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { fieldProblemSchema } from './problem.ts';
import { isStorable, line } from './text.ts';
import { parseRangeEnd } from './time-range.ts';

export const LIMITS = {
  valuesPerWrite: 10_000,
  metricsPerSample: 200,
  textBytes: 1_024,
  pointsPerSeries: 5_000,
  seriesPerGet: 100,
  seriesPerQuery: 500,
  /** How far ahead of the service's clock a sample may be. */
  aheadMs: 600_000,
} as const;

/** A metric's kind: that of its first sample stays. */
export const metricKinds = ['number', 'boolean', 'string'] as const;
export const metricKindSchema = z.enum(metricKinds);
export type MetricKind = z.infer<typeof metricKindSchema>;

/** Keys of JSON that are taken from nobody: they reach the prototype of what they are copied onto. */
export const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor'];

export const metricNameSchema = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\p{L}\p{N}._\-/:]+$/u, 'A metric name may hold letters, digits and . _ - / : only.')
  .refine((name) => !FORBIDDEN_KEYS.includes(name), `May not be ${FORBIDDEN_KEYS.join(' or ')}.`)
  .meta({ examples: ['temperature'] });

export const valueSchema = z.union([z.number(), z.boolean(), z.string()]);
export type Value = z.infer<typeof valueSchema>;

const UNSTORABLE = 'Text may hold neither NUL nor half of a character.';

/** One message's worth of telemetry: values that share a device and a time. */
export const sampleSchema = z
  .strictObject({
    device: z.string().describe('Id or external id.'),
    ts: z
      .union([z.int(), z.string()])
      .optional()
      .describe('Epoch ms or RFC 3339; stamped on acceptance where left out.'),
    values: z.record(
      metricNameSchema,
      valueSchema.refine((value) => typeof value !== 'string' || isStorable(value), UNSTORABLE),
    ),
  })
  .meta({ id: 'Sample' });
export type Sample = z.infer<typeof sampleSchema>;

/** Checked by hand in the service (a body of 10,000 values is too much for a generic validator). */
export const telemetryWriteSchema = z
  .strictObject({ samples: z.array(sampleSchema) })
  .meta({ id: 'TelemetryWrite' });

export const writeReportSchema = z
  .object({
    received: z.int().describe('Values, not samples: received = accepted + duplicates + rejected.'),
    accepted: z.int(),
    overwritten: z.int().describe('The part of accepted that replaced another value.'),
    duplicates: z.int(),
    rejected: z.int(),
    errors: z.array(fieldProblemSchema.extend({ index: z.int() })).describe('The first 100.'),
  })
  .meta({ id: 'WriteReport' });
export type WriteReport = z.infer<typeof writeReportSchema>;

export const aggregates = ['avg', 'min', 'max', 'sum', 'count', 'first', 'last'] as const;
export const aggregateSchema = z.enum(aggregates);
export type Aggregate = z.infer<typeof aggregateSchema>;
export const defaultAggregates = ['avg', 'min', 'max', 'count'] as const satisfies readonly Aggregate[];

const rangeEnd = z
  .string()
  .refine(
    (text) => parseRangeEnd(text, 0) !== undefined,
    'Must be RFC 3339, epoch ms, `now`, or relative such as -24h.',
  );

const range = {
  from: rangeEnd.default('-24h').describe('The first moment: RFC 3339, epoch ms, or relative (`-24h`).'),
  to: rangeEnd.default('now').describe('The first moment after the range.'),
};
const resolution = {
  points: z
    .int()
    .min(1)
    .max(LIMITS.pointsPerSeries)
    .optional()
    .describe('As many buckets as the chart has pixels (default 500).'),
  bucket: z
    .string()
    .regex(/^[1-9]\d{0,5}[smhdw]$/, 'Must be a width such as 10s, 5m, 1h or 1d.')
    .optional()
    .describe('`10s`, `5m`, `1h`; days (`1d`) begin at midnight in timeZone, weeks (`1w`) on Monday.'),
  timeZone: z.string().max(64).default('UTC').describe('IANA name; where days begin.'),
};

const deviceFilter = z.array(z.string().min(1).max(128)).max(LIMITS.seriesPerQuery);
const metricFilter = z.array(z.string().min(1).max(128)).max(LIMITS.seriesPerQuery);
const tagFilter = z.array(z.string().regex(/^[^:]{1,64}:.*$/s, 'Must be key:value.')).max(10);

export const telemetryQuery = z.strictObject({
  device: deviceFilter.optional().describe('Id or external id; repeats.'),
  metric: metricFilter
    .optional()
    .describe('Repeats and multiplies with the devices; left out: every metric.'),
  tag: tagFilter.optional().describe('`key:value`: chooses devices.'),
  ...range,
  ...resolution,
  agg: z
    .string()
    .optional()
    .refine(
      (text) =>
        text === undefined || text.split(',').every((name) => aggregateSchema.safeParse(name).success),
      {
        message: `Must be a comma-separated list of ${aggregates.join(', ')}.`,
      },
    ),
});

export const telemetryQueryBody = z
  .strictObject({
    devices: deviceFilter.optional(),
    metrics: metricFilter.optional(),
    tags: z
      .record(z.string(), z.string())
      .refine((tags) => Object.keys(tags).length <= 10, 'At most 10 tags.')
      .optional(),
    ...range,
    ...resolution,
    agg: z.array(aggregateSchema).min(1).optional(),
  })
  .meta({ id: 'TelemetryQuery' });

const numbers = z.array(z.number().nullable());

/** Columns of one series: raw samples (`ts`, `value`) where `bucketMs` is null, else buckets. Empty buckets are left out. */
export const seriesSchema = z
  .object({
    device: idSchema('dev'),
    externalId: z.string(),
    metric: z.string(),
    kind: metricKindSchema,
    unit: z.string().nullable(),
    ts: z.array(z.int()).describe('Epoch ms; of a bucket: its start.'),
    value: z.array(valueSchema).optional(),
    avg: numbers.optional(),
    min: numbers.optional(),
    max: numbers.optional(),
    sum: numbers.optional(),
    count: z.array(z.int()).optional(),
    first: z.array(valueSchema).optional(),
    last: z.array(valueSchema).optional(),
  })
  .meta({ id: 'Series' });
export type Series = z.infer<typeof seriesSchema>;

export const telemetryAnswerSchema = z
  .object({ from: z.int(), to: z.int(), bucketMs: z.int().nullable(), series: z.array(seriesSchema) })
  .meta({ id: 'Telemetry' });
export type TelemetryAnswer = z.infer<typeof telemetryAnswerSchema>;

export const latestSchema = z
  .object({
    device: idSchema('dev'),
    externalId: z.string(),
    metric: z.string(),
    kind: metricKindSchema,
    unit: z.string().nullable(),
    ts: z.int(),
    value: valueSchema,
    ageMs: z.int(),
  })
  .meta({ id: 'Latest' });

export const metricSchema = z
  .object({
    metric: z.string(),
    kind: metricKindSchema,
    unit: z.string().nullable(),
    label: z.string().nullable(),
    firstTs: z.int(),
    lastTs: z.int(),
    value: valueSchema,
  })
  .meta({ id: 'Metric' });
export type Metric = z.infer<typeof metricSchema>;

/** A merge patch: what it does not name stays, null takes it away. */
export const metricChangeSchema = z
  .strictObject({
    unit: line(32)
      .nullable()
      .meta({ examples: ['°C'] }),
    label: line(100)
      .nullable()
      .meta({ examples: ['Flow temperature'] }),
  })
  .partial()
  .meta({ id: 'MetricChange' });

export const exportFormats = ['csv', 'ndjson'] as const;

const tag = 'Telemetry';

export const telemetryApi = {
  write: endpoint({
    method: 'POST',
    path: '/v1/telemetry',
    scope: 'telemetry:write',
    body: telemetryWriteSchema,
    bodyTypes: ['application/json', 'application/x-ndjson', 'text/csv'],
    readsBody: true,
    status: 200,
    response: writeReportSchema,
    doc: {
      tag,
      summary: 'Write samples',
      description:
        'Answers after they are on disk. Idempotent by (device, metric, ts). NDJSON: a Sample a line. CSV: header row ts,device,metric,value. At most 10,000 values.',
      errors: ['body-too-large', 'overloaded', 'storage-full'],
    },
  }),
  read: endpoint({
    method: 'GET',
    path: '/v1/telemetry',
    scope: 'telemetry:read',
    query: telemetryQuery,
    status: 200,
    response: telemetryAnswerSchema,
    doc: {
      tag,
      summary: 'Read series',
      description: 'At most 100 series.',
      errors: ['not-found', 'query-too-large'],
    },
  }),
  query: endpoint({
    method: 'POST',
    path: '/v1/telemetry/query',
    scope: 'telemetry:read',
    body: telemetryQueryBody,
    status: 200,
    response: telemetryAnswerSchema,
    doc: {
      tag,
      summary: 'Query series',
      description: 'As reading, with a body; at most 500 series.',
      errors: ['not-found', 'query-too-large'],
    },
  }),
  latest: endpoint({
    method: 'GET',
    path: '/v1/telemetry/latest',
    scope: 'telemetry:read',
    query: z.strictObject({ device: deviceFilter.min(1).max(200), metric: metricFilter.optional() }),
    status: 200,
    response: z.object({ data: z.array(latestSchema) }),
    doc: {
      tag,
      summary: 'Latest values',
      description: 'With their age, for many devices at once.',
      errors: ['not-found'],
    },
  }),
  export: endpoint({
    method: 'GET',
    path: '/v1/telemetry/export',
    scope: 'telemetry:read',
    query: z.strictObject({
      device: deviceFilter.optional(),
      metric: metricFilter.optional(),
      tag: tagFilter.optional(),
      ...range,
      bucket: resolution.bucket,
      timeZone: resolution.timeZone,
      format: z
        .enum(exportFormats)
        .optional()
        .describe('Where left out, the Accept header decides; CSV otherwise.'),
    }),
    status: 200,
    responseTypes: ['text/csv', 'application/x-ndjson'],
    doc: {
      tag,
      summary: 'Export samples',
      description: 'Streamed; NDJSON ends in { "end": true, "rows": n }.',
      errors: ['not-found', 'query-too-large'],
    },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/telemetry',
    scope: 'devices:write',
    query: z.strictObject({
      device: deviceFilter.min(1).max(100),
      metric: metricFilter.optional(),
      from: rangeEnd,
      to: rangeEnd,
    }),
    status: 200,
    response: z.object({ deleted: z.int() }),
    doc: {
      tag,
      summary: 'Delete samples',
      description: 'Of the devices named, in a range.',
      errors: ['not-found'],
    },
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/v1/devices/{id}/metrics',
    scope: 'telemetry:read',
    params: z.object({ id: idSchema('dev') }),
    status: 200,
    response: z.object({ data: z.array(metricSchema) }),
    doc: { tag, summary: 'Metrics of a device' },
  }),
  describe: endpoint({
    method: 'PATCH',
    path: '/v1/devices/{id}/metrics/{metric}',
    scope: 'devices:write',
    params: z.object({ id: idSchema('dev'), metric: metricNameSchema }),
    body: metricChangeSchema,
    status: 200,
    response: metricSchema,
    doc: { tag, summary: 'Say what a metric measures', description: 'Its unit and label.' },
  }),
};
