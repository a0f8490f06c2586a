import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { pipelineParams } from './pipelines.ts';

export const throughputSchema = z
  .object({
    from: z.int().meta({
      description: 'The start of the 24 hours, in epoch ms.',
      examples: [1763631000000],
    }),
    to: z.int().meta({
      description: 'The end of the 24 hours, in epoch ms: the start of the minute in progress.',
      examples: [1763717400000],
    }),
    ts: z.array(z.int()).meta({
      description:
        'The start of each minute, in epoch ms, ascending. Minutes without data, in which the service did not run, are left out.',
      examples: [[1763717280000, 1763717340000]],
    }),
    received: z
      .array(z.int())
      .meta({ description: 'Values received in each of these minutes.', examples: [[150, 0]] }),
    perSecond: z.array(z.number()).meta({
      description: 'Mean of the values per second, for the part of the minute in which the service ran.',
      examples: [[2.5, 0]],
    }),
  })
  .meta({
    id: 'Throughput',
    description: 'The values that a pipeline received in each minute of the last 24 hours.',
  });
export type Throughput = z.infer<typeof throughputSchema>;

export const throughputApi = {
  get: endpoint({
    method: 'GET',
    path: '/v1/pipelines/{id}/throughput',
    scope: 'pipelines:read',
    params: pipelineParams,
    status: 200,
    response: throughputSchema,
    doc: {
      tag: 'Pipelines',
      summary: 'Read the throughput of a pipeline',
      description:
        'Returns the values received in each minute of the last 24 hours. The minute in progress is not included.',
    },
  }),
};
