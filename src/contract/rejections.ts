import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { partySchema } from './events.ts';
import { idSchema } from './id.ts';
import { listQuery, pageOf, timeSchema } from './paging.ts';
import { pipelineChangeSchema, pipelineParams, suggestedExpressionSchema } from './pipelines.ts';
import { defaultDeviceSchema } from './received-message.ts';
import { deviceSamplesSchema } from './telemetry.ts';

/** The largest number of rejection IDs in one replay request. */
const REPLAY_LIMIT = 1_000;

/** The session or API key that sent a message. */
export const senderSchema = partySchema.extend({
  type: z.enum(['api-key', 'session']).describe('The type of the sender.'),
  id: z
    .string()
    .meta({ description: 'The ID of the API key or session.', examples: ['key_01jz3k5v8cf6n9qw2r4t7y0abd'] }),
  name: z.string().meta({
    description: 'The name of the API key or session when the message was received.',
    examples: ['Gateway 3'],
  }),
});
export type Sender = z.infer<typeof senderSchema>;

export const rejectionSchema = z
  .object({
    id: idSchema('rej').describe('The ID of the rejection.'),
    at: timeSchema.describe(
      'When the message or its samples were rejected. If `count` is above 1, the last time.',
    ),
    reason: z.string().meta({ description: 'The reason code, for programs.', examples: ['unreadable'] }),
    detail: z
      .string()
      .meta({ description: 'The human-readable reason.', examples: ['The message is not JSON.'] }),
    message: z.string().meta({ description: 'The first 64 KiB of the message.', examples: ['temp=21'] }),
    truncated: z.boolean().meta({
      description:
        'Whether `message` is truncated or differs from the received bytes. A replay reads the whole stored message.',
      examples: [false],
    }),
    topic: z
      .string()
      .nullable()
      .meta({ description: 'The topic or subject of the message. `null` if it has none.', examples: [null] }),
    device: z
      .string()
      .nullable()
      .meta({
        description:
          'The external ID of the device that the message names. `null` if it names none or several.',
        examples: ['boiler-7'],
      }),
    defaultDevice: defaultDeviceSchema,
    sender: senderSchema
      .extend({
        username: z
          .string()
          .nullable()
          .meta({
            description: 'The MQTT user name of the sender. `null` if it has none.',
            examples: ['boiler-7'],
          }),
      })
      .nullable()
      .describe(
        'The API key or session that sent the message. `null` if Penstock read the message from a source, the destination rejected the samples, or the rejection is from an earlier version.',
      ),
    attempts: z.int().meta({ description: 'The number of attempts.', examples: [1] }),
    samples: z.int().meta({
      description: 'The number of rejected samples. A message that cannot be read counts as one.',
      examples: [1],
    }),
    count: z.int().meta({
      description:
        'Number of equal rejections of a polled source: the same reasons for the same text. `samples` counts all of them.',
      examples: [1],
    }),
    firstAt: timeSchema.describe('When the first of these rejections occurred.'),
    whole: z.boolean().meta({
      description: 'Whether the whole message is stored, so that it can be replayed.',
      examples: [true],
    }),
    mapped: z.boolean().meta({
      description:
        'Whether the message was already mapped when the destination rejected it. A replay sends it unchanged.',
      examples: [false],
    }),
  })
  .meta({
    id: 'Rejection',
    description: 'A message, or samples of a message, that was not delivered, with the reason.',
  });
export type Rejection = z.infer<typeof rejectionSchema>;

/** The number of senders that a group names. */
export const LISTED_SENDERS = 3;

/** The response to `groupBy`: samples by reason, or by reason and device, most frequent first. */
export const rejectionGroupsSchema = z
  .object({
    data: z
      .array(
        z.object({
          reason: z
            .string()
            .meta({ description: 'The reason code, for programs.', examples: ['unreadable'] }),
          device: z
            .string()
            .nullable()
            .optional()
            .meta({
              description:
                'With `groupBy=device`: the external ID of the device that the messages name. `null` if they name none or several.',
              examples: ['boiler-7'],
            }),
          senders: z
            .array(senderSchema)
            .optional()
            .describe(
              `With \`groupBy=reason\`: the API keys and sessions that sent the messages, most samples first, at most ${LISTED_SENDERS}.`,
            ),
          senderCount: z
            .int()
            .optional()
            .meta({
              description:
                'With `groupBy=reason`: the number of API keys and sessions that sent the messages.',
              examples: [1],
            }),
          count: z.int().describe('The number of samples.'),
          messages: z.int().describe('The number of stored messages.'),
          lastAt: timeSchema.describe('When the latest rejection occurred.'),
        }),
      )
      .describe('The groups, most frequent first; at most 200 with `groupBy=device`.'),
  })
  .meta({ id: 'RejectionGroups', description: 'Rejected samples by reason, or by reason and device.' });
export type RejectionGroups = z.infer<typeof rejectionGroupsSchema>;

/** The rejections to replay. Exactly one of `ids`, `reason` and `all` is required. */
const choiceFields = {
  ids: z
    .array(idSchema('rej'))
    .min(1, 'Choose at least one rejection.')
    .max(REPLAY_LIMIT, 'Choose at most 1,000 rejections.')
    .optional()
    .meta({
      description: 'The IDs of the rejections. IDs of other pipelines are ignored.',
      examples: [['rej_01jz3k5v8cf6n9qw2r4t7y0abd']],
    }),
  reason: z
    .string()
    .min(1, 'Must not be empty.')
    .max(64)
    .optional()
    .meta({
      description: 'Selects the messages that were rejected for this reason.',
      examples: ['unreadable'],
    }),
  all: z.literal(true).optional().describe('Selects all stored rejections.'),
  device: z
    .string()
    .min(1, 'Must not be empty.')
    .max(128)
    .optional()
    .meta({
      description: 'With `reason` or `all`: selects only messages that name this device.',
      examples: ['boiler-7'],
    }),
};
type Choice = { ids?: unknown; reason?: unknown; all?: unknown; device?: unknown };
const isOneChoice = ({ ids, reason, all, device }: Choice): boolean =>
  [ids, reason, all].filter((given) => given !== undefined).length === 1 &&
  (ids === undefined || device === undefined);
const oneChoice = {
  message: 'Choose ids, a reason or all. A device can be combined with a reason or all.',
  path: ['ids'],
};
const oneChoiceOf = [
  { required: ['ids'], properties: { reason: false, all: false, device: false } },
  { required: ['reason'], properties: { ids: false, all: false } },
  { required: ['all'], properties: { ids: false, reason: false } },
];

export const replayRequestSchema = z
  .strictObject(choiceFields)
  .refine(isOneChoice, oneChoice)
  .meta({
    id: 'ReplayRequest',
    description: 'Choose ids, a reason or all. A device can be combined with a reason or all.',
    oneOf: oneChoiceOf,
    examples: [{ all: true }],
  });
export type ReplayRequest = z.infer<typeof replayRequestSchema>;

export const replayPreviewRequestSchema = z
  .strictObject({
    ...choiceFields,
    change: pipelineChangeSchema
      .optional()
      .describe('A change to preview with. The pipeline itself is not changed.'),
    cursor: z.string().max(2_000).optional().describe('`nextCursor` of the previous response.'),
  })
  .refine(isOneChoice, oneChoice)
  .meta({
    id: 'ReplayPreviewRequest',
    description: 'Choose ids, a reason or all, optionally with a device, and with a change of the pipeline.',
    oneOf: oneChoiceOf,
    examples: [{ all: true, change: { config: { device: 'boiler-7' } } }],
  });
export type ReplayPreviewRequest = z.infer<typeof replayPreviewRequestSchema>;

export const replayOutcomeSchema = z
  .object({
    replayed: z.int().meta({
      description: 'Number of samples delivered, or pending delivery, by this replay.',
      examples: [12],
    }),
    rejected: z.int().meta({ description: 'Number of samples that are still rejected.', examples: [3] }),
    skipped: z.int().meta({ description: 'Number of messages that are now skipped.', examples: [0] }),
  })
  .meta({ id: 'ReplayOutcome', description: 'The result of a replay.' });
export type ReplayOutcome = z.infer<typeof replayOutcomeSchema>;

export const replayPreviewSchema = z
  .object({
    total: z.int().meta({ description: 'The total number of selected messages.', examples: [120] }),
    messages: z.int().meta({ description: 'The number of messages in this response.', examples: [120] }),
    passed: z.int().meta({
      description:
        'Number of messages that would be accepted completely: not skipped, and without rejected samples.',
      examples: [118],
    }),
    replayed: z.int().meta({ description: 'Number of samples that would be delivered.', examples: [240] }),
    rejected: z.int().meta({ description: 'Number of samples that would still be rejected.', examples: [3] }),
    skipped: z.int().meta({ description: 'Number of messages that would be skipped.', examples: [0] }),
    reasons: z
      .array(
        z.object({
          reason: z.string().meta({ description: 'The reason code, for programs.', examples: ['not-json'] }),
          detail: z.string().meta({
            description: 'The human-readable reason, for one of the messages.',
            examples: ['The message is not JSON.'],
          }),
          samples: z.int().meta({ description: 'The number of samples.', examples: [3] }),
          messages: z.int().meta({ description: 'The number of messages.', examples: [2] }),
          expression: suggestedExpressionSchema,
          example: rejectionSchema
            .pick({ id: true, message: true, truncated: true, topic: true, defaultDevice: true })
            .describe('An example message, with one of its current rejections.'),
        }),
      )
      .describe('The reasons why samples would still be rejected.'),
    samples: z
      .array(deviceSamplesSchema)
      .describe('At most 100 samples of the first messages, including samples that were delivered before.'),
    nextCursor: z
      .string()
      .nullable()
      .meta({
        description: 'The `cursor` of the next messages. `null` after the last message.',
        examples: [null],
      }),
  })
  .meta({
    id: 'ReplayPreview',
    description: 'The predicted result of a replay. Add up the responses of further pages.',
  });
export type ReplayPreview = z.infer<typeof replayPreviewSchema>;

const tag = 'Pipelines';

/** Endpoints for the rejections of a pipeline. */
export const rejectionsApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/pipelines/{id}/rejections',
    scope: 'pipelines:read',
    params: pipelineParams,
    query: listQuery(['at'], {
      reason: z.string().max(64).optional().describe('Only rejections with this reason.'),
      device: z.string().max(128).optional().describe('Only rejections of messages that name this device.'),
      groupBy: z
        .enum(['reason', 'device'])
        .optional()
        .describe(
          'Returns counts instead of the rejections: by reason (`reason`), or by reason and device (`device`).',
        ),
    }),
    status: 200,
    response: z.union([pageOf(rejectionSchema), rejectionGroupsSchema]),
    doc: {
      tag,
      summary: 'List rejections',
      description:
        'Sorted by time by default, newest first. The newest rejections of each pipeline are stored. All are counted.',
      errors: ['cursor-mismatch'],
    },
  }),
  previewReplay: endpoint({
    method: 'POST',
    path: '/v1/pipelines/{id}/rejections/preview',
    scope: 'pipelines:read',
    usesTelemetry: true,
    safe: true,
    params: pipelineParams,
    body: replayPreviewRequestSchema,
    status: 200,
    response: replayPreviewSchema,
    doc: {
      tag,
      summary: 'Preview a replay',
      description:
        'Predicts the result of a replay, with the pipeline as it is or after a change. Processes the oldest messages first, as many as fit in about a second. Stores nothing, registers no device and counts nothing.',
      errors: ['invalid-state', 'cursor-mismatch'],
    },
  }),
  replay: endpoint({
    method: 'POST',
    path: '/v1/pipelines/{id}/rejections/replay',
    scope: 'pipelines:write',
    usesTelemetry: true,
    params: pipelineParams,
    body: replayRequestSchema,
    status: 200,
    response: replayOutcomeSchema,
    doc: {
      tag,
      summary: 'Replay rejections',
      description:
        'Maps each message again with the current pipeline and the time of receipt, oldest first. Also works for a paused pipeline. All rejections of a message are replayed together. Messages that are rejected again stay, with the new reason. Messages that are not stored in full stay unchanged. If a message now yields a different number of samples, `received` of the ledger changes by the difference. Safe to repeat. The replay stops if the client disconnects. Samples that were already replayed are kept.',
      errors: ['invalid-state'],
    },
  }),
  discard: endpoint({
    method: 'DELETE',
    path: '/v1/pipelines/{id}/rejections',
    scope: 'pipelines:write',
    usesReserve: true,
    params: pipelineParams,
    status: 200,
    response: z.object({ discarded: z.int().describe('The number of deleted messages.') }),
    doc: {
      tag,
      summary: 'Delete stored messages',
      description: 'Deletes the stored messages of all rejections. The ledger still counts them.',
    },
  }),
};
