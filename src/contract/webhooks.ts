import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { eventTypes } from './events.ts';
import { idSchema } from './id.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
import { line } from './text.ts';

/** `active`: calls get through, or none was due yet; `failing`: the last call did not, it is tried again. */
export const webhookStates = ['active', 'failing', 'paused'] as const;
export type WebhookState = (typeof webhookStates)[number];

export const webhookSchema = z
  .object({
    id: idSchema('whk'),
    name: z.string(),
    url: z.string(),
    events: z.array(z.string()).describe('The types of events that it tells.'),
    enabled: z.boolean().describe('The wish; `state` is the fact.'),
    state: z.enum(webhookStates),
    calls: z
      .object({
        delivered: z.int(),
        pending: z.int().describe('Waiting for their first or next try.'),
        failed: z.int().describe('Given up after the last try.'),
      })
      .describe('Of every event that it was to tell.'),
    lastDeliveredAt: timeSchema.nullable(),
    lastError: z.object({ at: timeSchema, detail: z.string() }).nullable(),
    createdAt: timeSchema,
    updatedAt: timeSchema,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof webhookSchema>;

/** The answer to create and rotate: the signing secret stands here once; null where a creation is replayed. */
export const signedWebhookSchema = webhookSchema
  .extend({ secret: z.string().nullable().describe('`whsec_` and base 64, as Standard Webhooks has it.') })
  .meta({ id: 'SignedWebhook' });
export type SignedWebhook = z.infer<typeof signedWebhookSchema>;

const fields = {
  name: line(100, 1).meta({ examples: ['On-call channel'] }),
  url: z
    .url({ protocol: /^https?$/, error: 'Must be an http:// or https:// address.' })
    .max(2_048, 'Must be at most 2,048 characters.')
    .meta({ examples: ['https://hooks.example.com/penstock'] }),
  events: z
    .array(z.enum(eventTypes))
    .min(1, 'Choose at least one event.')
    .max(eventTypes.length)
    .meta({ examples: [['device.offline', 'api-key.expiring']] }),
  enabled: z.boolean(),
};

export const newWebhookSchema = z
  .strictObject({ ...fields, enabled: fields.enabled.default(true) })
  .meta({ id: 'NewWebhook' });
export type NewWebhook = z.input<typeof newWebhookSchema>;

export const webhookChangeSchema = z.strictObject(fields).partial().meta({ id: 'WebhookChange' });
export type WebhookChange = z.infer<typeof webhookChangeSchema>;

/** What came of a test call. */
export const webhookTestSchema = z
  .object({
    ok: z.boolean(),
    status: z.int().nullable().describe('What the receiver answered; null: it did not.'),
    detail: z.string(),
    ms: z.number(),
  })
  .meta({ id: 'WebhookTest' });
export type WebhookTest = z.infer<typeof webhookTestSchema>;

const params = z.object({ id: idSchema('whk') });
const tag = 'Webhooks';

/**
 * Signed calls on chosen events, as https://www.standardwebhooks.com has it: how an operator is told.
 * The body of a call is `{ type, timestamp, data }`, `data` being the Event.
 */
export const webhooksApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/webhooks',
    scope: 'events:read',
    query: listQuery(['name', 'createdAt'], { q: searchSchema }),
    status: 200,
    response: pageOf(webhookSchema),
    doc: { tag, summary: 'List webhooks', errors: ['cursor-mismatch'] },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/webhooks',
    scope: 'devices:write',
    body: newWebhookSchema,
    status: 201,
    response: signedWebhookSchema,
    idempotent: true,
    doc: {
      tag,
      summary: 'Create a webhook',
      description:
        'The secret that its calls are signed with stands in this answer, once. Addresses that are not public are refused unless the service lists them in ALLOWED_NETWORKS.',
      errors: ['conflict', 'destination-forbidden'],
    },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/webhooks/{id}',
    scope: 'events:read',
    params,
    status: 200,
    response: webhookSchema,
    doc: { tag, summary: 'Read a webhook' },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    scope: 'devices:write',
    params,
    body: webhookChangeSchema,
    status: 200,
    response: webhookSchema,
    doc: {
      tag,
      summary: 'Change a webhook',
      description: 'A merge patch (RFC 7396). A changed address is tried at once with what is pending.',
      errors: ['conflict', 'destination-forbidden', 'precondition-failed'],
    },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    scope: 'devices:write',
    params,
    status: 204,
    doc: { tag, summary: 'Delete a webhook', errors: ['precondition-failed'] },
  }),
  test: endpoint({
    method: 'POST',
    path: '/v1/webhooks/{id}/test',
    scope: 'devices:write',
    params,
    status: 200,
    response: webhookTestSchema,
    doc: {
      tag,
      summary: 'Call a webhook once, now',
      description: 'Sends a signed call of the type `webhook.test` and tells what came of it.',
    },
  }),
  rotate: endpoint({
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate',
    scope: 'devices:write',
    params,
    body: z.strictObject({
      overlapSeconds: z
        .int()
        .min(0)
        .max(2_592_000)
        .default(86_400)
        .describe('How long calls are signed with the old secret as well.'),
    }),
    status: 200,
    response: signedWebhookSchema,
    doc: { tag, summary: 'Give a webhook a new secret', errors: ['precondition-failed'] },
  }),
};
