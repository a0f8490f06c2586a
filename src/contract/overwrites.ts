import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { timeSchema } from './paging.ts';
import { pipelineParams } from './pipelines.ts';
import { valueSchema } from './telemetry.ts';

export const overwriteSchema = z
  .object({
    device: idSchema('dev').describe('The id of the device.'),
    externalId: z.string().meta({ description: 'The external ID of the device.', examples: ['boiler-7'] }),
    metric: z.string().meta({ description: 'The metric.', examples: ['temperature'] }),
    count: z.int().meta({ description: 'How many values were overwritten since `firstAt`.', examples: [12] }),
    firstAt: timeSchema.describe('When the first of them was overwritten.'),
    lastAt: timeSchema.describe('When the latest of them was overwritten.'),
    ts: z.int().meta({ description: 'Epoch ms: the time of the latest sample.', examples: [1763717400000] }),
    before: valueSchema
      .nullable()
      .meta({ description: 'Its value before; null: the store does not say.', examples: [71.5] }),
    after: valueSchema.meta({ description: 'Its value since then.', examples: [72] }),
  })
  .meta({ id: 'Overwrite', description: 'Values of one metric of one device that replaced others.' });
export type Overwrite = z.infer<typeof overwriteSchema>;

export const overwritesApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/pipelines/{id}/overwrites',
    scope: 'pipelines:read',
    params: pipelineParams,
    status: 200,
    response: z.object({
      data: z.array(overwriteSchema).describe('The latest first, at most 50.'),
    }),
    doc: {
      tag: 'Pipelines',
      summary: 'List overwritten values',
      description:
        'Which devices and metrics of a pipeline replaced values in the built-in store lately, with the latest value before and after. A device whose clock repeats or a mapping that gives several values one name shows here.',
    },
  }),
};
