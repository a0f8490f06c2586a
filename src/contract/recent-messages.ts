import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { timeSchema } from './paging.ts';
import { pipelineChangeSchema, pipelineParams } from './pipelines.ts';
import { defaultDeviceSchema } from './received-message.ts';
import { deviceSamplesSchema } from './telemetry.ts';

/** The number of samples of a message that are listed, before and after a change. */
export const LISTED_SAMPLES = 10;

const changedMessageSchema = z.object({
  at: timeSchema.describe('When the message was received.'),
  message: z.string().meta({ description: 'The text of the message.', examples: ['{"temperature":71.5}'] }),
  topic: z
    .string()
    .nullable()
    .meta({ description: 'The topic or subject of the message. `null` if it has none.', examples: [null] }),
  device: z
    .string()
    .nullable()
    .meta({
      description: 'The device of its samples. `null` if they have several devices.',
      examples: ['boiler-7'],
    }),
  defaultDevice: defaultDeviceSchema,
  outcome: z
    .enum(['different', 'rejected', 'skipped'])
    .describe('Whether the message produces different samples, has rejected samples, or is skipped.'),
  messages: z.int().meta({
    description:
      'Number of messages with this outcome, and this reason if they are rejected. The other fields describe the latest of these messages. Messages with different samples are listed one by one.',
    examples: [12],
  }),
  devices: z.array(z.string()).meta({
    description: 'External IDs of the devices of these messages; at most 3.',
    examples: [['boiler-7']],
  }),
  reason: z
    .string()
    .nullable()
    .meta({
      description: 'The reason code of the rejection, for programs. `null` if no sample would be rejected.',
      examples: ['expression-error'],
    }),
  detail: z
    .string()
    .nullable()
    .meta({
      description: 'Why samples would be rejected. `null` if no sample would be rejected.',
      examples: ['The message is not JSON.'],
    }),
  missing: z
    .array(deviceSamplesSchema)
    .describe(`At most ${LISTED_SAMPLES} samples that the message produces now, but not after the change.`),
  added: z
    .array(deviceSamplesSchema)
    .describe(`At most ${LISTED_SAMPLES} samples that the message would produce only after the change.`),
});
export type ChangedMessage = z.infer<typeof changedMessageSchema>;

export const recentPreviewSchema = z
  .object({
    since: timeSchema.describe('When the service started. Recent messages are kept in memory since then.'),
    total: z.int().meta({
      description: 'Number of recent messages that the pipeline accepts without the change, at most 50.',
      examples: [50],
    }),
    messages: z.int().meta({ description: 'Number of messages that were compared.', examples: [50] }),
    same: z.int().meta({ description: 'Number of messages that produce the same samples.', examples: [47] }),
    different: z
      .int()
      .meta({ description: 'Number of messages that produce different samples.', examples: [2] }),
    rejected: z.int().meta({ description: 'Number of messages with rejected samples.', examples: [1] }),
    skipped: z.int().meta({ description: 'Number of messages that would be skipped.', examples: [0] }),
    changed: z
      .array(changedMessageSchema)
      .describe(
        'The messages that do not produce the same samples, rejected messages first; at most 5 entries.',
      ),
  })
  .meta({
    id: 'RecentPreview',
    description: 'The predicted effect of a change on messages that a pipeline accepts.',
  });
export type RecentPreview = z.infer<typeof recentPreviewSchema>;

/** Endpoints about the recent messages of a pipeline. */
export const recentMessagesApi = {
  preview: endpoint({
    method: 'POST',
    path: '/v1/pipelines/{id}/messages/preview',
    scope: 'pipelines:read',
    usesTelemetry: true,
    safe: true,
    params: pipelineParams,
    body: z
      .strictObject({
        change: pipelineChangeSchema.describe(
          'A change to preview with. The pipeline itself is not changed.',
        ),
      })
      .meta({
        id: 'RecentPreviewRequest',
        description: 'A change of the pipeline.',
        examples: [{ change: { mapping: { format: 'expression', expression: '{ "values": $ }' } } }],
      }),
    status: 200,
    response: recentPreviewSchema,
    doc: {
      tag: 'Pipelines',
      summary: 'Preview a change on recent messages',
      description:
        'Maps recently accepted messages without and with the change, and compares the samples: up to 50 messages, the last message of each recently active device, and the last message of the pipeline. Processes as many as fit in about a second. Stores nothing, registers no device and counts nothing.',
      errors: ['invalid-state'],
    },
  }),
};
