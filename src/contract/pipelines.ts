import * as z from 'zod';
import { wrongType } from './describe-issue.ts';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { lastErrorSchema } from './last-error.ts';
import { anyOf, listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
import {
  pipelineStateSchema,
  stateReasonSchema,
  ledgerSchema,
  rateSchema,
  spoolSchema,
} from './pipeline-state.ts';
import { pipelineProblemSchema, pipelineTestSchema } from './pipeline-test.ts';
import { line } from './text-fields.ts';
import { isStorable } from './is-storable.ts';

/** The name of the built-in destination. */
export const TELEMETRY = 'telemetry';

export const mappingFormats = ['auto', 'expression'] as const;
const mappingFields = {
  format: z
    .enum(mappingFormats)
    .describe('`auto` detects the format of the message. `expression` maps the message with the expression.'),
  expression: z
    .string()
    .max(16_384, 'Must be at most 16,384 characters.')
    .refine(isStorable, 'Must not contain NUL or unpaired surrogates.')
    .meta({
      description:
        'A JSONata expression that maps the message to { device, ts, values, units }, a list of these objects, or { samples }. $topic and $device are available. To skip a message, return nothing or no samples. To let Penstock detect the format, return the message itself ($). Used if the format is expression.',
      examples: ['{ "device": $device, "values": { "temperature": t / 10 } }'],
    }),
};

export const mappingSchema = z
  .strictObject(mappingFields)
  .partial({ expression: true })
  .meta({ id: 'Mapping', description: 'How a message becomes samples.' });
export type Mapping = z.infer<typeof mappingSchema>;

export const suggestedExpressionSchema = z
  .string()
  .nullable()
  .meta({
    description:
      'An expression that maps messages like this one, and ends with `: $`, which leaves all others to `auto`. `null` if Penstock has no suggestion.',
    examples: [
      '$type($) = "string" and $contains($, /^[^\\{#,]*,/) ? { "values": { "value1": $number($trim($split($, ",")[0])) } } : $',
    ],
  });

const mappingChangeSchema = z
  .strictObject({
    ...mappingFields,
    expression: mappingFields.expression
      .nullable()
      .describe('The expression of the mapping. `null` removes it.'),
  })
  .partial()
  .meta({
    id: 'MappingChange',
    description: 'A merge patch of the mapping. A `null` expression removes the expression.',
  });

export const pipelineConfigSchema = z.record(z.string(), z.unknown()).meta({
  description: 'The configuration of the source. `GET /v1/pipeline-types` returns the schema of each type.',
  examples: [{ topic: 'v1/devices/+/telemetry' }],
});

export const pipelineSchema = z
  .object({
    id: idSchema('pip').describe('The ID of the pipeline.'),
    name: z.string().meta({ description: 'The display name.', examples: ['Boiler room'] }),
    type: z.string().meta({ description: 'The type of the source.', examples: ['mqtt'] }),
    interval: z.int().meta({
      description: 'The interval in seconds. Polled sources are polled once per interval.',
      examples: [10],
    }),
    destination: z.string().meta({ description: 'The name of the destination.', examples: [TELEMETRY] }),
    enabled: z.boolean().meta({ description: 'Whether the pipeline should run.', examples: [true] }),
    config: pipelineConfigSchema,
    mapping: mappingSchema.describe('How messages become samples.'),
    state: pipelineStateSchema.meta({
      description:
        'The current state: `draft` (incomplete, see `problems`), `running`, `degraded`, `failed` or `paused`.',
      examples: ['running'],
    }),
    stateReason: stateReasonSchema,
    problems: z
      .array(pipelineProblemSchema)
      .meta({ description: 'Why the pipeline is a draft.', examples: [[]] }),
    ledger: ledgerSchema.describe('The outcome of every received sample.'),
    rate: rateSchema.describe('The current throughput.'),
    spool: spoolSchema.nullable().describe('The spool. `null` for the built-in store.'),
    lastMessageAt: timeSchema.nullable().describe('When the latest message was received. `null`: never.'),
    lastError: lastErrorSchema('The broker closed the connection.'),
    createdAt: timeSchema.describe('When the pipeline was created.'),
    updatedAt: timeSchema.describe('When the pipeline was last updated.'),
  })
  .meta({
    id: 'Pipeline',
    description: 'A pipeline: a source, a mapping and a destination, with a ledger of every sample.',
  });
export type Pipeline = z.infer<typeof pipelineSchema>;

const fields = {
  name: line(100, 1).meta({
    description: 'The display name. Unique, ignoring case.',
    examples: ['Boiler room'],
  }),
  type: line(64, 1).meta({
    description: 'The type of the source, ignoring case. `GET /v1/pipeline-types` lists the types.',
    examples: ['mqtt'],
  }),
  interval: z
    .int({ error: wrongType('Must be a whole number of seconds.') })
    .min(1, 'Must be at least 1 s.')
    .max(86_400, 'Must be at most a day (86,400 s).')
    .meta({
      description: 'The interval in seconds. Polled sources are polled once per interval.',
      examples: [10],
    }),
  destination: line(100, 1).meta({
    description: 'The name of the destination. `telemetry` is the built-in store.',
    examples: [TELEMETRY],
  }),
  enabled: z.boolean().meta({ description: 'Whether the pipeline should run.', examples: [true] }),
  config: pipelineConfigSchema,
  mapping: mappingSchema.describe('How messages become samples.'),
};

/** Only the first four fields are required. With an unknown type or destination, the pipeline is a draft. */
export const newPipelineSchema = z
  .strictObject(fields)
  .partial({ enabled: true, config: true, mapping: true })
  .meta({
    id: 'NewPipeline',
    description: 'The pipeline to create. `name`, `type`, `interval` and `destination` are required.',
  });
export type NewPipeline = z.infer<typeof newPipelineSchema>;

export const pipelineChangeSchema = z
  .strictObject({ ...fields, mapping: mappingChangeSchema.describe('How messages become samples.') })
  .partial()
  .meta({ id: 'PipelineChange', description: 'A merge patch: omitted fields keep their values.' });
export type PipelineChange = z.infer<typeof pipelineChangeSchema>;

export const pipelineTypeSchema = z
  .object({
    type: z.string().meta({ description: 'The value of `type` for a pipeline.', examples: ['mqtt'] }),
    label: z.string().meta({ description: 'The display name.', examples: ['MQTT'] }),
    description: z.string().meta({
      description: 'What pipelines of this type do.',
      examples: ['Receives messages from an MQTT broker.'],
    }),
    kind: z
      .enum(['polled', 'pushed'])
      .describe('Whether the source is polled at each interval or receives pushed messages.'),
    topicField: z
      .string()
      .nullable()
      .meta({
        description:
          'The field of `config` with the topics of the messages. `null` if the type has no topics.',
        examples: ['topic'],
      }),
    configSchema: z
      .record(z.string(), z.unknown())
      .meta({ description: 'JSON Schema of `config`.', examples: [{ type: 'object', properties: {} }] }),
  })
  .meta({ id: 'PipelineType', description: 'A type of source and its configuration.' });
export type PipelineType = z.infer<typeof pipelineTypeSchema>;

export const pipelineSorts = ['name', 'type', 'state', 'createdAt', 'lastMessageAt'] as const;
export const pipelineListQuery = listQuery(pipelineSorts, {
  q: searchSchema,
  state: anyOf(pipelineStateSchema, 5),
  type: anyOf(z.string().max(64), 50),
  destination: z.string().max(100).optional().describe('The name of the destination, ignoring case.'),
});

const tag = 'Pipelines';

export const pipelineParams = z.object({ id: idSchema('pip').describe('The ID of the pipeline.') });

export const pipelinesApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/pipelines',
    scope: 'pipelines:read',
    query: pipelineListQuery,
    status: 200,
    response: pageOf(pipelineSchema),
    doc: {
      tag,
      summary: 'List pipelines',
      description: 'Returns one page, sorted by name by default.',
      errors: ['cursor-mismatch'],
    },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/pipelines',
    scope: 'pipelines:write',
    body: newPipelineSchema,
    status: 201,
    response: pipelineSchema,
    idempotent: true,
    etag: true,
    doc: {
      tag,
      summary: 'Create a pipeline',
      description:
        'Requires name, type, interval and destination. With an unknown type or destination, the pipeline is a draft. Secrets in `config` are returned as `***`.',
      errors: ['conflict', 'destination-forbidden'],
    },
  }),
  test: endpoint({
    method: 'POST',
    path: '/v1/pipelines/test',
    scope: 'pipelines:write',
    safe: true,
    query: z.strictObject({
      pipeline: idSchema('pip')
        .optional()
        .describe(
          'The ID of an existing pipeline, to test a change of this pipeline. The body may keep the name of the pipeline.',
        ),
    }),
    body: newPipelineSchema,
    status: 200,
    response: pipelineTestSchema,
    responseTypes: ['application/json', 'application/x-ndjson'],
    doc: {
      tag,
      summary: 'Test a pipeline',
      description:
        'Accepts the same body as creating a pipeline. Connects to the source and the destination and returns the result of each step. Stores and acknowledges nothing. Takes up to 30 s. With `Accept: application/x-ndjson`, the response has a line when a step begins (`begin`) and ends (`step`), and a last line with the whole result (`end`). The test stops if the client closes the request.',
      texts: {
        'application/x-ndjson':
          '{"type":"begin","step":"fields"}\n{"type":"step","step":"fields","ok":true,"detail":"All fields are valid.","ms":0}\n{"type":"end","test":{"ok":true,"steps":[{"step":"fields","ok":true,"detail":"All fields are valid.","ms":0}]}}\n',
      },
    },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/pipelines/{id}',
    scope: 'pipelines:read',
    params: pipelineParams,
    status: 200,
    response: pipelineSchema,
    etag: true,
    doc: {
      tag,
      summary: 'Read a pipeline',
      description: 'Returns the pipeline with its current state, ledger and throughput.',
    },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/pipelines/{id}',
    scope: 'pipelines:write',
    params: pipelineParams,
    body: pipelineChangeSchema,
    status: 200,
    response: pipelineSchema,
    ifMatch: true,
    etag: true,
    doc: {
      tag,
      summary: 'Update, pause or resume a pipeline',
      description:
        'A merge patch (RFC 7396). `config` and `mapping` are merged too. `***` keeps a stored secret. If you change the address, send the secret again.',
      errors: ['conflict', 'destination-forbidden'],
    },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/pipelines/{id}',
    scope: 'pipelines:write',
    usesReserve: true,
    params: pipelineParams,
    query: z.strictObject({
      discard: z.boolean().default(false).describe('`true`: also delete pending samples.'),
    }),
    status: 204,
    ifMatch: true,
    doc: {
      tag,
      summary: 'Delete a pipeline',
      description: 'Rejected while samples are pending, unless `discard=true`.',
      errors: ['conflict'],
    },
  }),
  types: endpoint({
    method: 'GET',
    path: '/v1/pipeline-types',
    scope: 'pipelines:read',
    status: 200,
    response: z.object({ data: z.array(pipelineTypeSchema).describe('All types.') }),
    doc: {
      tag,
      summary: 'List the types of pipelines',
      description: 'Returns the JSON Schema of `config` for each type.',
    },
  }),
};
