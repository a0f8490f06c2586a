import * as z from 'zod';
import { endpoint, TELEMETRY_LIMIT } from './endpoint.ts';
import { mappingSchema, pipelineConfigSchema, pipelineParams } from './pipelines.ts';
import { sampleSchema } from './telemetry.ts';

export const previewSchema = z
  .object({
    format: z
      .string()
      .nullable()
      .meta({ description: 'The format that was recognised; null: none.', examples: ['flat'] }),
    samples: z.array(sampleSchema).describe('What would be stored.'),
    unnamed: z.array(sampleSchema.omit({ device: true })).meta({
      description:
        'What would be stored if something named the device; now it is rejected as `device-missing`.',
      examples: [[]],
    }),
    rejections: z
      .array(
        z.object({
          reason: z.string().meta({ description: 'Why, for programs.', examples: ['invalid-value'] }),
          detail: z.string().meta({ description: 'Why, for people.', examples: ['null is no value.'] }),
        }),
      )
      .describe('What would be refused.'),
    skipped: z
      .boolean()
      .meta({ description: 'Whether the expression skips the message.', examples: [false] }),
    noValues: z.int().meta({
      description:
        'Number of series whose value is NaN or infinity in Prometheus text. They count neither as received nor as rejected.',
      examples: [0],
    }),
    timeZone: z
      .string()
      .nullable()
      .meta({
        description:
          'The time zone applied to timestamps that do not include one. `null` if all timestamps include one.',
        examples: [null],
      }),
  })
  .meta({ id: 'Preview', description: 'What a message would become.' });
export type Preview = z.infer<typeof previewSchema>;

const tag = 'Pipelines';

/** Endpoints about the messages of a pipeline. */
export const messagesApi = {
  send: endpoint({
    method: 'POST',
    path: '/v1/pipelines/{id}/messages',
    scope: 'telemetry:write',
    usesTelemetry: true,
    params: pipelineParams,
    query: z.strictObject({
      device: z.string().min(1).max(128).optional().describe('The device of a message that names none.'),
    }),
    bodyTypes: ['*/*'],
    bodyLimit: TELEMETRY_LIMIT,
    body: z.unknown().meta({
      description: 'The message as it is.',
      examples: [{ temperature: 71.5, burning: true }],
    }),
    status: 202,
    response: z.object({
      received: z.int().meta({ description: 'How many values the message held.', examples: [2] }),
      rejected: z.int().meta({ description: 'Those of them that were refused.', examples: [0] }),
      skipped: z
        .int()
        .meta({ description: '1 if the expression skipped the message, otherwise 0.', examples: [0] }),
      overwritten: z.int().meta({
        description:
          'Number of values that replaced a different value of the same device, metric and timestamp. Always 0 for a pipeline with an external destination.',
        examples: [0],
      }),
    }),
    doc: {
      tag,
      summary: 'Send a message',
      description: 'Answers after it is on disk. Any JSON or text: what cannot be read is rejected and kept.',
      errors: ['invalid-state'],
    },
  }),
  preview: endpoint({
    method: 'POST',
    path: '/v1/pipelines/preview',
    scope: 'pipelines:read',
    safe: true,
    // A message of 65,536 characters, each of which JSON may escape with six.
    bodyLimit: 524_288,
    body: z
      .strictObject({
        type: z
          .string()
          .max(64)
          .optional()
          .meta({
            description: 'Of the pipeline: how it reads a topic. `mqtt` where left out.',
            examples: ['mqtt'],
          }),
        mapping: mappingSchema.optional().describe('How it is read.'),
        config: pipelineConfigSchema
          .optional()
          .describe(
            'The configuration of the pipeline. Its topic and device determine the device of the message; its `timeZone` and `allowOld` apply to timestamps.',
          ),
        name: z
          .string()
          .max(100)
          .optional()
          .meta({
            description:
              'Of the pipeline: its slug is the device of Prometheus text that nothing else names.',
            examples: ['Node exporter'],
          }),
        message: z
          .string()
          .max(65_536)
          .meta({ description: 'The text of the message.', examples: ['{"temperature":71.5}'] }),
        topic: z
          .string()
          .max(1_024)
          .optional()
          .meta({ description: 'The topic that it came on.', examples: ['v1/devices/boiler-7/telemetry'] }),
        device: z
          .string()
          .max(128)
          .optional()
          .meta({ description: 'The device of a message that names none.', examples: ['boiler-7'] }),
      })
      .meta({ id: 'PreviewRequest', description: 'A message, and how it came.' }),
    status: 200,
    response: previewSchema,
    doc: { tag, summary: 'Preview a message', description: 'What it would become. Stores nothing.' },
  }),
};
