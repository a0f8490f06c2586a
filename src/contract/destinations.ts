import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { lastErrorSchema } from './last-error.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
import { pipelineTestSchema } from './pipeline-test.ts';
import { line } from './text-fields.ts';

/** `healthy`: no known problem. `retrying`: the last delivery failed. `blocked`: the destination has to be fixed. */
export const destinationStates = ['healthy', 'retrying', 'blocked'] as const;
export type DestinationState = (typeof destinationStates)[number];

const optionsSchema = z.record(z.string(), z.unknown()).meta({
  description:
    'The options of the type. `GET /v1/destination-types` returns the schema. Secrets are returned as `***`.',
  examples: [{ table: 'penstock_samples' }],
});

export const destinationSchema = z
  .object({
    id: idSchema('dst').describe('The ID of the destination.'),
    name: z.string().meta({ description: 'The name that pipelines refer to.', examples: ['Plant database'] }),
    type: z.string().meta({ description: 'The type of the destination.', examples: ['postgres'] }),
    url: z
      .string()
      .nullable()
      .meta({
        description:
          'The URL of the destination. A password in it is returned as `***`. `null` if the type has no URL.',
        examples: ['postgres://db.example.com:5432/plant'],
      }),
    options: optionsSchema,
    state: z
      .enum(destinationStates)
      .describe(
        '`healthy`: no known problem. `retrying`: the last delivery failed, and Penstock retries. `blocked`: the destination rejects deliveries until you fix it.',
      ),
    lastError: lastErrorSchema('db.example.com refused the connection.'),
    lastDeliveredAt: timeSchema.nullable().describe('When samples were last delivered. `null`: never.'),
    usedBy: z.int().describe('The number of pipelines that deliver to this destination.'),
    createdAt: timeSchema.describe('When the destination was created.'),
    updatedAt: timeSchema.describe('When the destination was last updated.'),
  })
  .meta({ id: 'Destination', description: 'Where pipelines deliver samples.' });
export type Destination = z.infer<typeof destinationSchema>;

/** The response to create. */
export const signedDestinationSchema = destinationSchema
  .extend({
    secret: z
      .string()
      .nullable()
      .meta({
        description:
          'The secret that signs webhook requests (`whsec_…`, Standard Webhooks). `null` for other types, and if this response is an idempotent replay.',
        examples: [null],
      }),
  })
  .meta({
    id: 'SignedDestination',
    description: 'A new destination, with its signing secret.',
  });
export type SignedDestination = z.infer<typeof signedDestinationSchema>;

const fields = {
  name: line(100, 1).meta({
    description: 'The name that pipelines refer to. Unique, ignoring case.',
    examples: ['Plant database'],
  }),
  type: line(64, 1).meta({
    description: 'The type, ignoring case. `GET /v1/destination-types` lists the types.',
    examples: ['postgres'],
  }),
  url: line(2_048, 1)
    .nullable()
    .meta({
      description: 'The URL of the destination. `null` or omitted if the type has no URL.',
      examples: ['postgres://db.example.com:5432/plant'],
    }),
  options: optionsSchema,
};

export const newDestinationSchema = z
  .strictObject(fields)
  .partial({ url: true, options: true })
  .meta({
    id: 'NewDestination',
    description: 'The destination to create.',
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
    description: 'A merge patch: omitted fields keep their values. The type cannot be changed.',
  });
export type DestinationChange = z.infer<typeof destinationChangeSchema>;

const jsonSchema = z.record(z.string(), z.unknown());

export const destinationTypeSchema = z
  .object({
    type: z.string().meta({ description: 'The value of `type` for a destination.', examples: ['postgres'] }),
    label: z.string().meta({ description: 'The display name.', examples: ['PostgreSQL'] }),
    description: z.string().meta({
      description: 'What destinations of this type do.',
      examples: ['Inserts samples into a table.'],
    }),
    urlSchema: jsonSchema.nullable().meta({
      description: 'JSON Schema of `url`. `null` if the type has no URL.',
      examples: [{ type: 'string', format: 'uri' }],
    }),
    optionsSchema: jsonSchema.meta({
      description: 'JSON Schema of `options`.',
      examples: [{ type: 'object', properties: {} }],
    }),
  })
  .meta({ id: 'DestinationType', description: 'A type of destination and its options.' });
export type DestinationType = z.infer<typeof destinationTypeSchema>;

export const destinationSorts = ['name', 'type', 'state', 'createdAt'] as const;

const params = z.object({ id: idSchema('dst').describe('The ID of the destination.') });
const tag = 'Destinations';

/**
 * Destinations include the built-in store, `telemetry`. It is the only one of its type and cannot be edited or deleted.
 */
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
      description: 'Returns one page, sorted by name by default. Includes the built-in store.',
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
        'Starts draft pipelines that only lacked this destination. Secrets are stored separately, bound to the address, and returned as `***`. Addresses that are not public are rejected unless their network is allowed (`GET /v1/networks`).',
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
    doc: {
      tag,
      summary: 'Read a destination',
      description: 'Returns the destination with its state and latest error.',
    },
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
      summary: 'Update a destination',
      description:
        'A merge patch (RFC 7396). `options` are merged too. Pending samples are retried immediately. `***` keeps a stored secret. If you change the address, send the secret again. Renaming the destination updates the pipelines that deliver to it. The built-in store cannot be changed.',
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
        'Returns `conflict` while pipelines deliver to the destination, and always for the built-in store. Delivered samples are not deleted.',
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
      summary: 'Test a destination',
      description:
        'Connects to the destination with its secrets and returns the result. Sends no samples. If a retrying or blocked destination works again, its state becomes `healthy` and Penstock retries pending samples immediately. Takes up to 15 s.',
    },
  }),
  types: endpoint({
    method: 'GET',
    path: '/v1/destination-types',
    scope: 'pipelines:read',
    status: 200,
    response: z
      .object({ data: z.array(destinationTypeSchema).describe('The types, in display order.') })
      .meta({ id: 'DestinationTypes', description: 'The types of destinations.' }),
    doc: {
      tag,
      summary: 'List the types of destinations',
      description: 'Returns the JSON Schemas of the URL and the options of each type.',
    },
  }),
};
