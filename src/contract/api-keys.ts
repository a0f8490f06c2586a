import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
import { deviceScopes, scopeSchema } from './scope.ts';
import { line } from './text-fields.ts';

export const apiKeySchema = z
  .object({
    id: idSchema('key').describe('The ID of the API key.'),
    name: z.string().meta({ description: 'What the key is for.', examples: ['Gateway 4'] }),
    prefix: z.string().meta({ description: 'The first characters of the secret.', examples: ['pen_key_'] }),
    last4: z.string().meta({ description: 'The last characters of the secret.', examples: ['a1b2'] }),
    scopes: z.array(scopeSchema).describe('The scopes of the key.'),
    devices: z
      .array(idSchema('dev'))
      .nullable()
      .describe('The devices that the key is limited to. `null`: all devices.'),
    expiresAt: timeSchema.nullable().describe('When the key expires. `null`: never.'),
    lastUsedAt: timeSchema.nullable().describe('When the key was last used. `null`: never.'),
    lastUsedFrom: z
      .string()
      .nullable()
      .meta({ description: 'The IP address of the last request.', examples: ['192.0.2.17'] }),
    usedLastHour: z.int().describe('Number of requests in the last hour.'),
    lastRefusedAt: timeSchema
      .nullable()
      .describe(
        'When a request with this key was last rejected because the key was revoked or expired. `null`: never.',
      ),
    lastRefusedFrom: z
      .string()
      .nullable()
      .meta({ description: 'The IP address of that request.', examples: ['192.0.2.17'] }),
    createdBy: z
      .string()
      .nullable()
      .meta({ description: 'Who created the key.', examples: ['Ada'] }),
    revokedAt: timeSchema.nullable().describe('When the key was revoked. `null`: not revoked.'),
    rotatedFrom: idSchema('key').nullable().describe('The key that this key replaced in a rotation.'),
    createdAt: timeSchema.describe('When the key was created.'),
  })
  .meta({ id: 'ApiKey', description: 'A token for programs and devices, without its secret.' });
export type ApiKey = z.infer<typeof apiKeySchema>;

/** The response to create and rotate. The secret is null in an idempotent replay. */
export const mintedKeySchema = apiKeySchema
  .extend({
    secret: z
      .string()
      .nullable()
      .describe('The bearer token. `null` if this response is an idempotent replay.')
      .meta({ examples: ['pen_key_S0jd7bA3mQv1xYtRk2uWn5cE8hLpZ6fG4iOqTsXyVwB1a2b3'] }),
  })
  .meta({ id: 'MintedKey', description: 'A new API key with its secret.' });
export type MintedKey = z.infer<typeof mintedKeySchema>;

const fields = {
  name: line(100, 1).meta({ description: 'What the key is for.', examples: ['Gateway 4'] }),
  scopes: z
    .array(scopeSchema)
    .min(1, 'Choose at least one scope.')
    .max(20)
    .meta({ description: 'The scopes of the key.', examples: [['devices:read', 'telemetry:write']] }),
  devices: z
    .array(idSchema('dev'))
    .min(1, 'Choose at least one device.')
    .max(1_000, 'At most 1,000 devices.')
    .nullable(),
  expiresAt: z.iso
    .datetime({ offset: true })
    .nullable()
    .meta({ examples: [null] }),
};

export const newApiKeySchema = z
  .strictObject({
    name: fields.name,
    scopes: fields.scopes,
    devices: fields.devices.optional().describe('Limits the key to these devices. Defaults to all devices.'),
    expiresAt: fields.expiresAt
      .optional()
      .describe(
        '`null`: never. Defaults to 90 days from now. At most 366 days ahead, and no later than the expiry of the key that creates it (`keysExpireBy` of the session).',
      ),
  })
  .refine((key) => key.devices == null || key.scopes.every((scope) => deviceScopes.includes(scope)), {
    path: ['scopes'],
    message: `A key limited to devices can only have the scopes ${deviceScopes.join(', ')}.`,
  })
  .meta({
    id: 'NewApiKey',
    description: `The API key to create. A key limited to devices can only have the scopes ${deviceScopes.join(', ')}.`,
    allOf: [
      {
        anyOf: [
          { properties: { devices: { type: 'null' } } },
          { properties: { scopes: { items: { enum: deviceScopes } } } },
        ],
      },
    ],
  });
export type NewApiKey = z.infer<typeof newApiKeySchema>;

export const apiKeyChangeSchema = z
  .strictObject({ name: fields.name })
  .partial()
  .meta({ id: 'ApiKeyChange', description: 'The fields of an API key that can be changed.' });

const params = z.object({ id: idSchema('key').describe('The ID of the API key.') });
const tag = 'API keys';

export const apiKeysApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/api-keys',
    scope: 'api-keys:manage',
    query: listQuery(['name', 'createdAt', 'expiresAt', 'lastUsedAt'], {
      q: searchSchema,
      revoked: z
        .boolean()
        .optional()
        .describe('`false`: only keys that are not revoked. `true`: only revoked keys.'),
    }),
    status: 200,
    response: pageOf(apiKeySchema),
    doc: {
      tag,
      summary: 'List API keys',
      description:
        'Lists API keys without their secrets. Includes revoked and expired keys, unless you filter by `revoked`.',
      errors: ['cursor-mismatch'],
    },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/api-keys',
    scope: 'api-keys:manage',
    body: newApiKeySchema,
    status: 201,
    response: mintedKeySchema,
    idempotent: true,
    etag: true,
    doc: {
      tag,
      summary: 'Create an API key',
      description:
        'Only this response contains the secret. A key can only grant scopes that it has itself, and the new key cannot outlive it.',
    },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/api-keys/{id}',
    scope: 'api-keys:manage',
    params,
    status: 200,
    response: apiKeySchema,
    etag: true,
    doc: {
      tag,
      summary: 'Read an API key',
      description: 'Returns the key without its secret. Penstock stores only a digest of the secret.',
    },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/api-keys/{id}',
    scope: 'api-keys:manage',
    params,
    body: apiKeyChangeSchema,
    status: 200,
    response: apiKeySchema,
    ifMatch: true,
    etag: true,
    doc: {
      tag,
      summary: 'Rename an API key',
      description: 'Changes the name. Scopes and expiry cannot be changed.',
    },
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/v1/api-keys/{id}',
    scope: 'api-keys:manage',
    usesReserve: true,
    params,
    query: z.strictObject({
      unused: z
        .boolean()
        .optional()
        .describe('`true`: revoke the key only if it was never used. Otherwise the response is 409.'),
    }),
    status: 204,
    ifMatch: true,
    doc: {
      tag,
      summary: 'Revoke an API key',
      description: 'Takes effect immediately. Sessions, streams and MQTT connections of the key end.',
      errors: ['invalid-state'],
    },
  }),
  rotate: endpoint({
    method: 'POST',
    path: '/v1/api-keys/{id}/rotate',
    scope: 'api-keys:manage',
    params,
    body: z
      .strictObject({
        overlapSeconds: z
          .int()
          .min(0)
          .max(2_592_000)
          .default(86_400)
          .describe('How long the old secret stays valid.'),
      })
      .meta({ id: 'Rotation', description: 'Options for the rotation.' }),
    status: 201,
    response: mintedKeySchema,
    idempotent: true,
    etag: true,
    doc: {
      tag,
      summary: 'Rotate an API key',
      description:
        'Creates a key with a new secret and the lifetime of the old key. The old key stays valid for the overlap. The new key cannot outlive the key that rotates it: if it would expire before the old key, the response is 403.',
      errors: ['invalid-state'],
    },
  }),
};
