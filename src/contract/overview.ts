import * as z from 'zod';
import { deviceStateSchema } from './devices.ts';
import { endpoint } from './endpoint.ts';
import { pipelineStateSchema } from './pipelines.ts';

const counts = <T extends z.ZodEnum>(state: T) =>
  z.object({ total: z.int(), byState: z.record(state, z.int()) });

export const overviewSchema = z
  .object({
    devices: counts(deviceStateSchema),
    pipelines: counts(pipelineStateSchema),
    ingest: z.object({
      perSecond: z.number().describe('Values per second now (over the last 10 s).'),
      perMinute: z
        .array(z.object({ ts: z.int(), count: z.int() }))
        .describe('Values in each minute of the last hour.'),
    }),
    storage: z.object({
      samples: z.int(),
      bytes: z.int(),
      freeBytes: z.int(),
      fullAt: z
        .int()
        .nullable()
        .describe('Epoch ms at which the disk is full at the rate of the last hours; null: not in sight.'),
    }),
  })
  .meta({ id: 'Overview' });
export type Overview = z.infer<typeof overviewSchema>;

export const overviewApi = {
  get: endpoint({
    method: 'GET',
    path: '/v1/overview',
    scope: 'devices:read',
    status: 200,
    response: overviewSchema,
    doc: { tag: 'Overview', summary: 'Counts, rates and storage' },
  }),
};
