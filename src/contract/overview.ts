import * as z from 'zod';
import { attentionSchema } from './attention.ts';
import { countsByState } from './counts-by-state.ts';
import { deviceStates } from './device-filter.ts';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { pipelineStates } from './pipeline-state.ts';

const limited = '`null` for a token that is limited to devices.';

export const overviewSchema = z
  .object({
    devices: countsByState(deviceStates).describe('The devices that the token can read.'),
    pipelines: countsByState(pipelineStates)
      .nullable()
      .meta({ description: `The pipelines. ${limited}`, examples: [null] }),
    ingest: z
      .object({
        perSecond: z
          .number()
          .describe(
            'Samples per second: the mean of the last minute. In the first minute after a start, the mean since the start, over at least 10 s.',
          ),
        perMinute: z
          .array(
            z.object({
              ts: z.int().describe('The start of the minute, in epoch ms.'),
              count: z.int().describe('Samples accepted in this minute.'),
              perSecond: z
                .number()
                .describe('Samples per second, for the part of the minute in which the service ran.'),
            }),
          )
          .describe(
            'Samples accepted in each minute of the last hour, including minutes before a restart. Minutes in which the service was not running are left out.',
          ),
        busiest: z
          .array(
            z.object({
              id: idSchema('dev').describe('The ID of the device.'),
              externalId: z
                .string()
                .meta({ description: 'The external ID of the device.', examples: ['boiler-7'] }),
              name: z.string().meta({ description: 'The name of the device.', examples: ['Boiler 7'] }),
              share: z
                .number()
                .meta({ description: 'Its share of the samples, from 0.1 to 1.', examples: [0.62] }),
            }),
          )
          .describe(
            'The devices that sent at least a tenth of the samples of the last 5 to 10 minutes, the busiest first. Includes repeated samples, and leaves out imports and replays. With several processes, each process counts only the samples that it receives.',
          ),
      })
      .nullable()
      .meta({
        description: `The throughput of the service, without imports of history (\`backfill\`) and replays. ${limited}`,
        examples: [null],
      }),
    storage: z
      .object({
        samples: z.int().describe('Number of stored samples.'),
        bytes: z
          .int()
          .describe(
            'Disk space used by telemetry: stored samples, without devices, events and samples that wait for a destination.',
          ),
        freeBytes: z
          .int()
          .nullable()
          .describe('Free space on that disk. `null` if telemetry is on a database server.'),
        fullAt: z
          .int()
          .nullable()
          .describe(
            'When the disk will be full if telemetry keeps growing as in `growth`, in epoch ms. `null` if that is unknown or there is room for more than ten years.',
          ),
        growth: z
          .object({
            bytesPerDay: z
              .int()
              .describe('The growth of the telemetry on disk per day, in bytes. Negative if it shrinks.'),
            since: z.int().describe('The start of the measured period, in epoch ms: at most a week ago.'),
          })
          .nullable()
          .meta({
            description:
              'The growth of the telemetry on disk. `null` in the first day of measurement, and if telemetry is on a database server.',
            examples: [null],
          }),
      })
      .nullable()
      .meta({ description: `Disk usage. ${limited}`, examples: [null] }),
    attention: attentionSchema.nullable().meta({
      description: `What needs attention, as far as the scopes of the token allow. ${limited}`,
      examples: [null],
    }),
  })
  .meta({ id: 'Overview', description: 'What needs attention, counts, throughput and storage.' });
export type Overview = z.infer<typeof overviewSchema>;

export const overviewApi = {
  get: endpoint({
    method: 'GET',
    path: '/v1/overview',
    scope: 'devices:read',
    status: 200,
    response: overviewSchema,
    doc: {
      tag: 'Overview',
      summary: 'Read the overview',
      description:
        'Returns what needs attention, the number of devices and pipelines by state, the throughput and the disk usage. A token that is limited to devices only gets the counts of its devices.',
    },
  }),
};
