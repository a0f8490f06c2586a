import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { timeSchema } from './paging.ts';
import { pipelineParams } from './pipelines.ts';
import { valueSchema } from './telemetry.ts';

export const overwriteSchema = z
  .object({
    device: idSchema('dev').describe('The ID of the device.'),
    externalId: z.string().meta({ description: 'The external ID of the device.', examples: ['boiler-7'] }),
    metric: z.string().meta({ description: 'The metric.', examples: ['temperature'] }),
    count: z.int().meta({ description: 'Number of samples overwritten since `firstAt`.', examples: [12] }),
    firstAt: timeSchema.describe('When the first sample was overwritten.'),
    lastAt: timeSchema.describe('When the latest sample was overwritten.'),
    ts: z.int().meta({
      description: 'The timestamp of the sample overwritten last, in epoch ms.',
      examples: [1763717400000],
    }),
    before: valueSchema
      .nullable()
      .meta({ description: 'The value of that sample before. `null` if unknown.', examples: [71.5] }),
    after: valueSchema.meta({ description: 'The value of that sample now.', examples: [72] }),
  })
  .meta({ id: 'Overwrite', description: 'Overwritten samples of one metric of one device.' });
export type Overwrite = z.infer<typeof overwriteSchema>;

export const overwritesApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/pipelines/{id}/overwrites',
    scope: 'pipelines:read',
    params: pipelineParams,
    status: 200,
    response: z.object({
      data: z.array(overwriteSchema).describe('The most recently overwritten first, at most 50.'),
    }),
    doc: {
      tag: 'Pipelines',
      summary: 'List overwritten samples',
      description:
        'Lists the devices and metrics of a pipeline whose samples were recently overwritten in the built-in store, with the latest value before and after. Typical causes are a device whose clock was set back, and a mapping that uses one metric name for several fields.',
    },
  }),
};
