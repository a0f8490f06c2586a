import * as z from 'zod';
import { endpoint, TELEMETRY_LIMIT } from './endpoint.ts';
import { idSchema } from './id.ts';
import { fieldProblemSchema } from './problem.ts';
import { isStorable, line } from './text.ts';
import { MAX_MS, parseRangeEnd, RANGE_END } from './time-range.ts';

export const LIMITS = {
  metricsPerSample: 200,
  textBytes: 1_024,
  pointsPerSeries: 5_000,
  seriesPerGet: 100,
  seriesPerQuery: 500,
  /** 2000-01-01 in epoch ms: earlier timestamps are rejected unless `allowOld` is set. */
  earliestMs: 946_684_800_000,
  /** How far ahead of the service's clock a sample may be. */
  aheadMs: 600_000,
} as const;

/** A metric's kind: that of its first sample stays. */
export const metricKinds = ['number', 'boolean', 'string'] as const;
export const metricKindSchema = z.enum(metricKinds).meta({ examples: ['number'] });
export type MetricKind = z.infer<typeof metricKindSchema>;

/** Keys of JSON that are taken from nobody: they reach the prototype of what they are copied onto. */
export const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor'];

export const metricNameSchema = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\p{L}\p{N}._\-/:]+$/u, 'Metric names use letters, digits and . _ - / : only.')
  .refine((name) => !FORBIDDEN_KEYS.includes(name), `May not be ${FORBIDDEN_KEYS.join(' or ')}.`)
  .meta({ not: { enum: FORBIDDEN_KEYS }, examples: ['temperature'] });

export const valueSchema = z.union([z.number(), z.boolean(), z.string()]).meta({
  id: 'Value',
  description: 'A number, a boolean, or a text of at most 1 KiB.',
  examples: [71.5],
});
export type Value = z.infer<typeof valueSchema>;

const UNSTORABLE = 'Must not contain NUL or unpaired surrogates.';

/** How Penstock reads the timestamp of a sample, in every format. */
const TIME_RULE =
  'A Unix timestamp as a number or as text: in seconds below 10^11, in milliseconds below 10^14, in microseconds below 10^17, otherwise in nanoseconds. Or RFC 3339 text; without an offset, the time zone of the pipeline (`config.timeZone`) applies, or UTC. Timestamps before 2000-01-01 are rejected as `ts-implausible` unless `allowOld` is set.';

/** One message's worth of telemetry: values that share a device and a time. */
export const sampleSchema = z
  .strictObject({
    device: z.string().meta({ description: 'Id or external id.', examples: ['boiler-7'] }),
    ts: z
      .union([z.number(), z.string()])
      .optional()
      .meta({
        description: `${TIME_RULE} Without a timestamp, the time of arrival is used.`,
        examples: ['2025-11-21T09:30:00.000Z'],
      }),
    values: z
      .record(
        metricNameSchema,
        valueSchema.refine((value) => typeof value !== 'string' || isStorable(value), UNSTORABLE),
      )
      .meta({
        description: `By metric; at most ${LIMITS.metricsPerSample}.`,
        examples: [{ temperature: 71.5, burning: true }],
      }),
  })
  .meta({ id: 'Sample', description: 'Values of one device at one time.' });
export type Sample = z.infer<typeof sampleSchema>;

/** The service validates it by hand: a generic validator takes too long for a large body. */
export const telemetryWriteSchema = z
  .strictObject({
    samples: z.array(sampleSchema).describe('Any number of samples that fit in the body.'),
  })
  .meta({
    id: 'TelemetryWrite',
    description:
      'The samples to store. Each is validated on its own: invalid ones are counted as rejected and listed in `errors`.',
  });

export const writeReportSchema = z
  .object({
    received: z.int().describe('Values, not samples: received = accepted + duplicates + rejected.'),
    accepted: z.int().describe('Those that are stored.'),
    overwritten: z.int().describe('The part of accepted that replaced another value.'),
    duplicates: z.int().describe('Those that were stored already.'),
    rejected: z.int().describe('Those that were refused.'),
    errors: z
      .array(
        fieldProblemSchema.extend({
          index: z.int().describe('The place of the sample (or the line, or the row), from 0.'),
        }),
      )
      .meta({ description: 'Why values were refused; the first 100.', examples: [[]] }),
  })
  .meta({ id: 'WriteReport', description: 'What became of each value.' });
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
  )
  .meta({ pattern: RANGE_END.pattern, examples: ['-24h'] });

/** In JSON epoch ms may be a number too. */
const rangeEndInBody = z.union([rangeEnd, z.int().min(-MAX_MS).max(MAX_MS)]).meta({ examples: ['-24h'] });

const range = {
  from: rangeEnd.default('-24h').describe(`The first moment: ${RANGE_END.words}.`),
  to: rangeEnd.default('now').meta({ description: 'The first moment after the range.', examples: ['now'] }),
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
    .meta({
      description:
        '`10s`, `5m`, `1h`; days (`1d`) begin at midnight in timeZone, weeks (`1w`) on Monday. Goes without points.',
      examples: ['1h'],
    }),
  timeZone: z
    .string()
    .max(64)
    .default('UTC')
    .meta({ description: 'IANA name; where days begin.', examples: ['Europe/Berlin'] }),
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
    )
    .meta({
      description: `Comma-separated, of ${aggregates.join(', ')}; left out: ${defaultAggregates.join(',')}.`,
      pattern: `^(${aggregates.join('|')})(,(${aggregates.join('|')}))*$`,
      examples: ['avg,max'],
    }),
});

export const telemetryQueryBody = z
  .strictObject({
    devices: deviceFilter
      .optional()
      .meta({ description: 'Ids or external ids.', examples: [['boiler-7', 'boiler-8']] }),
    metrics: metricFilter.optional().meta({
      description: 'Multiply with the devices; left out: every metric.',
      examples: [['temperature']],
    }),
    tags: z
      .record(z.string(), z.string())
      .refine((tags) => Object.keys(tags).length <= 10, 'At most 10 tags.')
      .optional()
      .meta({
        description: 'Chooses devices that have all of these.',
        maxProperties: 10,
        examples: [{ site: 'north' }],
      }),
    from: rangeEndInBody.default('-24h').describe(`The first moment: ${RANGE_END.words}.`),
    to: rangeEndInBody
      .default('now')
      .meta({ description: 'The first moment after the range.', examples: ['now'] }),
    ...resolution,
    agg: z
      .array(aggregateSchema)
      .min(1)
      .optional()
      .meta({
        description: `Left out: ${defaultAggregates.join(', ')}.`,
        examples: [['avg', 'max']],
      }),
  })
  .meta({
    id: 'TelemetryQuery',
    description: 'Which series, over which range, how finely.',
    anyOf: [{ properties: { points: false } }, { properties: { bucket: false } }],
    examples: [{ devices: ['boiler-7', 'boiler-8'], metrics: ['temperature'], from: '-24h', points: 500 }],
  });

const numbers = z.array(z.number().nullable());

const named = {
  device: idSchema('dev').describe('The id of its device.'),
  externalId: z.string().meta({ description: 'What that calls itself.', examples: ['boiler-7'] }),
  metric: z.string().meta({ description: 'Its metric.', examples: ['temperature'] }),
  kind: metricKindSchema.describe('What its values are.'),
  unit: z
    .string()
    .nullable()
    .meta({ description: 'What they are measured in; null: not said.', examples: ['°C'] }),
};

/** Columns of one series: raw samples (`ts`, `value`) where `bucketMs` is null, else buckets. Empty buckets are left out. */
export const seriesSchema = z
  .object({
    ...named,
    ts: z
      .array(z.int())
      .meta({ description: 'Epoch ms; of a bucket: its start.', examples: [[1_763_717_400_000]] }),
    value: z.array(valueSchema).optional().describe('Raw: the value at each ts.'),
    avg: numbers.optional().describe('The mean of each bucket.'),
    min: numbers.optional().describe('The least of each bucket.'),
    max: numbers.optional().describe('The greatest of each bucket.'),
    sum: numbers.optional().describe('The sum of each bucket; null: beyond what a number holds.'),
    count: z.array(z.int()).optional().describe('How many samples each bucket has.'),
    first: z.array(valueSchema).optional().describe('The earliest value of each bucket.'),
    last: z.array(valueSchema).optional().describe('The latest value of each bucket.'),
  })
  .meta({
    id: 'Series',
    description: 'Columns of one series: raw samples, or buckets. Empty buckets are left out.',
    examples: [
      {
        device: 'dev_01jz3k5v8cf6n9qw2r4t7y0abd',
        externalId: 'boiler-7',
        metric: 'temperature',
        kind: 'number',
        unit: '°C',
        ts: [1_763_717_400_000],
        avg: [71.5],
        min: [70],
        max: [73],
        count: [6],
      },
    ],
  });
export type Series = z.infer<typeof seriesSchema>;

export const telemetryAnswerSchema = z
  .object({
    from: z.int().meta({ description: 'Epoch ms: the first moment.', examples: [1_763_631_000_000] }),
    to: z
      .int()
      .meta({ description: 'Epoch ms: the first moment after the range.', examples: [1_763_717_400_000] }),
    bucketMs: z
      .int()
      .nullable()
      .meta({ description: 'How wide the buckets are; null: these are raw samples.', examples: [172_800] }),
    series: z.array(seriesSchema).describe('Those that have samples in the range.'),
  })
  .meta({ id: 'Telemetry', description: 'The answer to a query.' });
export type TelemetryAnswer = z.infer<typeof telemetryAnswerSchema>;

export const latestSchema = z
  .object({
    ...named,
    ts: z.int().meta({ description: 'Epoch ms of the value.', examples: [1_763_717_400_000] }),
    value: valueSchema.describe('The latest value.'),
    ageMs: z.int().meta({ description: 'How old it is, by the clock of the service.', examples: [4_000] }),
  })
  .meta({ id: 'Latest', description: 'The latest value of a series.' });

export const metricSchema = z
  .object({
    metric: named.metric,
    kind: named.kind,
    unit: named.unit,
    label: z
      .string()
      .nullable()
      .meta({ description: 'What people call it; null: not said.', examples: ['Flow temperature'] }),
    firstTs: z.int().meta({ description: 'Epoch ms of the earliest value.', examples: [1_763_631_000_000] }),
    lastTs: z.int().meta({ description: 'Epoch ms of the latest value.', examples: [1_763_717_400_000] }),
    value: valueSchema.describe('The latest value.'),
  })
  .meta({ id: 'Metric', description: 'What a device measures.' });
export type Metric = z.infer<typeof metricSchema>;

/** A merge patch: what it does not name stays, null takes it away. */
export const metricChangeSchema = z
  .strictObject({
    unit: line(32)
      .nullable()
      .meta({ description: 'What its values are measured in; null takes it away.', examples: ['°C'] }),
    label: line(100)
      .nullable()
      .meta({ description: 'What people call it; null takes it away.', examples: ['Flow temperature'] }),
  })
  .partial()
  .meta({ id: 'MetricChange', description: 'A merge patch: what it does not name stays.' });

export const exportFormats = ['csv', 'ndjson'] as const;

const tag = 'Telemetry';

export const telemetryApi = {
  write: endpoint({
    method: 'POST',
    path: '/v1/telemetry',
    scope: 'telemetry:write',
    usesTelemetry: true,
    query: z.strictObject({
      allowOld: z
        .boolean()
        .default(false)
        .describe('Accept timestamps before 2000-01-01. By default they are rejected as `ts-implausible`.'),
    }),
    body: telemetryWriteSchema,
    bodyTypes: ['application/json', 'application/x-ndjson', 'text/csv'],
    bodyLimit: TELEMETRY_LIMIT,
    readsBody: true,
    status: 200,
    response: writeReportSchema,
    doc: {
      tag,
      summary: 'Write samples',
      description:
        'Answers after the samples are on disk. Idempotent by (device, metric, ts). NDJSON: one Sample per line. CSV: header row ts,device,metric,value, with `ts` as in Sample. A large write is stored in slices: if a slice fails, the slices before it stay stored, and sending the write again stores the rest. Invalid values are rejected one by one and listed in the answer. If all values are invalid, the answer is `validation-failed`.',
      texts: {
        'application/x-ndjson': '{"device":"boiler-7","values":{"temperature":71.5}}\n',
        'text/csv': 'ts,device,metric,value\r\n2025-11-21T09:30:00Z,boiler-7,temperature,71.5\r\n',
      },
    },
  }),
  read: endpoint({
    method: 'GET',
    path: '/v1/telemetry',
    scope: 'telemetry:read',
    usesTelemetry: true,
    query: telemetryQuery,
    status: 200,
    response: telemetryAnswerSchema,
    doc: {
      tag,
      summary: 'Read series',
      description:
        'At most 100 series. Raw samples where no series has more of them in the range than `points`, else buckets.',
      errors: ['not-found', 'query-too-large'],
    },
  }),
  query: endpoint({
    method: 'POST',
    path: '/v1/telemetry/query',
    scope: 'telemetry:read',
    usesTelemetry: true,
    safe: true,
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
    usesTelemetry: true,
    query: z.strictObject({
      device: deviceFilter
        .min(1)
        .max(200)
        .meta({ description: 'Id or external id; repeats.', examples: [['boiler-7']] }),
      metric: metricFilter.optional().describe('Repeats; left out: every metric.'),
    }),
    status: 200,
    response: z.object({ data: z.array(latestSchema).describe('One for each series.') }),
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
    usesTelemetry: true,
    query: z.strictObject({
      device: deviceFilter.optional().describe('Id or external id; repeats; left out: every device.'),
      metric: metricFilter.optional().describe('Repeats; left out: every metric.'),
      tag: tagFilter.optional().describe('`key:value`: chooses devices; repeats.'),
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
    download: true,
    doc: {
      tag,
      summary: 'Export samples',
      description: 'Streamed; NDJSON ends in { "end": true, "rows": n }.',
      texts: {
        'text/csv':
          'time,device,externalId,metric,value\r\n2025-11-21T09:30:00.000+00:00,dev_01jz3k5v8cf6n9qw2r4t7y0abd,boiler-7,temperature,71.5\r\n',
        'application/x-ndjson':
          '{"time":"2025-11-21T09:30:00.000+00:00","device":"dev_01jz3k5v8cf6n9qw2r4t7y0abd","externalId":"boiler-7","metric":"temperature","value":71.5}\n{"end":true,"rows":1}\n',
      },
      errors: ['not-found', 'query-too-large'],
    },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/telemetry',
    scope: 'devices:write',
    usesTelemetry: true,
    usesReserve: true,
    query: z.strictObject({
      device: deviceFilter
        .min(1)
        .max(100)
        .meta({ description: 'Id or external id; repeats.', examples: [['boiler-7']] }),
      metric: metricFilter.optional().describe('Repeats; left out: every metric.'),
      from: rangeEnd.describe(`The first moment: ${RANGE_END.words}.`),
      to: rangeEnd.meta({ description: 'The first moment after the range.', examples: ['now'] }),
    }),
    status: 200,
    response: z.object({ deleted: z.int().describe('How many samples went.') }),
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
    usesTelemetry: true,
    params: z.object({ id: idSchema('dev').describe('The id of the device.') }),
    status: 200,
    response: z.object({ data: z.array(metricSchema).describe('Every metric that it ever sent.') }),
    doc: {
      tag,
      summary: 'Metrics of a device',
      description: 'What it measures, since when, and the latest values.',
    },
  }),
  describe: endpoint({
    method: 'PATCH',
    path: '/v1/devices/{id}/metrics/{metric}',
    scope: 'devices:write',
    usesTelemetry: true,
    params: z.object({
      id: idSchema('dev').describe('The id of the device.'),
      metric: metricNameSchema.describe('The name of the metric.'),
    }),
    body: metricChangeSchema,
    status: 200,
    response: metricSchema,
    doc: { tag, summary: 'Say what a metric measures', description: 'Its unit and label.' },
  }),
};
