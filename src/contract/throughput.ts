import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { pipelineParams } from './pipelines.ts';

/** The largest number of pipelines of one request. */
export const THROUGHPUT_PIPELINES = 100;

export const throughputRanges = ['1h', '24h', '30d'] as const;
export type ThroughputRange = (typeof throughputRanges)[number];

const bucketFields = {
  ts: z.array(z.int()).meta({
    description:
      'The start of each bucket, in epoch ms, ascending. Buckets without data, in which the service was not running, are left out.',
    examples: [[1763717280000, 1763717340000]],
  }),
  received: z
    .array(z.int())
    .meta({ description: 'Samples received in each of these buckets.', examples: [[150, 0]] }),
  perSecond: z.array(z.number()).meta({
    description: 'Mean of the samples per second, for the part of the bucket in which the service ran.',
    examples: [[2.5, 0]],
  }),
};

export const throughputSchema = z
  .object({
    from: z.int().meta({
      description: 'The start of the range, in epoch ms.',
      examples: [1763631000000],
    }),
    to: z.int().meta({
      description: 'The end of the range, in epoch ms: the start of the minute or the hour in progress.',
      examples: [1763717400000],
    }),
    bucketMs: z.int().meta({
      description: 'The length of a bucket in ms: a minute for `1h` and `24h`, an hour for `30d`.',
      examples: [60_000],
    }),
    ...bucketFields,
  })
  .meta({
    id: 'Throughput',
    description:
      'The samples that a pipeline received in each minute of an hour or of 24 hours, or in each hour of 30 days.',
  });
export type Throughput = z.infer<typeof throughputSchema>;

const lastHourSchema = z
  .object({ pipeline: idSchema('pip').describe('The ID of the pipeline.'), ...bucketFields })
  .meta({
    id: 'PipelineLastHour',
    description: 'The samples that a pipeline received in each minute of the last hour.',
  });
export type PipelineLastHour = z.infer<typeof lastHourSchema>;

export const throughputApi = {
  lastHour: endpoint({
    method: 'GET',
    path: '/v1/pipeline-throughput',
    scope: 'pipelines:read',
    query: z.strictObject({
      pipeline: z
        .array(idSchema('pip'))
        .min(1)
        .max(THROUGHPUT_PIPELINES)
        .meta({
          description: 'The ID of a pipeline. Repeat the parameter for several pipelines.',
          examples: [['pip_01jz3k5v8cf6n9qw2r4t7y0abd']],
        }),
    }),
    status: 200,
    response: z.object({
      data: z.array(lastHourSchema).describe('One for each pipeline that exists.'),
    }),
    doc: {
      tag: 'Pipelines',
      summary: 'Read the last hour of several pipelines',
      description:
        'Returns the samples received in each minute of the last hour, for up to 100 pipelines. The minute in progress is not included.',
    },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/pipelines/{id}/throughput',
    scope: 'pipelines:read',
    params: pipelineParams,
    query: z.strictObject({
      range: z
        .enum(throughputRanges)
        .default('24h')
        .meta({
          description: '`24h` returns minutes, `30d` returns hours.',
          examples: ['30d'],
        }),
    }),
    status: 200,
    response: throughputSchema,
    doc: {
      tag: 'Pipelines',
      summary: 'Read the throughput of a pipeline',
      description:
        'Returns the samples received in each minute of the last 24 hours, or in each hour of the last 30 days. The minute or hour in progress is not included.',
    },
  }),
};
