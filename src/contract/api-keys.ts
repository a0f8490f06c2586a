import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
import { deviceScopes, scopeSchema } from './scope.ts';
import { line } from './text.ts';

export const apiKeySchema = z
  .object({
    id: idSchema('key'),
    name: z.string(),
    prefix: z.string(),
    last4: z.string(),
    scopes: z.array(scopeSchema),
    devices: z.array(idSchema('dev')).nullable().describe('The devices it is limited to; null: all.'),
    expiresAt: timeSchema.nullable(),
    lastUsedAt: timeSchema.nullable(),
    lastUsedFrom: z.string().nullable(),
    usedLastHour: z.int().describe('Requests in the last hour: what revoking it would stop.'),
    createdBy: z.string().nullable(),
    revokedAt: timeSchema.nullable(),
    rotatedFrom: idSchema('key').nullable(),
    createdAt: timeSchema,
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof apiKeySchema>;

/** The answer to create and rotate: the secret stands here once; null where a creation is replayed. */
export const mintedKeySchema = apiKeySchema
  .extend({ secret: z.string().nullable() })
  .meta({ id: 'MintedKey' });
export type MintedKey = z.infer<typeof mintedKeySchema>;

const fields = {
  name: line(100, 1).meta({ examples: ['Gateway 4'] }),
  scopes: z.array(scopeSchema).min(1, 'Choose at least one scope.').max(20),
  devices: z
    .array(idSchema('dev'))
    .min(1, 'Choose at least one device.')
    .max(1_000, 'At most 1,000 devices.')
    .nullable(),
  expiresAt: z.iso.datetime({ offset: true }).nullable(),
};

export const newApiKeySchema = z
  .strictObject({
    name: fields.name,
    scopes: fields.scopes,
    devices: fields.devices.optional().describe('Limits it to these; left out or null: all.'),
    expiresAt: fields.expiresAt
      .optional()
      .describe('null: never; left out: in 90 days; at most 366 days ahead.'),
  })
  .refine((key) => key.devices == null || key.scopes.every((scope) => deviceScopes.includes(scope)), {
    path: ['scopes'],
    message: `A key limited to devices may hold only ${deviceScopes.join(', ')}.`,
  })
  .meta({ id: 'NewApiKey' });
export type NewApiKey = z.infer<typeof newApiKeySchema>;

export const apiKeyChangeSchema = z
  .strictObject({ name: fields.name })
  .partial()
  .meta({ id: 'ApiKeyChange' });

const params = z.object({ id: idSchema('key') });
const tag = 'API keys';

export const apiKeysApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/api-keys',
    scope: 'api-keys:manage',
    query: listQuery(['name', 'createdAt', 'expiresAt', 'lastUsedAt'], {
      q: searchSchema,
      revoked: z.boolean().optional().describe('`false`: only live ones; `true`: only revoked ones.'),
    }),
    status: 200,
    response: pageOf(apiKeySchema),
    doc: { tag, summary: 'List API keys', errors: ['cursor-mismatch'] },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/api-keys',
    scope: 'api-keys:manage',
    body: newApiKeySchema,
    status: 201,
    response: mintedKeySchema,
    idempotent: true,
    doc: {
      tag,
      summary: 'Create an API key',
      description: 'The secret stands in this answer, once. A key mints only scopes that it holds itself.',
    },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/api-keys/{id}',
    scope: 'api-keys:manage',
    params,
    status: 200,
    response: apiKeySchema,
    doc: { tag, summary: 'Read an API key' },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/api-keys/{id}',
    scope: 'api-keys:manage',
    params,
    body: apiKeyChangeSchema,
    status: 200,
    response: apiKeySchema,
    doc: { tag, summary: 'Rename an API key' },
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/v1/api-keys/{id}',
    scope: 'api-keys:manage',
    params,
    status: 204,
    doc: {
      tag,
      summary: 'Revoke an API key',
      description: 'Holds from the next request; its sessions, streams and MQTT connections end.',
    },
  }),
  rotate: endpoint({
    method: 'POST',
    path: '/v1/api-keys/{id}/rotate',
    scope: 'api-keys:manage',
    params,
    body: z.strictObject({
      overlapSeconds: z
        .int()
        .min(0)
        .max(2_592_000)
        .default(86_400)
        .describe('How long the old secret lives on.'),
    }),
    status: 201,
    response: mintedKeySchema,
    idempotent: true,
    doc: {
      tag,
      summary: 'Rotate an API key',
      description: 'Makes a new key with a new secret; the old one lives on for the overlap.',
      errors: ['invalid-state'],
    },
  }),
};
