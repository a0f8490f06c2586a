import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { lastErrorSchema } from './last-error.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
import { tagSchema } from './tag.ts';
import { line } from './text-fields.ts';
import { DIGEST_EVENTS, webhookEventTypes } from './webhook-events.ts';

/** `active`: deliveries succeed, or there was none yet. `retrying`: the last delivery failed. */
export const webhookStates = ['active', 'retrying', 'paused'] as const;
export type WebhookState = (typeof webhookStates)[number];

export const webhookSchema = z
  .object({
    id: idSchema('whk').describe('The ID of the webhook.'),
    name: z.string().meta({ description: 'The display name.', examples: ['On-call channel'] }),
    url: z.string().meta({
      description: 'The URL that receives deliveries. Visible to everyone who can read webhooks.',
      examples: ['https://hooks.example.com/penstock'],
    }),
    events: z
      .array(z.string())
      .meta({ description: 'The types of events to send.', examples: [['device.offline']] }),
    tag: z
      .string()
      .nullable()
      .meta({
        description:
          'Events of devices are sent only if the device has this tag: `key` or `key:value`. `null`: events of all devices are sent.',
        examples: ['site:north'],
      }),
    digest: z
      .boolean()
      .describe(
        'Whether the events of a minute are sent as one delivery. `false`: a delivery for each event.',
      ),
    enabled: z.boolean().describe('Whether the webhook should send events. `state` is the current state.'),
    state: z
      .enum(webhookStates)
      .describe(
        'The current state: `active`, `retrying` (the last delivery failed, and Penstock retries) or `paused`.',
      ),
    calls: z
      .object({
        delivered: z.int().describe('Number of delivered events.'),
        pending: z.int().describe('Number of events waiting for their first or next attempt.'),
        failed: z.int().describe('Number of events that Penstock gave up on after the last attempt.'),
      })
      .describe('The outcome of every event.'),
    nextAttemptAt: timeSchema
      .nullable()
      .describe(
        'When the next pending delivery is sent, apart from a digest that still collects events. `null` if there is none, or the webhook is paused.',
      ),
    lastDeliveredAt: timeSchema.nullable().describe('When an event was last delivered. `null`: never.'),
    lastError: lastErrorSchema('Answered 502 Bad Gateway.'),
    createdAt: timeSchema.describe('When the webhook was created.'),
    updatedAt: timeSchema.describe('When the webhook was last updated.'),
  })
  .meta({ id: 'Webhook', description: 'A webhook sends events to a URL.' });
export type Webhook = z.infer<typeof webhookSchema>;

export const webhookRetrySchema = z.object({
  deliveries: z.int().meta({ description: 'Number of deliveries that are retried.', examples: [12] }),
  at: timeSchema.describe('When the retry was requested. Outcomes since then are later.'),
});
export type WebhookRetry = z.infer<typeof webhookRetrySchema>;

/** The response to create and rotate. The signing secret is null in an idempotent replay. */
export const signedWebhookSchema = webhookSchema
  .extend({
    secret: z
      .string()
      .nullable()
      .meta({
        description:
          'The secret that signs deliveries: `whsec_` and base64 (Standard Webhooks). `null` if this response is an idempotent replay.',
        examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
  })
  .meta({ id: 'SignedWebhook', description: 'A webhook with its new secret.' });
export type SignedWebhook = z.infer<typeof signedWebhookSchema>;

const fields = {
  name: line(100, 1).meta({
    description: 'The display name. Unique, ignoring case.',
    examples: ['On-call channel'],
  }),
  url: z
    .url({ protocol: /^https?$/, error: 'Must be an http:// or https:// URL.' })
    .max(2_048, 'Must be at most 2,048 characters.')
    .meta({
      description: 'The URL that receives deliveries: http or https (WHATWG URL).',
      // Wider than RFC 3986, which `uri` stands for.
      format: undefined,
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
      examples: ['https://hooks.example.com/penstock'],
    }),
  events: z
    .array(z.enum(webhookEventTypes))
    .min(1, 'Choose at least one event.')
    .max(webhookEventTypes.length)
    .meta({
      description:
        'The types of events to send. `pipeline.degraded`, `pipeline.failed` and `pipeline.recovered` select state changes of a pipeline by their outcome; `pipeline.state-changed` selects all of them.',
      examples: [['device.offline', 'pipeline.failed', 'api-key.expiring']],
    }),
  tag: tagSchema
    .nullable()
    .describe(
      'Sends events of devices only if the device has this tag: `key` (with any value) or `key:value`. Events whose subject is not a device are sent regardless. `null`: events of all devices.',
    ),
  digest: z
    .boolean()
    .describe(
      `Sends at most one delivery a minute. The first event is sent immediately. Events of the following minute are sent together, as a \`webhook.digest\` with the first ${DIGEST_EVENTS} events and the number of each type.`,
    ),
  enabled: z.boolean().describe('Whether the webhook should send events.'),
};

export const newWebhookSchema = z
  .strictObject({
    ...fields,
    tag: fields.tag.default(null),
    digest: fields.digest.default(false),
    enabled: fields.enabled.default(true),
  })
  .meta({ id: 'NewWebhook', description: 'The webhook to create.' });
export type NewWebhook = z.input<typeof newWebhookSchema>;

export const webhookChangeSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'WebhookChange', description: 'A merge patch: omitted fields keep their values.' });
export type WebhookChange = z.infer<typeof webhookChangeSchema>;

/** The result of a test delivery. */
export const webhookTestSchema = z
  .object({
    ok: z.boolean().describe('Whether the delivery succeeded.'),
    status: z
      .int()
      .nullable()
      .meta({
        description: 'The HTTP status of the response. `null` if there was no response.',
        examples: [204],
      }),
    detail: z
      .string()
      .meta({ description: 'The human-readable result.', examples: ['Answered 204 No Content.'] }),
    ms: z.number().meta({ description: 'The duration in milliseconds.', examples: [83] }),
  })
  .meta({ id: 'WebhookTest', description: 'The result of a test delivery.' });
export type WebhookTest = z.infer<typeof webhookTestSchema>;

const params = z.object({ id: idSchema('whk').describe('The ID of the webhook.') });
const tag = 'Webhooks';

/**
 * Signed notifications of selected events, according to https://www.standardwebhooks.com.
 * The body of a delivery is a `WebhookDelivery` or a `WebhookDigest`.
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
      description: 'Returns one page, sorted by name by default, without secrets.',
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
        'Also requires `events:read`. Only this response contains the signing secret. Addresses that are not public are rejected unless their network is allowed (`GET /v1/networks`).',
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
    doc: {
      tag,
      summary: 'Read a webhook',
      description: 'Returns the webhook with the outcome of its deliveries.',
    },
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
      summary: 'Update a webhook',
      description:
        'A merge patch (RFC 7396). Also requires `events:read`. After a change of the URL, pending events are sent immediately.',
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
    doc: { tag, summary: 'Delete a webhook', description: 'Deletes the webhook and its pending events.' },
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
      summary: 'Send a test event',
      description:
        'Sends a signed event of the type `webhook.test` and returns the result. If the test succeeds, pending deliveries are retried now, unless the webhook is paused.',
    },
  }),
  retry: endpoint({
    method: 'POST',
    path: '/v1/webhooks/{id}/retry',
    scope: 'devices:write',
    params,
    status: 200,
    response: webhookRetrySchema,
    doc: {
      tag,
      summary: 'Retry pending deliveries',
      description:
        'Retries all pending deliveries now instead of at their next attempt. Their attempt counts start again at 0. `lastDeliveredAt` and `lastError` of the webhook show the outcome.',
      errors: ['invalid-state'],
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
          .describe('How long deliveries are also signed with the old secret.'),
      })
      .meta({ id: 'WebhookRotation', description: 'Options for the rotation.' }),
    status: 200,
    response: signedWebhookSchema,
    ifMatch: true,
    etag: true,
    doc: {
      tag,
      summary: 'Rotate the secret of a webhook',
      description:
        'Only this response contains the new secret. During the overlap, deliveries carry both signatures.',
    },
  }),
};
