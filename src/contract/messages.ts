import * as z from 'zod';
import { endpoint, TELEMETRY_LIMIT } from './endpoint.ts';
import {
  mappingSchema,
  pipelineConfigSchema,
  pipelineParams,
  suggestedExpressionSchema,
  TELEMETRY,
} from './pipelines.ts';
import { timeSchema } from './paging.ts';
import { receivedMessageSchema } from './received-message.ts';
import { deviceSamplesSchema } from './telemetry.ts';

export const previewSchema = z
  .object({
    format: z
      .string()
      .nullable()
      .meta({ description: 'The detected format. `null` if none was detected.', examples: ['flat'] }),
    samples: z.array(deviceSamplesSchema).describe('The samples that would be stored.'),
    unnamed: z.array(deviceSamplesSchema.omit({ device: true })).meta({
      description: 'Samples without a device. They would be rejected as `device-missing`.',
      examples: [[]],
    }),
    mistimed: z.array(deviceSamplesSchema).meta({
      description: 'Samples whose timestamps would be rejected, with the reason in `rejections`.',
      examples: [[]],
    }),
    rejections: z
      .array(
        z.object({
          reason: z
            .string()
            .meta({ description: 'The reason code, for programs.', examples: ['invalid-value'] }),
          detail: z
            .string()
            .meta({ description: 'The human-readable reason.', examples: ['null is not a value.'] }),
          expression: suggestedExpressionSchema,
          fields: z.array(z.string()).meta({
            description:
              'The fields that contradict each other (`device-ambiguous`, `ts-ambiguous`). Otherwise empty.',
            examples: [['measuredAt', 'reportedAt']],
          }),
        }),
      )
      .describe('The samples that would be rejected, with the reasons.'),
    skipped: z.boolean().meta({
      description:
        'Whether the message is skipped: by the expression, because it is known to have no samples, or because all of its metrics are left out.',
      examples: [false],
    }),
    noValues: z.int().meta({
      description:
        'Number of series without a value: NaN or infinity in Prometheus text, or a word such as `unavailable` as the value of a topic. These series count neither as received nor as rejected.',
      examples: [0],
    }),
    leftOut: z.array(z.string()).meta({
      description:
        'Metrics that `include` and `exclude` of the configuration leave out, and fields that the format leaves out, such as long lists. These count neither as received nor as rejected.',
      examples: [['linkquality']],
    }),
    registered: z.array(z.string()).meta({
      description:
        'Texts in a JSON message that equal the ID or external ID of a registered device. A field with such a text probably names the device. At most 200 texts are looked up. Empty without `devices:read`.',
      examples: [['boiler-7']],
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
  .meta({ id: 'Preview', description: 'The predicted result for a message.' });
export type Preview = z.infer<typeof previewSchema>;

/** The number of reasons in the response to a message. */
export const MESSAGE_REJECTIONS = 20;

export const skipReasons = ['expression', 'metrics-left-out', 'no-samples'] as const;
export type SkipReason = (typeof skipReasons)[number];

export const skippedMessageSchema = receivedMessageSchema
  .extend({
    at: timeSchema.describe('When the message was received.'),
    reason: z.enum(skipReasons).meta({
      description:
        'Why the message was skipped: the expression returned no samples (`expression`), `include` and `exclude` of the configuration left out all of its metrics (`metrics-left-out`), or it is known to have no samples (`no-samples`).',
      examples: ['expression'],
    }),
    format: z
      .string()
      .nullable()
      .meta({ description: 'The detected format. `null` if none was detected.', examples: ['tasmota'] }),
  })
  .meta({ id: 'SkippedMessage', description: 'A message that was neither stored nor rejected.' });
export type SkippedMessage = z.infer<typeof skippedMessageSchema>;

const tag = 'Pipelines';

const ignored = (description: string) => z.string().max(1_024).optional().describe(`${description} Ignored.`);

/**
 * What senders add to every URL that they call.
 * Sources: https://www.chirpstack.io/docs/chirpstack/integrations/http.html,
 * https://community.thingpark.org/index.php/connect-your-application-with-https/
 */
const ofSenders = {
  event: ignored('The event type, from ChirpStack.'),
  LrnDevEui: ignored('The DevEUI, from ThingPark.'),
  LrnFPort: ignored('The port, from ThingPark.'),
  LrnInfos: ignored('The source of the message, from ThingPark.'),
  AS_ID: ignored('The application server, from ThingPark.'),
  Time: ignored('The time of the request, from ThingPark.'),
  Token: ignored('The signature, from ThingPark.'),
};

/** Endpoints about the messages of a pipeline. */
export const messagesApi = {
  send: endpoint({
    method: 'POST',
    path: '/v1/pipelines/{id}/messages',
    scope: 'telemetry:write',
    usesTelemetry: true,
    takesBasic: true,
    params: pipelineParams,
    query: z.strictObject({
      device: z
        .string()
        .min(1)
        .max(128)
        .optional()
        .describe('The device of a message that does not name one.'),
      ...ofSenders,
    }),
    bodyTypes: ['*/*'],
    bodyLimit: TELEMETRY_LIMIT,
    body: z.unknown().meta({
      description: 'The message, unchanged.',
      examples: [{ temperature: 71.5, burning: true }],
    }),
    status: 202,
    response: z.object({
      received: z.int().meta({ description: 'Number of samples in the message.', examples: [2] }),
      rejected: z.int().meta({ description: 'Number of rejected samples.', examples: [0] }),
      skipped: z.int().meta({
        description:
          '1 if the message was skipped: by the expression, because it is known to have no samples, or because all of its metrics are left out. Otherwise 0.',
        examples: [0],
      }),
      overwritten: z.int().meta({
        description:
          'Number of samples that replaced a different value of the same device, metric and timestamp. Always 0 for a pipeline with an external destination.',
        examples: [0],
      }),
      rejections: z
        .array(
          z.object({
            reason: z
              .string()
              .meta({ description: 'The reason code, for programs.', examples: ['ts-implausible'] }),
            detail: z.string().meta({
              description: 'The human-readable reason of the first of them.',
              examples: ['The year is 1970.'],
            }),
            samples: z
              .int()
              .meta({ description: 'Number of samples rejected for this reason.', examples: [1] }),
          }),
        )
        .max(MESSAGE_REJECTIONS)
        .meta({
          description: `Why samples were rejected, by reason: at most ${MESSAGE_REJECTIONS}. The pipeline keeps the message with the reasons of all samples.`,
          examples: [[]],
        }),
    }),
    doc: {
      tag,
      summary: 'Send a message',
      description:
        'Answers after the message is on disk. Accepts any JSON or text. Messages that cannot be read are rejected and kept.',
      errors: ['invalid-state'],
    },
  }),
  last: endpoint({
    method: 'GET',
    path: '/v1/pipelines/{id}/messages/last',
    scope: 'pipelines:read',
    params: pipelineParams,
    status: 200,
    response: z.object({
      data: receivedMessageSchema
        .extend({ at: timeSchema.describe('When the message was received.') })
        .nullable()
        .describe(
          'The last message. `null` if the pipeline has received no message since the service started.',
        ),
    }),
    doc: {
      tag,
      summary: 'Read the last message',
      description:
        'Returns the last message that a pipeline received, accepted or not, for example to preview a mapping with it. Kept in memory until the service stops.',
    },
  }),
  lastSkipped: endpoint({
    method: 'GET',
    path: '/v1/pipelines/{id}/messages/skipped',
    scope: 'pipelines:read',
    params: pipelineParams,
    status: 200,
    response: z.object({
      data: skippedMessageSchema
        .nullable()
        .describe(
          'The last skipped message. `null` if the pipeline has skipped no message since the service started.',
        ),
    }),
    doc: {
      tag,
      summary: 'Read the last skipped message',
      description:
        'Returns the last message that the ledger counts as skipped, with the reason. Kept in memory until the service stops.',
    },
  }),
  preview: endpoint({
    method: 'POST',
    path: '/v1/pipelines/preview',
    scope: 'pipelines:read',
    safe: true,
    // A message of 65,536 characters. JSON can escape each with six characters.
    bodyLimit: 524_288,
    body: z
      .strictObject({
        type: z
          .string()
          .max(64)
          .optional()
          .meta({
            description:
              'The type of the pipeline, which determines how topics are read. Defaults to `mqtt`.',
            examples: ['mqtt'],
          }),
        mapping: mappingSchema.optional().describe('The mapping. Defaults to `auto`.'),
        config: pipelineConfigSchema
          .optional()
          .describe(
            'The configuration of the pipeline. Its topic and device determine the device of the message; its `timeZone` and `allowOld` apply to timestamps, and its `include` and `exclude` to metrics.',
          ),
        pipeline: z
          .string()
          .max(64)
          .optional()
          .meta({
            description:
              'The ID of a running pipeline. What it has learned from attributes and discovery applies to the message.',
            examples: ['pip_01h2xcejqtf2nbrexx3vqjhp41'],
          }),
        name: z
          .string()
          .max(100)
          .optional()
          .meta({
            description: 'The name of the pipeline. Its slug is the default device of Prometheus text.',
            examples: ['Node exporter'],
          }),
        destination: z
          .string()
          .max(100)
          .default(TELEMETRY)
          .meta({
            description:
              'The name of the destination, ignoring case. The retention of telemetry does not apply to external destinations.',
            examples: [TELEMETRY],
          }),
        message: z
          .string()
          .max(65_536)
          .meta({ description: 'The text of the message.', examples: ['{"temperature":71.5}'] }),
        topic: z
          .string()
          .max(1_024)
          .optional()
          .meta({ description: 'The topic of the message.', examples: ['v1/devices/boiler-7/telemetry'] }),
        device: z
          .string()
          .max(128)
          .optional()
          .meta({ description: 'The device of a message that does not name one.', examples: ['boiler-7'] }),
      })
      .meta({ id: 'PreviewRequest', description: 'A message and its origin.' }),
    status: 200,
    response: previewSchema,
    doc: {
      tag,
      summary: 'Preview a message',
      description: 'Predicts the result for a message. Stores nothing.',
    },
  }),
};
