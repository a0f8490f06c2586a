import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { metricKindSchema, metricNameSchema, valueSchema } from './telemetry.ts';
import { line } from './text-fields.ts';
import { isStorable } from './is-storable.ts';

/** How numbers are read: a gauge by its value, a counter by its increase and rate. */
export const metricTypes = ['gauge', 'counter'] as const;
const metricTypeSchema = z.enum(metricTypes).meta({ examples: ['gauge'] });
export type MetricType = z.infer<typeof metricTypeSchema>;

export const MAX_DECIMALS = 10;

/** `null`: automatic. */
const settings = {
  label: line(100)
    .nullable()
    .meta({
      description: 'The display name. Empty: the name of the metric. `null`: automatic.',
      examples: ['Flow temperature'],
    }),
  unit: line(32)
    .nullable()
    .meta({ description: 'The unit of the values. Empty: no unit. `null`: automatic.', examples: ['°C'] }),
  decimals: z
    .int()
    .min(0)
    .max(MAX_DECIMALS)
    .nullable()
    .meta({
      description:
        'The number of decimals that pages show. `null`: automatic. Stored values are not rounded.',
      examples: [1],
    }),
  metricType: metricTypeSchema
    .nullable()
    .describe('`counter`: a number that increases until it restarts from 0. `null`: automatic.'),
};

export const metricSettingsSchema = z
  .object(settings)
  .meta({ id: 'MetricSettings', description: 'The settings of a metric. `null`: automatic.' });
export type MetricSettings = z.infer<typeof metricSettingsSchema>;

export const metricChangeSchema = z.strictObject(settings).partial().meta({
  id: 'MetricChange',
  description: 'A merge patch: omitted fields keep their values, `null` resets to automatic.',
});
export type MetricChange = z.infer<typeof metricChangeSchema>;

/**
 * The values that Penstock chooses for settings that are null. They do not change after the first sample of a metric.
 */
const automaticSchema = z
  .object({
    label: z
      .string()
      .nullable()
      .meta({ description: 'The display name. `null`: the name of the metric.', examples: [null] }),
    unit: z
      .string()
      .nullable()
      .meta({
        description: 'The unit: sent with the first sample, or guessed from the name.',
        examples: ['°C'],
      }),
    metricType: metricTypeSchema.nullable().describe('Guessed from the name. `null`: not a number.'),
    isUnitGuessed: z.boolean().describe('True if the unit is guessed from the name.'),
  })
  .meta({ id: 'AutomaticMetric', description: 'The automatic values of a metric.' });
export type AutomaticMetric = z.infer<typeof automaticSchema>;

export const metricSchema = z
  .object({
    metric: z.string().meta({ description: 'The metric.', examples: ['temperature'] }),
    kind: metricKindSchema.describe('The kind of the values.'),
    label: z
      .string()
      .nullable()
      .meta({
        description: 'The display name. `null`: the name of the metric.',
        examples: ['Flow temperature'],
      }),
    unit: z
      .string()
      .nullable()
      .meta({
        description: 'The unit of the values, set or automatic. `null` if there is none.',
        examples: ['°C'],
      }),
    isUnitGuessed: z.boolean().describe('True if the unit is guessed from the name of the metric.'),
    decimals: z
      .int()
      .nullable()
      .meta({ description: 'The number of decimals that pages show. `null`: automatic.', examples: [1] }),
    metricType: metricTypeSchema
      .nullable()
      .describe('`counter`: a number that increases until it restarts from 0. `null`: not a number.'),
    firstTs: z.int().meta({
      description: 'The timestamp of the earliest sample, in epoch ms.',
      examples: [1_763_631_000_000],
    }),
    lastTs: z.int().meta({
      description: 'The timestamp of the latest sample, in epoch ms.',
      examples: [1_763_717_400_000],
    }),
    value: valueSchema.describe('The latest value.'),
  })
  .meta({ id: 'Metric', description: 'A metric of a device.' });
export type Metric = z.infer<typeof metricSchema>;

const metricDetailsSchema = metricSchema
  .extend({
    deviceType: z
      .string()
      .meta({ description: 'The type of the device. Empty if there is none.', examples: ['boiler'] }),
    automatic: automaticSchema.describe('The automatic values.'),
    typeSettings: metricSettingsSchema.describe('Settings for all devices of this type.'),
    deviceSettings: metricSettingsSchema.describe(
      'Settings for this device only. They override `typeSettings`.',
    ),
  })
  .meta({ id: 'MetricDetails', description: 'A metric of a device, with its settings.' });
export type MetricDetails = z.infer<typeof metricDetailsSchema>;

const tag = 'Telemetry';

const deviceParams = {
  id: idSchema('dev').describe('The ID of the device.'),
};
const metricParam = { metric: metricNameSchema.describe('The name of the metric.') };
const typeParams = z.object({
  deviceType: z
    .string()
    .min(1)
    .max(64)
    .refine(isStorable, 'Must not contain NUL or unpaired surrogates.')
    .meta({ description: 'The type of the devices (case-insensitive).', examples: ['boiler'] }),
  ...metricParam,
});

export const metricsApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/devices/{id}/metrics',
    scope: 'telemetry:read',
    usesTelemetry: true,
    params: z.object(deviceParams),
    status: 200,
    response: z.object({ data: z.array(metricSchema).describe('All metrics of the device.') }),
    doc: {
      tag,
      summary: 'List the metrics of a device',
      description: 'Returns each metric with its unit, label and latest value.',
    },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/devices/{id}/metrics/{metric}',
    scope: 'telemetry:read',
    usesTelemetry: true,
    params: z.object({ ...deviceParams, ...metricParam }),
    status: 200,
    response: metricDetailsSchema,
    etag: true,
    doc: {
      tag,
      summary: 'Read a metric of a device',
      description:
        'Returns a metric, its settings for the device and for the type of the device, and its automatic values. The `ETag` is the revision of `deviceSettings`.',
    },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/devices/{id}/metrics/{metric}',
    scope: 'devices:write',
    usesTelemetry: true,
    params: z.object({ ...deviceParams, ...metricParam }),
    body: metricChangeSchema,
    status: 200,
    response: metricDetailsSchema,
    etag: true,
    ifMatch: true,
    doc: {
      tag,
      summary: 'Update a metric of a device',
      description:
        'Sets label, unit, decimals and metric type of a metric for one device. These settings override those of the type of the device. A merge patch (RFC 7396).',
    },
  }),
  getOfType: endpoint({
    method: 'GET',
    path: '/v1/device-types/{deviceType}/metrics/{metric}',
    scope: 'telemetry:read',
    usesTelemetry: true,
    params: typeParams,
    status: 200,
    response: metricSettingsSchema,
    etag: true,
    doc: {
      tag,
      summary: 'Read a metric of a device type',
      description: 'Returns the settings of a metric for all devices of a type.',
    },
  }),
  changeOfType: endpoint({
    method: 'PATCH',
    path: '/v1/device-types/{deviceType}/metrics/{metric}',
    scope: 'devices:write',
    usesTelemetry: true,
    params: typeParams,
    body: metricChangeSchema,
    status: 200,
    response: metricSettingsSchema,
    etag: true,
    ifMatch: true,
    doc: {
      tag,
      summary: 'Update a metric of a device type',
      description:
        'Sets label, unit, decimals and metric type of a metric for all devices of a type, present and future. A merge patch (RFC 7396).',
    },
  }),
};
