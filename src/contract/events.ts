import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { listQuery, pageOf, timeSchema } from './paging.ts';

/** What can happen. Answers may carry further ones: a client takes any string. */
export const eventTypes = [
  'device.registered',
  'device.updated',
  'device.deleted',
  'device.restored',
  'device.online',
  'device.late',
  'device.offline',
  'pipeline.created',
  'pipeline.updated',
  'pipeline.deleted',
  'pipeline.state-changed',
  'api-key.created',
  'api-key.updated',
  'api-key.rotated',
  'api-key.revoked',
  'api-key.expiring',
  'session.opened',
  'session.closed',
  'session.refused',
  'telemetry.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.rotated',
  'webhook.state-changed',
  'mqtt.refused',
] as const;
export type EventType = (typeof eventTypes)[number];

const party = z.object({ type: z.string(), id: z.string(), name: z.string() });

export const eventSchema = z
  .object({
    id: idSchema('evt'),
    at: timeSchema,
    type: z.string(),
    subject: party,
    actor: party.nullable().describe('Who did it; null: it happened by itself.'),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });
export type Event = z.infer<typeof eventSchema>;

export const eventsApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/events',
    scope: 'events:read',
    query: listQuery(['at'], {
      type: z.array(z.string().max(64)).max(50).optional().describe('Exact; repeat for several.'),
      subject: z.string().max(64).optional().describe('The id of the subject.'),
      from: z.string().max(40).optional(),
      to: z.string().max(40).optional(),
    }),
    status: 200,
    response: pageOf(eventSchema),
    doc: {
      tag: 'Events',
      summary: 'List events',
      description: 'Newest first unless sorted. The audit log too.',
      errors: ['cursor-mismatch'],
    },
  }),
};
