import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
import { sampleSchema } from './telemetry.ts';
import { line } from './text.ts';

/** The fact, where `enabled` is the wish. */
export const pipelineStates = ['draft', 'running', 'degraded', 'failed', 'paused'] as const;
export const pipelineStateSchema = z.enum(pipelineStates);
export type PipelineState = z.infer<typeof pipelineStateSchema>;

/** The name of the built-in destination. */
export const TELEMETRY = 'telemetry';

export const mappingSchema = z.strictObject({
  format: z.enum(['auto']).describe('`auto` recognises the message and says which format it recognised.'),
});
export type Mapping = z.infer<typeof mappingSchema>;

/** Counts values; received = delivered + pending + rejected at all times. */
export const ledgerSchema = z
  .object({ received: z.int(), delivered: z.int(), pending: z.int(), rejected: z.int() })
  .meta({ id: 'Ledger' });
export type Ledger = z.infer<typeof ledgerSchema>;

const problemAt = z.object({ pointer: z.string(), detail: z.string() });

const configSchema = z
  .record(z.string(), z.unknown())
  .describe('Fields of the type: see /v1/pipeline-types.');

export const pipelineSchema = z
  .object({
    id: idSchema('pip'),
    name: z.string(),
    type: z.string(),
    interval: z.int().describe('Seconds.'),
    destination: z.string(),
    enabled: z.boolean(),
    config: configSchema,
    mapping: mappingSchema,
    state: pipelineStateSchema,
    problems: z.array(problemAt),
    ledger: ledgerSchema,
    rate: z.object({ perSecond: z.number() }),
    lastMessageAt: timeSchema.nullable(),
    lastError: z.object({ at: timeSchema, detail: z.string() }).nullable(),
    createdAt: timeSchema,
    updatedAt: timeSchema,
  })
  .meta({ id: 'Pipeline' });
export type Pipeline = z.infer<typeof pipelineSchema>;

const fields = {
  name: line(100, 1).meta({ examples: ['Boiler room'] }),
  type: line(64, 1).meta({ examples: ['mqtt'] }),
  interval: z
    .int('Must be a whole number of seconds.')
    .min(1, 'Must be at least 1 s.')
    .max(86_400, 'Must be at most a day (86,400 s).')
    .describe('Seconds: of a polled source the period.'),
  destination: line(100, 1).meta({ examples: [TELEMETRY] }),
};

/** The first four fields alone make a pipeline; a type or destination that is not known makes a draft. */
export const newPipelineSchema = z
  .strictObject({
    ...fields,
    enabled: z.boolean().optional(),
    config: configSchema.optional(),
    mapping: mappingSchema.optional(),
  })
  .meta({ id: 'NewPipeline' });
export type NewPipeline = z.infer<typeof newPipelineSchema>;

export const pipelineChangeSchema = z
  .strictObject({ ...fields, enabled: z.boolean(), config: configSchema, mapping: mappingSchema })
  .partial()
  .meta({ id: 'PipelineChange' });
export type PipelineChange = z.infer<typeof pipelineChangeSchema>;

export const pipelineTypeSchema = z
  .object({
    type: z.string(),
    label: z.string(),
    description: z.string(),
    kind: z.enum(['polled', 'pushed']),
    configSchema: z.record(z.string(), z.unknown()).describe('JSON Schema of `config`.'),
  })
  .meta({ id: 'PipelineType' });
export type PipelineType = z.infer<typeof pipelineTypeSchema>;

export const rejectionSchema = z
  .object({
    id: idSchema('rej'),
    at: timeSchema,
    reason: z.string(),
    detail: z.string(),
    message: z.string().describe('The first 64 KiB.'),
    topic: z.string().nullable(),
    attempts: z.int(),
    values: z
      .int()
      .describe('How many values of the message it stands for; a message that cannot be read is one.'),
  })
  .meta({ id: 'Rejection' });
export type Rejection = z.infer<typeof rejectionSchema>;

/** What `groupBy=reason` gives: values by cause, the commonest first. */
export const rejectionGroupsSchema = z
  .object({ data: z.array(z.object({ reason: z.string(), count: z.int(), lastAt: timeSchema })) })
  .meta({ id: 'RejectionGroups' });
export type RejectionGroups = z.infer<typeof rejectionGroupsSchema>;

export const previewSchema = z
  .object({
    format: z.string().nullable(),
    samples: z.array(sampleSchema),
    rejections: z.array(z.object({ reason: z.string(), detail: z.string() })),
  })
  .meta({ id: 'Preview' });
export type Preview = z.infer<typeof previewSchema>;

export const pipelineSorts = ['name', 'type', 'state', 'createdAt', 'lastMessageAt'] as const;
export const pipelineListQuery = listQuery(pipelineSorts, {
  q: searchSchema,
  state: z.array(pipelineStateSchema).max(5).optional(),
  type: z.array(z.string().max(64)).max(50).optional(),
});

const params = z.object({ id: idSchema('pip') });
const tag = 'Pipelines';

export const pipelinesApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/pipelines',
    scope: 'pipelines:read',
    query: pipelineListQuery,
    status: 200,
    response: pageOf(pipelineSchema),
    doc: { tag, summary: 'List pipelines', errors: ['cursor-mismatch'] },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/pipelines',
    scope: 'pipelines:write',
    body: newPipelineSchema,
    status: 201,
    response: pipelineSchema,
    idempotent: true,
    doc: {
      tag,
      summary: 'Create a pipeline',
      description:
        'name, type, interval and destination are enough. A type or destination that is not known makes a draft that says so.',
      errors: ['conflict'],
    },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/pipelines/{id}',
    scope: 'pipelines:read',
    params,
    status: 200,
    response: pipelineSchema,
    doc: { tag, summary: 'Read a pipeline' },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/pipelines/{id}',
    scope: 'pipelines:write',
    params,
    body: pipelineChangeSchema,
    status: 200,
    response: pipelineSchema,
    doc: {
      tag,
      summary: 'Change, pause or resume a pipeline',
      description: 'A merge patch (RFC 7396).',
      errors: ['conflict', 'precondition-failed'],
    },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/pipelines/{id}',
    scope: 'pipelines:write',
    params,
    query: z.strictObject({
      discard: z.boolean().default(false).describe('`true`: also what is still pending.'),
    }),
    status: 204,
    doc: { tag, summary: 'Delete a pipeline', errors: ['conflict', 'precondition-failed'] },
  }),
  types: endpoint({
    method: 'GET',
    path: '/v1/pipeline-types',
    scope: 'pipelines:read',
    status: 200,
    response: z.object({ data: z.array(pipelineTypeSchema) }),
    doc: { tag, summary: 'Types of pipeline' },
  }),
};

/** Endpoints about the messages of a pipeline. */
export const messagesApi = {
  send: endpoint({
    method: 'POST',
    path: '/v1/pipelines/{id}/messages',
    scope: 'telemetry:write',
    params,
    query: z.strictObject({
      device: z.string().min(1).max(128).optional().describe('The device of a message that names none.'),
    }),
    bodyTypes: ['*/*'],
    body: z.unknown(),
    status: 202,
    response: z.object({ received: z.int(), rejected: z.int() }),
    doc: {
      tag,
      summary: 'Send a message',
      description: 'Answers after it is on disk. Any JSON or text: what cannot be read is rejected and kept.',
      errors: ['invalid-state', 'overloaded'],
    },
  }),
  preview: endpoint({
    method: 'POST',
    path: '/v1/pipelines/preview',
    scope: 'pipelines:read',
    body: z.strictObject({
      mapping: mappingSchema.optional(),
      config: configSchema.optional().describe('Of the pipeline: its topic and device name the device.'),
      message: z.string().max(65_536).describe('The text of the message.'),
      topic: z.string().max(1_024).optional(),
      device: z.string().max(128).optional(),
    }),
    status: 200,
    response: previewSchema,
    doc: { tag, summary: 'Preview a message', description: 'What it would become. Stores nothing.' },
  }),
  rejections: endpoint({
    method: 'GET',
    path: '/v1/pipelines/{id}/rejections',
    scope: 'pipelines:read',
    params,
    query: listQuery(['at'], {
      reason: z.string().max(64).optional(),
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
  discard: endpoint({
    method: 'DELETE',
    path: '/v1/pipelines/{id}/rejections',
    scope: 'pipelines:write',
    params,
    status: 200,
    response: z.object({ discarded: z.int() }),
    doc: { tag, summary: 'Discard the texts of rejections', description: 'They stay counted.' },
  }),
};
