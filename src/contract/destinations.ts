import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { lastErrorSchema } from './last-error.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
import { pipelineTestSchema } from './pipelines.ts';
import { line } from './text.ts';

/** `ready`: nothing is known against it; `failing`: it is tried again by itself; `failed`: somebody has to mend it. */
export const destinationStates = ['ready', 'failing', 'failed'] as const;
export type DestinationState = (typeof destinationStates)[number];

const optionsSchema = z.record(z.string(), z.unknown()).meta({
  description:
    'What the type takes: `GET /v1/destination-types` has its schema. Secrets are answered as `***`.',
  examples: [{ table: 'penstock_samples' }],
});

export const destinationSchema = z
  .object({
    id: idSchema('dst').describe('Its id.'),
    name: z.string().meta({ description: 'What pipelines name it by.', examples: ['Plant database'] }),
    type: z.string().meta({ description: 'Its type.', examples: ['postgres'] }),
    url: z
      .string()
      .nullable()
      .meta({
        description: 'Where it is; a password in it is answered as `***`. Null: it has no address.',
        examples: ['postgres://db.example.com:5432/plant'],
      }),
    options: optionsSchema,
    state: z
      .enum(destinationStates)
      .describe(
        '`ready` (nothing is known against it), `failing` (it is tried again by itself), `failed` (somebody has to mend it).',
      ),
    lastError: lastErrorSchema('db.example.com refused the connection: nothing listens there.'),
    lastDeliveredAt: timeSchema.nullable().describe('When it last took values; null: not yet.'),
    usedBy: z.int().describe('How many pipelines send to it.'),
    createdAt: timeSchema.describe('When it was made.'),
    updatedAt: timeSchema.describe('When it was last changed.'),
  })
  .meta({ id: 'Destination', description: 'Where values of pipelines go.' });
export type Destination = z.infer<typeof destinationSchema>;

/** The answer to create. */
export const signedDestinationSchema = destinationSchema
  .extend({
    secret: z
      .string()
      .nullable()
      .meta({
        description:
          'What the calls of a webhook are signed with (`whsec_…`, Standard Webhooks); null for other types, and where this answer is a replay.',
        examples: [null],
      }),
  })
  .meta({
    id: 'SignedDestination',
    description: 'A destination that was just made, with what is shown once.',
  });
export type SignedDestination = z.infer<typeof signedDestinationSchema>;

const fields = {
  name: line(100, 1).meta({
    description: 'What pipelines name it by; unique, ignoring case.',
    examples: ['Plant database'],
  }),
  type: line(64, 1).meta({
    description: 'Its type, ignoring case: `GET /v1/destination-types` lists them.',
    examples: ['postgres'],
  }),
  url: line(2_048, 1)
    .nullable()
    .meta({
      description: 'Where it is, as its type takes it; null or left out where the type has no address.',
      examples: ['postgres://db.example.com:5432/plant'],
    }),
  options: optionsSchema,
};

export const newDestinationSchema = z
  .strictObject(fields)
  .partial({ url: true, options: true })
  .meta({
    id: 'NewDestination',
    description: 'A destination to be made.',
    examples: [
      {
        name: 'Plant broker',
        type: 'mqtt',
        url: 'mqtts://broker.example.com:8883',
        options: { topic: 'plant/{device}/telemetry' },
      },
    ],
  });
export type NewDestination = z.infer<typeof newDestinationSchema>;

export const destinationChangeSchema = z
  .strictObject({ name: fields.name, url: fields.url, options: fields.options })
  .partial()
  .meta({
    id: 'DestinationChange',
    description: 'A merge patch: what it does not name stays. The type stays.',
  });
export type DestinationChange = z.infer<typeof destinationChangeSchema>;

const jsonSchema = z.record(z.string(), z.unknown());

export const destinationTypeSchema = z
  .object({
    type: z.string().meta({ description: 'What `type` of a destination takes.', examples: ['postgres'] }),
    label: z.string().meta({ description: 'What people call it.', examples: ['PostgreSQL'] }),
    description: z.string().meta({ description: 'What it does.', examples: ['Rows of a table.'] }),
    urlSchema: jsonSchema.nullable().meta({
      description: 'JSON Schema of `url`; null: it has none.',
      examples: [{ type: 'string', format: 'uri' }],
    }),
    optionsSchema: jsonSchema.meta({
      description: 'JSON Schema of `options`.',
      examples: [{ type: 'object', properties: {} }],
    }),
  })
  .meta({ id: 'DestinationType', description: 'A kind of destination, and what it takes.' });
export type DestinationType = z.infer<typeof destinationTypeSchema>;

export const destinationSorts = ['name', 'type', 'state', 'createdAt'] as const;

const params = z.object({ id: idSchema('dst').describe('The id of the destination.') });
const tag = 'Destinations';

/** `telemetry`, the built-in store, is among them: exactly one, which cannot be edited or deleted. */
export const destinationsApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/destinations',
    scope: 'pipelines:read',
    query: listQuery(destinationSorts, { q: searchSchema }),
    status: 200,
    response: pageOf(destinationSchema),
    doc: {
      tag,
      summary: 'List destinations',
      description: 'A page at a time, by name unless sorted. The built-in store is among them.',
      errors: ['cursor-mismatch'],
    },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/destinations',
    scope: 'pipelines:write',
    body: newDestinationSchema,
    status: 201,
    response: signedDestinationSchema,
    idempotent: true,
    etag: true,
    doc: {
      tag,
      summary: 'Create a destination',
      description:
        'Drafts of pipelines that name it begin to work. Secrets are kept apart, bound to their address, and answered as `***`. Addresses that are not public are refused unless the service lists them in ALLOWED_NETWORKS.',
      errors: ['conflict', 'destination-forbidden'],
    },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/destinations/{id}',
    scope: 'pipelines:read',
    params,
    status: 200,
    response: destinationSchema,
    etag: true,
    doc: { tag, summary: 'Read a destination', description: 'With its state and what went wrong last.' },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/destinations/{id}',
    scope: 'pipelines:write',
    params,
    body: destinationChangeSchema,
    status: 200,
    response: destinationSchema,
    ifMatch: true,
    etag: true,
    doc: {
      tag,
      summary: 'Change a destination',
      description:
        'A merge patch (RFC 7396); `options` are merged too. What is pending is tried at once. `***` keeps a secret for the address that it was given for; with another one it has to be sent again. A new name is taken over by the pipelines that send to it. The built-in store cannot be changed.',
      errors: ['conflict', 'invalid-state', 'destination-forbidden'],
    },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/destinations/{id}',
    scope: 'pipelines:write',
    usesReserve: true,
    params,
    status: 204,
    ifMatch: true,
    doc: {
      tag,
      summary: 'Delete a destination',
      description:
        'Answers `conflict` while pipelines send to it, and always for the built-in store. The samples that it holds stay there.',
      errors: ['conflict'],
    },
  }),
  test: endpoint({
    method: 'POST',
    path: '/v1/destinations/{id}/test',
    scope: 'pipelines:write',
    params,
    status: 200,
    response: pipelineTestSchema,
    doc: {
      tag,
      summary: 'Try a destination',
      description:
        'Really connects to it, with its secrets, and says what came of it. Sends no values. One that had failed and works again is `ready`, and what is pending is tried at once. Takes up to 15 s.',
    },
  }),
  types: endpoint({
    method: 'GET',
    path: '/v1/destination-types',
    scope: 'pipelines:read',
    status: 200,
    response: z
      .object({ data: z.array(destinationTypeSchema).describe('In the order in which they are offered.') })
      .meta({ id: 'DestinationTypes', description: 'What destinations there can be.' }),
    doc: {
      tag,
      summary: 'List the types of destinations',
      description: 'What each takes, as JSON Schema.',
    },
  }),
};
