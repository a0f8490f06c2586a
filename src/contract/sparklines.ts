import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { seriesSchema } from './telemetry.ts';

/** The largest number of devices of one request. */
export const SPARKLINE_DEVICES = 100;

/** The range of a sparkline, and the width of its buckets. */
export const SPARKLINE_MS = 86_400_000;
export const SPARKLINE_BUCKET_MS = 1_800_000;

export const sparklineSchema = seriesSchema
  .pick({ metric: true, ts: true })
  .extend({
    device: idSchema('dev').describe('The ID of the device.'),
    unit: z
      .string()
      .nullable()
      .meta({
        description: 'The unit of `avg` or `rate`. `null`: none.',
        examples: ['°C', '1/s', 'kWh/h'],
      }),
    avg: z
      .array(z.number().nullable())
      .optional()
      .describe('The mean of each bucket of a gauge. Counters have `rate` instead.'),
    rate: z
      .array(z.number().nullable())
      .optional()
      .describe(
        'The rate of a counter in each bucket: its increase per second, or per hour if its unit ends in `Wh`. The first bucket with samples and the bucket in progress are omitted. Gauges have `avg` instead.',
      ),
  })
  .meta({ id: 'Sparkline', description: 'The first metric of a device in the last 24 hours.' });
export type Sparkline = z.infer<typeof sparklineSchema>;

export const sparklinesApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/telemetry/sparklines',
    scope: 'telemetry:read',
    usesTelemetry: true,
    query: z.strictObject({
      device: z
        .array(z.string().min(1).max(128))
        .min(1)
        .max(SPARKLINE_DEVICES)
        .meta({
          description: 'The ID or external ID of a device. Repeat the parameter for several devices.',
          examples: [['boiler-7']],
        }),
    }),
    status: 200,
    response: z.object({
      data: z
        .array(sparklineSchema)
        .describe(
          'One for each device whose first metric is a number. Devices that do not exist or that the token cannot access, and empty buckets, are omitted. `ts` is empty if a counter has samples in fewer than two buckets.',
        ),
    }),
    doc: {
      tag: 'Telemetry',
      summary: 'Read sparklines',
      description:
        'Returns the first metric of each device in the last 24 hours, in buckets of 30 minutes: a measurement with a unit if there is one, else another number. Counters have their rate, with its unit in `unit`. The devices can have at most 20,000 metrics.',
      errors: ['query-too-large'],
    },
  }),
};
