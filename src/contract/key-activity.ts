import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { timeSchema } from './paging.ts';

/** The number of entries in each list of the activity. */
export const ACTIVITY_ITEMS = 20;

const reason = z
  .string()
  .meta({ description: 'The reason code, for programs.', examples: ['device-missing'] });
const detail = z
  .string()
  .meta({ description: 'The human-readable reason.', examples: ['The message names no device.'] });
const lastAt = timeSchema.describe('When it last occurred.');

const pipelineSchema = z
  .object({
    id: idSchema('pip').describe('The ID of the pipeline.'),
    name: z.string().meta({ description: 'The name of the pipeline.', examples: ['Tasmota'] }),
  })
  .nullable();

export const keyActivitySchema = z
  .object({
    since: timeSchema.describe(
      'The start of the recording: the first request for the activity, or the first one after 10 minutes without a request.',
    ),
    lastUsedAt: timeSchema.nullable().describe('When the key was last used. `null`: never.'),
    lastUsedFrom: z
      .string()
      .nullable()
      .meta({ description: 'The IP address of the last request.', examples: ['192.0.2.17'] }),
    received: z.int().meta({ description: 'Number of samples received.', examples: [12] }),
    rejected: z.int().meta({ description: 'Number of samples rejected.', examples: [0] }),
    skipped: z.int().meta({ description: 'Number of messages skipped.', examples: [0] }),
    deviceCount: z
      .int()
      .meta({ description: 'Number of devices with samples, at most 1,000.', examples: [1] }),
    devices: z
      .array(
        z.object({
          id: idSchema('dev').describe('The ID of the device.'),
          externalId: z.string().meta({ description: 'The external ID.', examples: ['plug-1'] }),
          name: z.string().meta({ description: 'The display name.', examples: ['plug-1'] }),
          lastAt,
        }),
      )
      .describe('The latest devices with samples, latest first. Empty without `devices:read`.'),
    formats: z
      .array(
        z.object({
          format: z.string().meta({
            description:
              'The format of a message, or of a write (`line-protocol`, `remote-write`, `otlp`, `json` and so on).',
            examples: ['tasmota'],
          }),
          pipeline: pipelineSchema.describe('The pipeline. `null` for a write, or without `pipelines:read`.'),
          lastAt,
        }),
      )
      .describe('The formats that were detected, latest first.'),
    rejections: z
      .array(
        z.object({
          reason,
          detail,
          pipeline: pipelineSchema.describe('The pipeline. `null`: a write, or the broker.'),
          lastAt,
        }),
      )
      .describe(
        'Why samples, messages or whole writes were rejected, latest first. Empty without `pipelines:read`.',
      ),
    unrouted: z
      .array(
        z.object({
          topic: z.string().meta({ description: 'The topic of a message.', examples: ['tele/plug-1/LWT'] }),
          lastAt,
        }),
      )
      .describe(
        'Topics of messages that match no running pipeline, latest first. Empty without `pipelines:read`.',
      ),
    refused: z
      .array(
        z.object({
          from: z.string().meta({ description: 'The IP address.', examples: ['192.0.2.17'] }),
          reason: z.string().meta({ description: 'The reason code.', examples: ['token-invalid'] }),
          detail,
          at: timeSchema.describe('When the request was rejected.'),
        }),
      )
      .describe(
        'Writes and MQTT connections of any sender that were rejected since `since`, latest first. Without a valid key, Penstock cannot identify the sender.',
      ),
  })
  .meta({ id: 'KeyActivity', description: 'The recent activity of an API key.' });
export type KeyActivity = z.infer<typeof keyActivitySchema>;

export const keyActivityApi = {
  read: endpoint({
    method: 'GET',
    path: '/v1/api-keys/{id}/activity',
    scope: 'api-keys:manage',
    params: z.object({ id: idSchema('key').describe('The ID of the API key.') }),
    status: 200,
    response: keyActivitySchema,
    doc: {
      tag: 'API keys',
      summary: 'Read the activity of an API key',
      description:
        'Returns the devices and formats that Penstock detected in the messages and writes of the key, the rejections, and the rejected requests. Penstock records the activity in memory from the first request on, and stops after 10 minutes without a request. With several processes, each process records what it receives.',
    },
  }),
};
