import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { listQuery, pageOf, timeSchema } from './paging.ts';
import { pipelineChangeSchema, pipelineParams } from './pipelines.ts';
import { sampleSchema } from './telemetry.ts';

/** As many rejections are replayed by their ids at once. */
const REPLAY_LIMIT = 1_000;

export const rejectionSchema = z
  .object({
    id: idSchema('rej').describe('Its id.'),
    at: timeSchema.describe(
      'When the message or its values were rejected. If `count` is above 1, the last time.',
    ),
    reason: z.string().meta({ description: 'Why, for programs.', examples: ['unreadable'] }),
    detail: z.string().meta({ description: 'Why, for people.', examples: ['The message is not JSON.'] }),
    message: z.string().meta({ description: 'The first 64 KiB.', examples: ['temp=21'] }),
    truncated: z.boolean().meta({
      description: '`message` is not all of it, or not its very bytes; a replay reads what is kept whole.',
      examples: [false],
    }),
    topic: z
      .string()
      .nullable()
      .meta({ description: 'The topic or subject that it came on; null: none.', examples: [null] }),
    attempts: z.int().meta({ description: 'How often it was tried.', examples: [1] }),
    values: z.int().meta({
      description: 'How many values of the message it stands for; a message that cannot be read is one.',
      examples: [1],
    }),
    count: z.int().meta({
      description:
        'Number of equal rejections of a polled source: the same reasons for the same text. `values` counts all of them.',
      examples: [1],
    }),
    firstAt: timeSchema.describe('When the first of these rejections occurred.'),
    whole: z.boolean().meta({
      description: 'The whole message is kept: it can be replayed. Otherwise a replay leaves it as it is.',
      examples: [true],
    }),
    mapped: z.boolean().meta({
      description: 'It was mapped before its destination refused it: a replay sends it as it is.',
      examples: [false],
    }),
  })
  .meta({ id: 'Rejection', description: 'A message, or values of one, that was not delivered, and why.' });
export type Rejection = z.infer<typeof rejectionSchema>;

/** What `groupBy=reason` gives: values by cause, the commonest first. */
export const rejectionGroupsSchema = z
  .object({
    data: z
      .array(
        z.object({
          reason: z.string().meta({ description: 'Why, for programs.', examples: ['unreadable'] }),
          count: z.int().describe('How many values.'),
          lastAt: timeSchema.describe('When the latest was refused.'),
        }),
      )
      .describe('The commonest first.'),
  })
  .meta({ id: 'RejectionGroups', description: 'Rejected values by their cause.' });
export type RejectionGroups = z.infer<typeof rejectionGroupsSchema>;

/** Which rejections: exactly one of the three. */
const choiceFields = {
  ids: z
    .array(idSchema('rej'))
    .min(1, 'Name at least one.')
    .max(REPLAY_LIMIT, 'At most 1,000 at once.')
    .optional()
    .meta({
      description: 'These rejections; those that are not of this pipeline are passed over.',
      examples: [['rej_01jz3k5v8cf6n9qw2r4t7y0abd']],
    }),
  reason: z
    .string()
    .min(1, 'Must not be empty.')
    .max(64)
    .optional()
    .meta({ description: 'Every message that was rejected for this reason.', examples: ['unreadable'] }),
  all: z.literal(true).optional().describe('Every rejection that is kept now.'),
};
type Choice = { ids?: unknown; reason?: unknown; all?: unknown };
const isOneChoice = ({ ids, reason, all }: Choice): boolean =>
  [ids, reason, all].filter((given) => given !== undefined).length === 1;
const oneChoice = { message: 'Give either ids, a reason, or all.', path: ['ids'] };
const oneChoiceOf = [
  { required: ['ids'], properties: { reason: false, all: false } },
  { required: ['reason'], properties: { ids: false, all: false } },
  { required: ['all'], properties: { ids: false, reason: false } },
];

export const replayRequestSchema = z
  .strictObject(choiceFields)
  .refine(isOneChoice, oneChoice)
  .meta({
    id: 'ReplayRequest',
    description: 'Either ids, a reason, or all.',
    oneOf: oneChoiceOf,
    examples: [{ all: true }],
  });
export type ReplayRequest = z.infer<typeof replayRequestSchema>;

export const replayPreviewRequestSchema = z
  .strictObject({
    ...choiceFields,
    change: pipelineChangeSchema
      .optional()
      .describe('What the pipeline would be changed to before. It is not changed by this.'),
    cursor: z.string().max(2_000).optional().describe('`nextCursor` of the answer before.'),
  })
  .refine(isOneChoice, oneChoice)
  .meta({
    id: 'ReplayPreviewRequest',
    description: 'Either ids, a reason, or all; and how the pipeline would be changed before.',
    oneOf: oneChoiceOf,
    examples: [{ all: true, change: { config: { device: 'boiler-7' } } }],
  });
export type ReplayPreviewRequest = z.infer<typeof replayPreviewRequestSchema>;

export const replayOutcomeSchema = z
  .object({
    replayed: z.int().meta({
      description: 'Values that were taken now: delivered, or on their way to the destination.',
      examples: [12],
    }),
    rejected: z.int().meta({ description: 'Values that are still rejected.', examples: [3] }),
    skipped: z.int().meta({ description: 'Messages that the expression skips now.', examples: [0] }),
  })
  .meta({ id: 'ReplayOutcome', description: 'What became of the rejections that were replayed.' });
export type ReplayOutcome = z.infer<typeof replayOutcomeSchema>;

export const replayPreviewSchema = z
  .object({
    total: z.int().meta({ description: 'How many messages the choice holds.', examples: [120] }),
    messages: z.int().meta({ description: 'How many of them this answer is about.', examples: [120] }),
    replayed: z.int().meta({ description: 'Values that would be taken.', examples: [240] }),
    rejected: z.int().meta({ description: 'Values that would still be rejected.', examples: [3] }),
    skipped: z.int().meta({ description: 'Messages that the expression would skip.', examples: [0] }),
    causes: z
      .array(
        z.object({
          reason: z.string().meta({ description: 'Why, for programs.', examples: ['not-json'] }),
          detail: z.string().meta({
            description: 'Why, for people; of one of them.',
            examples: ['The message is not JSON.'],
          }),
          values: z.int().meta({ description: 'How many values.', examples: [3] }),
          messages: z.int().meta({ description: 'Of how many messages.', examples: [2] }),
          example: rejectionSchema
            .pick({ id: true, message: true, truncated: true, topic: true })
            .describe('One of these messages, by one of its rejections now.'),
        }),
      )
      .describe('Why values would still be rejected.'),
    samples: z
      .array(sampleSchema)
      .describe(
        'What the first of these messages become, at most 100 values, with the time that they would have; also what was taken of them before.',
      ),
    nextCursor: z
      .string()
      .nullable()
      .meta({
        description: 'The `cursor` that the next messages are asked for with; null: that was all.',
        examples: [null],
      }),
  })
  .meta({
    id: 'ReplayPreview',
    description: 'What a replay of these messages would come to; answers about further ones are added to it.',
  });
export type ReplayPreview = z.infer<typeof replayPreviewSchema>;

const tag = 'Pipelines';

/** Endpoints about what a pipeline could not take. */
export const rejectionsApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/pipelines/{id}/rejections',
    scope: 'pipelines:read',
    params: pipelineParams,
    query: listQuery(['at'], {
      reason: z.string().max(64).optional().describe('Only those with this reason.'),
      groupBy: z.enum(['reason']).optional().describe('Counts by cause instead of the rejections.'),
    }),
    status: 200,
    response: z.union([pageOf(rejectionSchema), rejectionGroupsSchema]),
    doc: {
      tag,
      summary: 'List rejections',
      description: 'Newest first unless sorted. The newest of each pipeline are kept; all stay counted.',
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
        'What a replay would come to, with the pipeline as it is or as it would be after a change: oldest first, as many messages as can be tried in about a second. Stores nothing, registers no device and counts nothing.',
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
        'Maps each message anew, as the pipeline is now, at the time when it came, oldest first; a paused pipeline too. All rejections of a message go together. What is refused again stays, with its new reason; so does, as it is, what has no whole text. Where a message now yields another number of values, `received` of the ledger changes by the difference. Safe to repeat. It ends where nobody waits for its answer any more; what was replayed until then stays so.',
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
    response: z.object({ discarded: z.int().describe('How many there were.') }),
    doc: { tag, summary: 'Discard the texts of rejections', description: 'They stay counted.' },
  }),
};
