import * as z from 'zod';
import { deviceStates } from './devices.ts';
import { endpoint } from './endpoint.ts';
import { pipelineStates } from './pipelines.ts';

const counts = <S extends string>(states: readonly S[]) =>
  z.object({
    total: z.int().describe('All of them.'),
    byState: z
      .object(
        Object.fromEntries(
          states.map((state) => [state, z.int().describe(`How many are ${state}.`)]),
        ) as Record<S, z.ZodInt>,
      )
      .describe('How many are in each state.'),
  });

export const overviewSchema = z
  .object({
    devices: counts(deviceStates).describe('The devices that this token may see.'),
    pipelines: counts(pipelineStates).describe('Nothing for a token that is limited to devices.'),
    ingest: z
      .object({
        perSecond: z.number().describe('Values per second now (over the last 10 s).'),
        perMinute: z
          .array(
            z.object({
              ts: z.int().describe('Epoch ms at which the minute begins.'),
              count: z.int().describe('Values that were accepted in it.'),
            }),
          )
          .describe('Values in each minute of the last hour.'),
      })
      .describe('How much comes in.'),
    storage: z
      .object({
        samples: z.int().describe('Stored samples.'),
        bytes: z.int().describe('What they take on disk.'),
        freeBytes: z.int().describe('What is free on that disk.'),
        fullAt: z
          .int()
          .nullable()
          .describe('Epoch ms at which the disk is full at the rate of the last hours; null: not in sight.'),
      })
      .describe('What is stored, and how long there is room.'),
  })
  .meta({ id: 'Overview', description: 'The service at a glance.' });
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
      summary: 'Counts, rates and storage',
      description: 'A token that is limited to devices sees their counts alone.',
    },
  }),
};
