import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { lastErrorSchema } from './last-error.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
import { isStorable, line } from './text.ts';

/** The fact, where `enabled` is the wish. */
export const pipelineStates = ['draft', 'running', 'degraded', 'failed', 'paused'] as const;
export const pipelineStateSchema = z.enum(pipelineStates);
export type PipelineState = z.infer<typeof pipelineStateSchema>;

/** The name of the built-in destination. */
export const TELEMETRY = 'telemetry';

export const mappingFormats = ['auto', 'expression'] as const;
const mappingFields = {
  format: z
    .enum(mappingFormats)
    .describe(
      '`auto` recognises the message and says which format it recognised; `expression` maps it by the expression.',
    ),
  expression: z
    .string()
    .max(16_384, 'Must be at most 16,384 characters.')
    .refine(isStorable, 'Must hold neither NUL nor half of a character.')
    .meta({
      description:
        'JSONata from the message (with `$topic` and `$device`) to `{ samples }`, a sample, or a list of them. To skip a message, return nothing or no samples. Used if the format is `expression`.',
      examples: ['{ "device": $device, "values": { "temperature": t / 10 } }'],
    }),
};

export const mappingSchema = z
  .strictObject(mappingFields)
  .partial({ expression: true })
  .meta({ id: 'Mapping', description: 'How a message becomes samples.' });
export type Mapping = z.infer<typeof mappingSchema>;

const mappingChangeSchema = z
  .strictObject({
    ...mappingFields,
    expression: mappingFields.expression.nullable().describe('As of a mapping; null takes it away.'),
  })
  .partial()
  .meta({ id: 'MappingChange', description: 'A merge patch of a mapping: a null expression takes it away.' });

/** Counts values; received = delivered + pending + rejected + skipped at all times. */
export const ledgerSchema = z
  .object({
    received: z.int().describe('Values that came in.'),
    delivered: z.int().describe('Those that the destination has.'),
    pending: z.int().describe('Those that are on their way to it.'),
    rejected: z.int().describe('Those that were refused, each with its reason.'),
    skipped: z.int().meta({
      description: 'Messages that the expression skipped. Each counts as one value.',
      examples: [0],
    }),
    overwritten: z.int().meta({
      description:
        'Delivered values that replaced a different value of the same device, metric and timestamp in the built-in store.',
      examples: [0],
    }),
  })
  .meta({
    id: 'Ledger',
    description:
      'Number of values since the pipeline was created. At all times, received = delivered + pending + rejected + skipped. `overwritten` values are included in `delivered`.',
  });
export type Ledger = z.infer<typeof ledgerSchema>;

const problemAt = z.object({
  pointer: z.string().meta({ description: 'Where in the pipeline (RFC 6901).', examples: ['/type'] }),
  detail: z
    .string()
    .meta({ description: 'What is missing or unknown.', examples: ['There is no type opc.'] }),
});

export const pipelineConfigSchema = z.record(z.string(), z.unknown()).meta({
  description: 'What the type takes: `GET /v1/pipeline-types` has its schema.',
  examples: [{ topic: 'v1/devices/+/telemetry' }],
});

/** What waits for a destination outside the service, on disk. */
export const spoolSchema = z
  .object({
    bytes: z.int().meta({ description: 'How much waits.', examples: [0] }),
    limitBytes: z.int().meta({
      description: 'How much may wait; then nothing more is taken until there is room.',
      examples: [1_073_741_824],
    }),
    oldestAt: timeSchema.nullable().describe('When the oldest of it came; null: nothing waits.'),
    drainsInSeconds: z
      .number()
      .nullable()
      .meta({
        description:
          'How long it takes until nothing waits, as it goes now; null: nothing waits, or nothing goes out.',
        examples: [null],
      }),
    fullInSeconds: z
      .number()
      .nullable()
      .meta({
        description:
          'How long it takes until the limit is reached, as it goes now; null: it does not grow, or its destination takes what comes.',
        examples: [null],
      }),
  })
  .meta({ id: 'Spool', description: 'What waits on disk for a destination outside the service.' });
export type Spool = z.infer<typeof spoolSchema>;

export const pipelineSchema = z
  .object({
    id: idSchema('pip').describe('Its id.'),
    name: z.string().meta({ description: 'What people call it.', examples: ['Boiler room'] }),
    type: z.string().meta({ description: 'The type of its source.', examples: ['mqtt'] }),
    interval: z.int().meta({ description: 'Seconds: of a polled source the period.', examples: [10] }),
    destination: z.string().meta({ description: 'Where its values go.', examples: [TELEMETRY] }),
    enabled: z.boolean().meta({ description: 'The wish: whether it should run.', examples: [true] }),
    config: pipelineConfigSchema,
    mapping: mappingSchema.describe('How its messages become samples.'),
    state: pipelineStateSchema.meta({
      description:
        'The fact: `draft` (something is missing or unknown, see `problems`), `running`, `degraded`, `failed`, `paused`.',
      examples: ['running'],
    }),
    problems: z.array(problemAt).meta({ description: 'What keeps it a draft.', examples: [[]] }),
    ledger: ledgerSchema.describe('What became of every value.'),
    rate: z
      .object({ perSecond: z.number().meta({ description: 'Values per second now.', examples: [2.5] }) })
      .describe('How much comes in.'),
    spool: spoolSchema
      .nullable()
      .describe('What waits for its destination; null: the built-in store needs none.'),
    lastMessageAt: timeSchema.nullable().describe('When its latest message came; null: none yet.'),
    lastError: lastErrorSchema('The broker closed.'),
    createdAt: timeSchema.describe('When it was made.'),
    updatedAt: timeSchema.describe('When it was last changed.'),
  })
  .meta({ id: 'Pipeline', description: 'How messages of one source come in, and what became of them.' });
export type Pipeline = z.infer<typeof pipelineSchema>;

const fields = {
  name: line(100, 1).meta({
    description: 'What people call it; unique, ignoring case.',
    examples: ['Boiler room'],
  }),
  type: line(64, 1).meta({
    description: 'The type of its source, ignoring case: `GET /v1/pipeline-types` lists them.',
    examples: ['mqtt'],
  }),
  interval: z
    .int('Must be a whole number of seconds.')
    .min(1, 'Must be at least 1 s.')
    .max(86_400, 'Must be at most a day (86,400 s).')
    .meta({ description: 'Seconds: of a polled source the period.', examples: [10] }),
  destination: line(100, 1).meta({
    description: 'Where its values go; `telemetry` is the built-in store.',
    examples: [TELEMETRY],
  }),
  enabled: z.boolean().meta({ description: 'Whether it should run.', examples: [true] }),
  config: pipelineConfigSchema,
  mapping: mappingSchema.describe('How its messages become samples.'),
};

/** The first four fields alone make a pipeline; a type or destination that is not known makes a draft. */
export const newPipelineSchema = z
  .strictObject(fields)
  .partial({ enabled: true, config: true, mapping: true })
  .meta({ id: 'NewPipeline', description: 'A pipeline to be made; its first four fields are enough.' });
export type NewPipeline = z.infer<typeof newPipelineSchema>;

export const pipelineChangeSchema = z
  .strictObject({ ...fields, mapping: mappingChangeSchema.describe('How its messages become samples.') })
  .partial()
  .meta({ id: 'PipelineChange', description: 'A merge patch: what it does not name stays.' });
export type PipelineChange = z.infer<typeof pipelineChangeSchema>;

export const pipelineTypeSchema = z
  .object({
    type: z.string().meta({ description: 'What `type` of a pipeline takes.', examples: ['mqtt'] }),
    label: z.string().meta({ description: 'What people call it.', examples: ['MQTT'] }),
    description: z.string().meta({ description: 'What it does.', examples: ['Messages of an MQTT broker.'] }),
    kind: z.enum(['polled', 'pushed']).describe('Whether it asks each interval, or is told.'),
    topicField: z
      .string()
      .nullable()
      .meta({
        description:
          'The field of `config` that says on which topics its messages come; null: they come on none.',
        examples: ['topic'],
      }),
    configSchema: z
      .record(z.string(), z.unknown())
      .meta({ description: 'JSON Schema of `config`.', examples: [{ type: 'object', properties: {} }] }),
  })
  .meta({ id: 'PipelineType', description: 'A kind of source, and what it takes.' });
export type PipelineType = z.infer<typeof pipelineTypeSchema>;

/** What came of trying a pipeline. */
export const pipelineTestSchema = z
  .object({
    ok: z.boolean().describe('Whether every step worked.'),
    steps: z
      .array(
        z.object({
          step: z.enum(['fields', 'source', 'mapping', 'destination']).describe('What was tried.'),
          ok: z.boolean().describe('Whether it worked.'),
          detail: z.string().meta({ description: 'What came of it, in words.', examples: ['It answered.'] }),
          ms: z.int().describe('How long it took, in milliseconds.'),
        }),
      )
      .describe('In the order in which they were tried; what follows a step that fails may be left out.'),
    problems: z
      .array(problemAt)
      .optional()
      .meta({ description: 'What its fields lack, each with its place; left out: nothing.', examples: [[]] }),
  })
  .meta({ id: 'PipelineTest', description: 'What came of trying a pipeline.' });
export type PipelineTest = z.infer<typeof pipelineTestSchema>;

export const pipelineSorts = ['name', 'type', 'state', 'createdAt', 'lastMessageAt'] as const;
export const pipelineListQuery = listQuery(pipelineSorts, {
  q: searchSchema,
  state: z.array(pipelineStateSchema).max(5).optional().describe('Repeat for several: any of them.'),
  type: z.array(z.string().max(64)).max(50).optional().describe('Repeat for several: any of them.'),
  destination: z.string().max(100).optional().describe('The name of its destination, ignoring case.'),
});

const tag = 'Pipelines';

export const pipelineParams = z.object({ id: idSchema('pip').describe('The id of the pipeline.') });

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
      description: 'A page at a time, by name unless sorted.',
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
        'name, type, interval and destination are enough. A type or destination that is not known makes a draft that says so. Secrets in `config` are answered as `***`.',
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
        .describe('The existing pipeline to test this change of. It may keep its own name.'),
    }),
    body: newPipelineSchema,
    status: 200,
    response: pipelineTestSchema,
    doc: {
      tag,
      summary: 'Try a pipeline',
      description:
        'Takes what creating one takes; really connects to its source and its destination, and says what came of each step. Stores and acknowledges nothing. Takes up to 30 s.',
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
    doc: { tag, summary: 'Read a pipeline', description: 'With its state, ledger and rate now.' },
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
      summary: 'Change, pause or resume a pipeline',
      description:
        'A merge patch (RFC 7396); `config` and `mapping` are merged too. `***` keeps a secret for the address that it was given for; with another one it has to be sent again.',
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
      discard: z.boolean().default(false).describe('`true`: also what is still pending.'),
    }),
    status: 204,
    ifMatch: true,
    doc: {
      tag,
      summary: 'Delete a pipeline',
      description: 'Is refused while values are pending, unless `discard=true`.',
      errors: ['conflict'],
    },
  }),
  types: endpoint({
    method: 'GET',
    path: '/v1/pipeline-types',
    scope: 'pipelines:read',
    status: 200,
    response: z.object({ data: z.array(pipelineTypeSchema).describe('Every type.') }),
    doc: {
      tag,
      summary: 'Types of pipeline',
      description: 'What `type` of a pipeline may be, and what its `config` then takes.',
    },
  }),
};
