import * as z from 'zod';
import { acrossSchema, defaultRankRule, LISTED_OMITTED, rankRuleSchema } from './across.ts';
import { deviceFilters, deviceFilterSchema, TAG_FILTERS, tagKey } from './device-filter.ts';
import { endpoint, TELEMETRY_LIMIT } from './endpoint.ts';
import { idSchema } from './id.ts';
import { fieldProblemSchema } from './problem.ts';
import { FORBIDDEN_KEYS, LIMITS, METRIC_NAME, METRIC_NAME_LENGTH } from './sample-rules.ts';
import { isStorable } from './is-storable.ts';
import { describeRangeEnd, parseRangeEnd, RANGE_END } from './time-range.ts';
import { MAX_UNIX_TIME } from './unix-time.ts';

/** The kind of a metric. Its first sample determines the kind. */
export const metricKinds = ['number', 'boolean', 'string'] as const;
export const metricKindSchema = z.enum(metricKinds).meta({ examples: ['number'] });
export type MetricKind = z.infer<typeof metricKindSchema>;

export const metricNameSchema = z
  .string()
  .min(1)
  .max(METRIC_NAME_LENGTH)
  .regex(METRIC_NAME, 'Metric names use letters, digits and . _ - / : only.')
  .refine((name) => !FORBIDDEN_KEYS.includes(name), `Must not be ${FORBIDDEN_KEYS.join(' or ')}.`)
  .meta({ not: { enum: FORBIDDEN_KEYS }, examples: ['temperature'] });

export const valueSchema = z.union([z.number(), z.boolean(), z.string()]).meta({
  id: 'Value',
  description: 'A number, a boolean, or a string of at most 1 KiB.',
  examples: [71.5],
});
export type Value = z.infer<typeof valueSchema>;

const UNSTORABLE = 'Must not contain NUL or unpaired surrogates.';

/** How Penstock reads the timestamp of a sample, in every format. */
const TIME_RULE =
  'A Unix timestamp as a number or a string: in seconds below 10^11, in milliseconds below 10^14, in microseconds below 10^17, otherwise in nanoseconds. Or an RFC 3339 string, also without seconds or leading zeros, with slashes, AM or PM, or a short offset, or an RFC 2822 date; without an offset, the time zone of the pipeline (`config.timeZone`) applies, or UTC. Timestamps before 2000-01-01 are rejected as `ts-implausible` unless `allowOld` is set.';

/** The query parameter of every endpoint that writes samples. */
export const allowOldSchema = z
  .boolean()
  .default(false)
  .describe('Accept timestamps before 2000-01-01. By default they are rejected as `ts-implausible`.');

const timestampSchema = z.union([z.number(), z.string()]);

/** Samples that share a device and a timestamp. */
export const deviceSamplesSchema = z
  .strictObject({
    device: z.string().meta({ description: 'The ID or external ID of the device.', examples: ['boiler-7'] }),
    ts: timestampSchema.optional().meta({
      description: `${TIME_RULE} Without a timestamp, the time of arrival is used, and a repeated request stores the samples again.`,
      examples: ['2025-11-21T09:30:00.000Z'],
    }),
    values: z
      .record(
        metricNameSchema,
        valueSchema.refine((value) => typeof value !== 'string' || isStorable(value), UNSTORABLE),
      )
      .meta({
        description: `The values by metric name, at most ${LIMITS.metricsPerTimestamp}.`,
        examples: [{ temperature: 71.5, burning: true }],
      }),
  })
  .meta({ id: 'DeviceSamples', description: 'Samples of one device at one timestamp.' });
export type DeviceSamples = z.infer<typeof deviceSamplesSchema>;

const valueFieldSchema = valueSchema.refine(
  (value) => typeof value !== 'string' || isStorable(value),
  UNSTORABLE,
);

/** Samples of one metric of a device, as columns. */
const writtenSeriesSchema = z
  .strictObject({
    device: deviceSamplesSchema.shape.device,
    metric: metricNameSchema.describe('The metric.'),
    ts: z.array(timestampSchema).meta({
      description: `The timestamp of each value. ${TIME_RULE}`,
      examples: [['2025-11-21T09:30:00.000Z', '2025-11-21T09:30:10.000Z']],
    }),
    values: z
      .array(valueFieldSchema)
      .meta({ description: 'The values, one for each timestamp.', examples: [[71.5, 71.6]] }),
  })
  .meta({ id: 'WrittenSeries', description: 'Samples of one metric of one device, as columns.' });

/** The service validates it by hand: a generic validator takes too long for a large body. */
export const telemetryWriteSchema = z
  .union([
    z.strictObject({
      samples: z
        .array(deviceSamplesSchema)
        .describe(
          'Any number of objects that fit in the body, each with the samples of a device at one timestamp.',
        ),
    }),
    z.strictObject({
      series: z
        .array(writtenSeriesSchema)
        .describe(
          'Any number of series that fit in the body. Faster than `samples` for many samples of few series.',
        ),
    }),
  ])
  .meta({
    id: 'TelemetryWrite',
    description:
      'The samples to store, by device and timestamp or as series. Each sample is validated separately: invalid samples are counted as rejected and listed in `errors`.',
  });

export const writeReportSchema = z
  .object({
    received: z.int().describe('Number of samples received. received = accepted + duplicates + rejected.'),
    accepted: z
      .int()
      .describe(
        'Number of samples that were new or replaced a different value. Of several values of a series with the same timestamp in a write, each counts, and the last is stored.',
      ),
    overwritten: z
      .int()
      .describe(
        'Number of accepted samples that replaced a different value, including a value of the same write. With telemetry in ClickHouse, always 0: these samples only count as accepted.',
      ),
    duplicates: z
      .int()
      .describe(
        'Number of samples that were already stored. With telemetry in ClickHouse, always 0: these samples count as accepted.',
      ),
    rejected: z.int().describe('Number of samples rejected.'),
    errors: z
      .array(
        fieldProblemSchema.extend({
          index: z
            .int()
            .describe(
              'The index of the object in `samples` or `series`, from 0. In NDJSON and CSV, the number of the line, from 0: the header of a CSV is line 0.',
            ),
        }),
      )
      .meta({ description: 'The reasons for the first 100 rejected samples.', examples: [[]] }),
  })
  .meta({ id: 'WriteReport', description: 'The outcome of a write.' });
export type WriteReport = z.infer<typeof writeReportSchema>;

export const aggregates = ['avg', 'min', 'max', 'sum', 'count', 'first', 'last', 'increase', 'rate'] as const;
export const aggregateSchema = z.enum(aggregates);
export type Aggregate = z.infer<typeof aggregateSchema>;
export const defaultAggregates = ['avg', 'min', 'max', 'count'] as const satisfies readonly Aggregate[];

const AGGREGATE_RULES =
  'Booleans and strings have only count, first and last. `increase` is the increase of a counter since the last sample of the previous bucket with samples; a counter that falls has restarted from 0. Samples before the range are not read, so the first bucket is always `null`: begin the range one bucket earlier. `rate` is the increase per second.';

const rangeEnd = z
  .string()
  .refine((text) => parseRangeEnd(text, 0) !== undefined, {
    error: ({ input }) => describeRangeEnd(input),
  })
  .meta({ pattern: RANGE_END.pattern, examples: ['-24h'] });

/** In JSON, a Unix timestamp may also be a number. */
const rangeEndInBody = z
  .union([rangeEnd, z.number().min(-MAX_UNIX_TIME).max(MAX_UNIX_TIME)])
  .meta({ examples: ['-24h'] });

const range = {
  from: rangeEnd.default('-24h').describe(`The start of the range, inclusive: ${RANGE_END.words}.`),
  to: rangeEnd.default('now').meta({
    description: 'The end of the range, exclusive. Accepts the same formats as `from`.',
    examples: ['now'],
  }),
};
const resolution = {
  points: z
    .int()
    .min(1)
    .max(LIMITS.pointsPerSeries)
    .optional()
    .describe(
      'The largest number of points per series; with 1, two are possible. Defaults to 500. Cannot be combined with `bucket`.',
    ),
  bucket: z
    .string()
    .regex(/^[1-9]\d{0,5}[smhdw]$/, 'Must be a width such as 10s, 5m, 1h or 1d.')
    .optional()
    .meta({
      description:
        'The width of each bucket, such as `10s`, `5m` or `1h`. Days (`1d`) begin at midnight in `timeZone`, weeks (`1w`) on Monday. Cannot be combined with `points`.',
      examples: ['1h'],
    }),
  timeZone: z
    .string()
    .max(64)
    .default('UTC')
    .meta({
      description:
        'The IANA time zone in which days and weeks begin. Buckets narrower than a day are aligned to the epoch, whatever the time zone.',
      examples: ['Europe/Berlin'],
    }),
};

const deviceFilter = z.array(z.string().min(1).max(128)).max(LIMITS.seriesPerQuery);
const metricFilter = z.array(z.string().min(1).max(128)).max(LIMITS.seriesPerQuery);

/** `GET`: how devices are selected by their properties. */
const devicesByFilter = {
  ...deviceFilters,
  tag: deviceFilters.tag.describe(
    '`key:value`. Selects the devices that have this tag. Repeat the parameter for devices that have all of several tags.',
  ),
};

const across = acrossSchema.optional().meta({
  description:
    'Combines the devices: returns one series for each metric. First each device has its buckets with the aggregates of `agg`, then each bucket is the mean, minimum, maximum or sum of the devices that have samples in it; `count` is the number of these devices. With `count`, only `count` is returned. Other functions leave out booleans and strings. Buckets are always returned: with `points`, they are at least twice as wide as the usual time between two samples of a device, rounded to a usual width (above 24 hours, to whole days). At most 10,000 series are combined. Cannot be combined with `top`.',
  examples: ['mean'],
});
const ranked = (most: number) => ({
  top: z
    .int()
    .min(1)
    .max(most)
    .optional()
    .meta({
      description:
        'Returns only this number of series of each metric: those that rank first by `by`, in this order. `top` of the response says how many are left out. Ranks numbers only. At most 10,000 series. Cannot be combined with `across`.',
      examples: [20],
    }),
  by: rankRuleSchema.optional().meta({
    description: `The value that ranks the series over the whole range: the highest first, or with the prefix \`-\` the lowest first. Equal series are in the order of their external IDs. \`increase\` applies to counters. Defaults to \`${defaultRankRule}\`. Requires \`top\`.`,
    examples: ['-mean'],
  }),
});

export const telemetryQuery = z.strictObject({
  device: deviceFilter
    .optional()
    .describe('The ID or external ID of a device. Repeat the parameter for several devices.'),
  metric: metricFilter
    .optional()
    .describe(
      'A metric of these devices. Repeat the parameter for several metrics. Defaults to all metrics.',
    ),
  ...devicesByFilter,
  across,
  ...ranked(LIMITS.seriesPerGet),
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
      description: `A comma-separated list of ${aggregates.join(', ')}. Defaults to ${defaultAggregates.join(',')}. ${AGGREGATE_RULES}`,
      pattern: `^(${aggregates.join('|')})(,(${aggregates.join('|')}))*$`,
      examples: ['avg,max'],
    }),
});

export const telemetryQueryBody = z
  .strictObject({
    devices: deviceFilter
      .optional()
      .meta({ description: 'The IDs or external IDs of devices.', examples: [['boiler-7', 'boiler-8']] }),
    metrics: metricFilter.optional().meta({
      description: 'Metrics of these devices. Defaults to all metrics.',
      examples: [['temperature']],
    }),
    tags: z
      .record(tagKey, z.string())
      .refine((tags) => Object.keys(tags).length <= TAG_FILTERS, `At most ${TAG_FILTERS} tags.`)
      .optional()
      .meta({
        description: `Selects the devices that have all of these tags. Short for \`tag\` of \`filter\`; at most ${TAG_FILTERS} tags in both together.`,
        maxProperties: TAG_FILTERS,
        examples: [{ site: 'north' }],
      }),
    filter: deviceFilterSchema
      .optional()
      .describe(
        'Selects devices like the parameters of the list of devices, in addition to `devices`. `{}` selects all devices.',
      ),
    across,
    ...ranked(LIMITS.seriesPerQuery),
    from: rangeEndInBody.default('-24h').describe(`The start of the range, inclusive: ${RANGE_END.words}.`),
    to: rangeEndInBody.default('now').meta({
      description: 'The end of the range, exclusive. Accepts the same formats as `from`.',
      examples: ['now'],
    }),
    ...resolution,
    agg: z
      .array(aggregateSchema)
      .min(1)
      .optional()
      .meta({
        description: `The aggregates of each bucket. Defaults to ${defaultAggregates.join(', ')}. ${AGGREGATE_RULES}`,
        examples: [['avg', 'max']],
      }),
  })
  .refine(({ tags = {}, filter }) => Object.keys(tags).length + (filter?.tag?.length ?? 0) <= TAG_FILTERS, {
    message: `At most ${TAG_FILTERS} tags in \`tags\` and \`filter\` together.`,
    path: ['tags'],
  })
  .meta({
    id: 'TelemetryQuery',
    description:
      'The series, range and resolution of a query. The devices are those named in `devices` and those that match the filter; without both, all devices.',
    allOf: [
      { anyOf: [{ properties: { points: false } }, { properties: { bucket: false } }] },
      { anyOf: [{ properties: { across: false } }, { properties: { top: false } }] },
    ],
    dependentRequired: { by: ['top'] },
    examples: [{ devices: ['boiler-7', 'boiler-8'], metrics: ['temperature'], from: '-24h', points: 500 }],
  });

const numbers = z.array(z.number().nullable());

const named = {
  device: idSchema('dev').describe('The ID of the device.'),
  externalId: z.string().meta({ description: 'The external ID of the device.', examples: ['boiler-7'] }),
  metric: z.string().meta({ description: 'The metric.', examples: ['temperature'] }),
  kind: metricKindSchema.describe('The kind of the values.'),
  unit: z
    .string()
    .nullable()
    .meta({
      description: 'The unit of the values, set or automatic. `null` if there is none.',
      examples: ['°C'],
    }),
};

/** One series as columns: raw samples (`ts`, `value`) if `bucketMs` is null, otherwise buckets. */
export const seriesSchema = z
  .object({
    ...named,
    device: named.device.nullable().describe('The ID of the device. `null` with `across`.'),
    externalId: named.externalId.nullable().meta({
      description: 'The external ID of the device. `null` with `across`.',
      examples: ['boiler-7'],
    }),
    devices: z
      .int()
      .optional()
      .meta({ description: 'Only with `across`: number of devices with samples in the range.' }),
    ts: z.array(z.int()).meta({
      description: 'The timestamp of each sample, or the start of each bucket, in epoch ms.',
      examples: [[1_763_717_400_000]],
    }),
    value: z.array(valueSchema).optional().describe('The value of each raw sample.'),
    avg: numbers.optional().describe('The mean of each bucket.'),
    min: numbers.optional().describe('The smallest value of each bucket.'),
    max: numbers.optional().describe('The largest value of each bucket.'),
    sum: numbers.optional().describe('The sum of each bucket. `null` if a JSON number cannot hold it.'),
    count: z
      .array(z.int())
      .optional()
      .describe('Number of samples in each bucket. With `across`, number of devices with samples.'),
    increase: numbers
      .optional()
      .describe(
        'The increase of a counter since the last sample of the previous bucket with samples. Always `null` in the first bucket: samples before the range are not read.',
      ),
    rate: numbers.optional().describe('The increase of a counter per second. `null` in the first bucket.'),
    first: z.array(valueSchema).optional().describe('The first value of each bucket.'),
    last: z.array(valueSchema).optional().describe('The last value of each bucket.'),
  })
  .meta({
    id: 'Series',
    description: 'One series as columns: raw samples or buckets. Empty buckets are omitted.',
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

const rankedMetricSchema = z
  .object({
    metric: named.metric,
    total: z.int().meta({ description: 'Number of series with samples in the range.', examples: [412] }),
    omitted: z
      .int()
      .meta({ description: 'Number of these series that are not in the response.', examples: [392] }),
    omittedDevices: z
      .array(z.object({ device: named.device, externalId: named.externalId }))
      .describe(`The devices of the omitted series, if there are at most ${LISTED_OMITTED}.`)
      .meta({ examples: [[]] }),
  })
  .meta({ id: 'RankedMetric', description: 'How many series of a metric a ranking leaves out.' });

export const telemetryAnswerSchema = z
  .object({
    from: z
      .int()
      .meta({ description: 'The start of the range, in epoch ms.', examples: [1_763_631_000_000] }),
    to: z
      .int()
      .meta({ description: 'The end of the range, in epoch ms (exclusive).', examples: [1_763_717_400_000] }),
    bucketMs: z
      .int()
      .nullable()
      .meta({ description: 'The width of the buckets. `null` for raw samples.', examples: [172_800] }),
    series: z
      .array(seriesSchema)
      .describe('The series of the selection. Without samples in the range, their columns are empty.'),
    top: z
      .array(rankedMetricSchema)
      .optional()
      .describe('Only with `top`: for each metric, how many series are left out.'),
  })
  .meta({ id: 'Telemetry', description: 'The result of a query.' });
export type TelemetryAnswer = z.infer<typeof telemetryAnswerSchema>;

export const latestSchema = z
  .object({
    ...named,
    ts: z
      .int()
      .meta({ description: 'The timestamp of the sample, in epoch ms.', examples: [1_763_717_400_000] }),
    value: valueSchema.describe('The latest value.'),
    ageMs: z.int().meta({
      description: 'The age of the sample by the clock of the service, in milliseconds.',
      examples: [4_000],
    }),
  })
  .meta({ id: 'Latest', description: 'The latest value of a series.' });

export const exportFormats = ['csv', 'ndjson'] as const;

const tag = 'Telemetry';

export const telemetryApi = {
  write: endpoint({
    method: 'POST',
    path: '/v1/telemetry',
    scope: 'telemetry:write',
    usesTelemetry: true,
    query: z.strictObject({
      allowOld: allowOldSchema,
      backfill: z
        .boolean()
        .default(false)
        .describe(
          '`true`: the write imports history, does not mark devices as seen and does not count towards the samples per second of the overview. By default a write marks them as seen at the time of receipt, whatever the timestamps.',
        ),
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
        'Answers after the samples are on disk. Idempotent by device, metric and timestamp; a sample without a timestamp gets the time of arrival, so each repetition stores another one. `Idempotency-Key` is not used. JSON: samples, or series as columns. NDJSON: one DeviceSamples object per line. CSV: the header row `ts,device,metric,value`, with `ts` as in DeviceSamples. A cell that is a JSON number is a number, `true` and `false` are booleans, and other cells are text; empty cells, `NaN`, `Infinity` and `null` are rejected as `invalid-value`. Timestamps more than 10 minutes ahead of the service are rejected as `ts-too-far-ahead`. A large write is stored in slices: if a slice fails, the slices before it stay stored, and sending the write again stores the rest. Invalid samples are rejected one by one and listed in the response. If all samples are invalid, the response is `validation-failed`.',
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
        'Returns at most 100 series, including combined or ranked series. The devices are those named by `device` and those that match the filter (`q`, `state`, `type`, `tag`, `silentFor`, `withoutTag`, as in the list of devices); without both, all devices. Returns raw samples if no series has more than `points` samples in the range, otherwise buckets of equal width, aligned to the epoch. The first bucket may begin before `from` and the last one end after `to`; they contain only samples of the range. Buckets wider than 2.5 hours are whole quarter-hours, those wider than 10 hours whole hours, those wider than 10 days whole days. A response has at most 16,777,216 characters of text in values.',
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
      description:
        'Same as `GET /v1/telemetry`, with the query in the body. Returns at most 500 series, including combined or ranked series.',
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
        .meta({
          description: 'The ID or external ID of a device. Repeat the parameter for several devices.',
          examples: [['boiler-7']],
        }),
      metric: metricFilter
        .optional()
        .describe('A metric. Repeat the parameter for several metrics. Defaults to all metrics.'),
    }),
    status: 200,
    response: z.object({ data: z.array(latestSchema).describe('The latest value of each series.') }),
    doc: {
      tag,
      summary: 'Read latest values',
      description:
        'Returns the latest value of each series of up to 200 devices, with its age. At most 20,000 series.',
      errors: ['not-found', 'query-too-large'],
    },
  }),
  export: endpoint({
    method: 'GET',
    path: '/v1/telemetry/export',
    scope: 'telemetry:read',
    usesTelemetry: true,
    query: z.strictObject({
      device: deviceFilter
        .optional()
        .describe(
          'The ID or external ID of a device. Repeat the parameter for several devices. Defaults to all devices.',
        ),
      metric: metricFilter
        .optional()
        .describe('A metric. Repeat the parameter for several metrics. Defaults to all metrics.'),
      ...devicesByFilter,
      ...range,
      bucket: resolution.bucket.describe(
        'Exports the mean, minimum, maximum and count of buckets of this width, such as `10s`, `5m`, `1h` or `1d`, instead of raw samples. Days begin at midnight in `timeZone`, weeks on Monday.',
      ),
      timeZone: resolution.timeZone.describe(
        'The IANA time zone in which days and weeks begin, and whose offset the times have (`Z` for UTC).',
      ),
      format: z
        .enum(exportFormats)
        .optional()
        .describe('The format of the export. Defaults to the `Accept` header, then to CSV.'),
    }),
    status: 200,
    responseTypes: ['text/csv', 'application/x-ndjson'],
    download: true,
    doc: {
      tag,
      summary: 'Export samples',
      description:
        'Streams raw samples, or with `bucket` the columns `avg`, `min`, `max` and `count`. The last line of NDJSON is `{ "end": true, "rows": n }`. To write a CSV of raw samples, remove its column `device`, and rename `time` to `ts` and `externalId` to `device`.',
      texts: {
        'text/csv':
          'time,device,externalId,metric,value\r\n2025-11-21T09:30:00.000Z,dev_01jz3k5v8cf6n9qw2r4t7y0abd,boiler-7,temperature,71.5\r\n',
        'application/x-ndjson':
          '{"time":"2025-11-21T09:30:00.000Z","device":"dev_01jz3k5v8cf6n9qw2r4t7y0abd","externalId":"boiler-7","metric":"temperature","value":71.5}\n{"end":true,"rows":1}\n',
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
        .meta({
          description: 'The ID or external ID of a device. Repeat the parameter for several devices.',
          examples: [['boiler-7']],
        }),
      metric: metricFilter
        .optional()
        .describe('A metric. Repeat the parameter for several metrics. Defaults to all metrics.'),
      from: rangeEnd.describe(`The start of the range, inclusive: ${RANGE_END.words}.`),
      to: rangeEnd.meta({
        description: 'The end of the range, exclusive. Accepts the same formats as `from`.',
        examples: ['now'],
      }),
    }),
    status: 200,
    response: z.object({ deleted: z.int().describe('Number of deleted samples.') }),
    doc: {
      tag,
      summary: 'Delete samples',
      description: 'Deletes the samples of the named devices in a range.',
      errors: ['not-found'],
    },
  }),
};
