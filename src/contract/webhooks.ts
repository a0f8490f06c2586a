import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { eventTypes } from './events.ts';
import { idSchema } from './id.ts';
import { lastErrorSchema } from './last-error.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
import { line } from './text.ts';

/** `active`: calls get through, or none was due yet; `failing`: the last call did not, it is tried again. */
export const webhookStates = ['active', 'failing', 'paused'] as const;
export type WebhookState = (typeof webhookStates)[number];

export const webhookSchema = z
  .object({
    id: idSchema('whk').describe('Its id.'),
    name: z.string().meta({ description: 'What people call it.', examples: ['On-call channel'] }),
    url: z.string().meta({
      description: 'Where its calls go. Whoever may read webhooks sees all of it.',
      examples: ['https://hooks.example.com/penstock'],
    }),
    events: z
      .array(z.string())
      .meta({ description: 'The types of events that it tells.', examples: [['device.offline']] }),
    enabled: z.boolean().describe('The wish; `state` is the fact.'),
    state: z
      .enum(webhookStates)
      .describe(
        'The fact: `active`, `failing` (the last call did not get through, it is tried again), `paused`.',
      ),
    calls: z
      .object({
        delivered: z.int().describe('Those that got through.'),
        pending: z.int().describe('Waiting for their first or next try.'),
        failed: z.int().describe('Given up after the last try.'),
      })
      .describe('Of every event that it was to tell.'),
    lastDeliveredAt: timeSchema.nullable().describe('When a call last got through; null: none yet.'),
    lastError: lastErrorSchema('Answered 502 Bad Gateway.'),
    createdAt: timeSchema.describe('When it was made.'),
    updatedAt: timeSchema.describe('When it was last changed.'),
  })
  .meta({ id: 'Webhook', description: 'Who is called on which events.' });
export type Webhook = z.infer<typeof webhookSchema>;

/** The answer to create and rotate: the signing secret stands here once; null where a creation is replayed. */
export const signedWebhookSchema = webhookSchema
  .extend({
    secret: z
      .string()
      .nullable()
      .meta({
        description:
          'What its calls are signed with: `whsec_` and base 64, as Standard Webhooks has it; null where this answer is a replay.',
        examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
  })
  .meta({ id: 'SignedWebhook', description: 'A webhook with a secret that was just made.' });
export type SignedWebhook = z.infer<typeof signedWebhookSchema>;

const fields = {
  name: line(100, 1).meta({
    description: 'What people call it; unique, ignoring case.',
    examples: ['On-call channel'],
  }),
  url: z
    .url({ protocol: /^https?$/, error: 'Must be an http:// or https:// address.' })
    .max(2_048, 'Must be at most 2,048 characters.')
    .meta({
      description: 'Where its calls go: http or https, as browsers read addresses (WHATWG URL).',
      // Wider than RFC 3986, which `uri` stands for.
      format: undefined,
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
      examples: ['https://hooks.example.com/penstock'],
    }),
  events: z
    .array(z.enum(eventTypes))
    .min(1, 'Choose at least one event.')
    .max(eventTypes.length)
    .meta({
      description: 'The types of events that it tells.',
      examples: [['device.offline', 'api-key.expiring']],
    }),
  enabled: z.boolean().describe('Whether it should call.'),
};

export const newWebhookSchema = z
  .strictObject({ ...fields, enabled: fields.enabled.default(true) })
  .meta({ id: 'NewWebhook', description: 'A webhook to be made.' });
export type NewWebhook = z.input<typeof newWebhookSchema>;

export const webhookChangeSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'WebhookChange', description: 'A merge patch: what it does not name stays.' });
export type WebhookChange = z.infer<typeof webhookChangeSchema>;

/** What came of a test call. */
export const webhookTestSchema = z
  .object({
    ok: z.boolean().describe('Whether it got through.'),
    status: z
      .int()
      .nullable()
      .meta({ description: 'What the receiver answered; null: it did not.', examples: [204] }),
    detail: z
      .string()
      .meta({ description: 'What came of it, for people.', examples: ['Answered 204 No Content.'] }),
    ms: z.number().meta({ description: 'How long it took.', examples: [83] }),
  })
  .meta({ id: 'WebhookTest', description: 'What came of a test call.' });
export type WebhookTest = z.infer<typeof webhookTestSchema>;

const params = z.object({ id: idSchema('whk').describe('The id of the webhook.') });
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
    doc: {
      tag,
      summary: 'List webhooks',
      description: 'A page at a time, by name unless sorted. No secrets.',
      errors: ['cursor-mismatch'],
    },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/webhooks',
    scope: 'devices:write',
    alsoScope: 'events:read',
    body: newWebhookSchema,
    status: 201,
    response: signedWebhookSchema,
    idempotent: true,
    etag: true,
    doc: {
      tag,
      summary: 'Create a webhook',
      description:
        'Takes `events:read` as well: it tells events. The secret that its calls are signed with stands in this answer, once. Addresses that are not public are refused unless the service lists them in ALLOWED_NETWORKS.',
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
    etag: true,
    doc: { tag, summary: 'Read a webhook', description: 'With what became of its calls.' },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    scope: 'devices:write',
    alsoScope: 'events:read',
    params,
    body: webhookChangeSchema,
    status: 200,
    response: webhookSchema,
    ifMatch: true,
    etag: true,
    doc: {
      tag,
      summary: 'Change a webhook',
      description:
        'A merge patch (RFC 7396). Takes `events:read` as well. A changed address is tried at once with what is pending.',
      errors: ['conflict', 'destination-forbidden'],
    },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    scope: 'devices:write',
    usesReserve: true,
    params,
    status: 204,
    ifMatch: true,
    doc: { tag, summary: 'Delete a webhook', description: 'What is still to be told goes with it.' },
  }),
  test: endpoint({
    method: 'POST',
    path: '/v1/webhooks/{id}/test',
    scope: 'devices:write',
    params,
    safe: true,
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
    body: z
      .strictObject({
        overlapSeconds: z
          .int()
          .min(0)
          .max(2_592_000)
          .default(86_400)
          .describe('How long calls are signed with the old secret as well.'),
      })
      .meta({ id: 'WebhookRotation', description: 'How to change to a new secret.' }),
    status: 200,
    response: signedWebhookSchema,
    ifMatch: true,
    etag: true,
    doc: {
      tag,
      summary: 'Give a webhook a new secret',
      description: 'The new secret stands in this answer, once; for the overlap calls bear both signatures.',
    },
  }),
};
