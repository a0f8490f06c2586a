import * as z from 'zod';
import { deviceFilterSchema } from './device-filter.ts';
import { BATCH_LIMIT, EXCEPT_LIMIT } from './devices.ts';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { LIMITS } from './sample-rules.ts';

const { devicesPerQuery, seriesPerLatest } = LIMITS;

export const sampleCountsApi = {
  count: endpoint({
    method: 'POST',
    path: '/v1/telemetry/count',
    scope: 'telemetry:read',
    usesTelemetry: true,
    safe: true,
    bodyLimit: 1_048_576,
    body: z
      .strictObject({
        devices: z
          .array(z.string().min(1).max(128))
          .min(1)
          .max(BATCH_LIMIT)
          .optional()
          .meta({ description: 'The ID or external ID of each device.', examples: [['boiler-7']] }),
        filter: deviceFilterSchema
          .optional()
          .describe('Selects devices like the parameters of the list of devices, in addition to `devices`.'),
        except: z
          .array(idSchema('dev'))
          .max(EXCEPT_LIMIT)
          .optional()
          .meta({ description: 'The IDs of devices that are not counted.', examples: [[]] }),
      })
      .meta({
        id: 'SampleCountQuery',
        description:
          'The devices: those named in `devices` and those that match the filter; without both, all devices.',
      }),
    status: 200,
    response: z
      .object({
        devices: z.int().meta({ description: 'Number of selected devices.', examples: [400] }),
        series: z
          .int()
          .meta({ description: 'Number of metrics, counted for each device.', examples: [2_000] }),
        samples: z.int().meta({ description: 'Number of stored samples.', examples: [1_200_000] }),
      })
      .meta({ id: 'SampleCount', description: 'The amount of telemetry of the selected devices.' }),
    doc: {
      tag: 'Telemetry',
      summary: 'Count stored samples',
      description: `Counts the metrics and the stored samples of devices, for example before you delete them. At most ${devicesPerQuery.toLocaleString('en')} devices with ${seriesPerLatest.toLocaleString('en')} metrics.`,
      errors: ['not-found', 'query-too-large'],
    },
  }),
};
