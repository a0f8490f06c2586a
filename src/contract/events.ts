import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { listQuery, pageOf, timeSchema } from './paging.ts';
import { RANGE_END } from './time-range.ts';

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
  'pipeline.replayed',
  'unrouted.deleted',
  'destination.created',
  'destination.updated',
  'destination.deleted',
  'destination.state-changed',
  'api-key.created',
  'api-key.updated',
  'api-key.rotated',
  'api-key.revoked',
  'api-key.expiring',
  'session.opened',
  'session.closed',
  'session.refused',
  'telemetry.deleted',
  'telemetry.loss-accepted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.rotated',
  'webhook.state-changed',
  'mqtt.refused',
  'service.clock-jumped',
] as const;
export type EventType = (typeof eventTypes)[number];

const party = z.object({
  type: z
    .string()
    .describe('What kind of thing: device, pipeline, destination, api-key, session, …')
    .meta({ examples: ['device'] }),
  id: z
    .string()
    .describe('Its id.')
    .meta({ examples: ['dev_01jz3k5v8cf6n9qw2r4t7y0abd'] }),
  name: z
    .string()
    .describe('Its name at that moment.')
    .meta({ examples: ['Boiler 7'] }),
});

export const eventSchema = z
  .object({
    id: idSchema('evt').describe('Its id.'),
    at: timeSchema.describe('When it happened.'),
    type: z
      .string()
      .describe(
        `What happened: ${eventTypes.map((type) => `\`${type}\``).join(', ')}. Further ones may come.`,
      )
      .meta({ examples: ['device.registered'] }),
    subject: party.describe('What the event is about.'),
    actor: party.nullable().describe('Who caused the event. `null`: Penstock.'),
    data: z.record(z.string(), z.unknown()).describe('More about it, by the type.'),
  })
  .meta({ id: 'Event', description: 'Something that happened. Events are never changed.' });
export type Event = z.infer<typeof eventSchema>;

export const eventsApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/events',
    scope: 'events:read',
    query: listQuery(['at'], {
      type: z
        .array(z.string().max(64))
        .max(50)
        .optional()
        .meta({ description: 'Exact; repeat for several.', examples: [['device.offline', 'device.late']] }),
      subject: z.string().max(64).optional().describe('The id of the subject.'),
      from: z
        .string()
        .max(40)
        .optional()
        .meta({
          description: `The first moment: ${RANGE_END.words}.`,
          pattern: RANGE_END.pattern,
          examples: ['-24h'],
        }),
      to: z
        .string()
        .max(40)
        .optional()
        .meta({
          description: 'The first moment after the range, likewise.',
          pattern: RANGE_END.pattern,
          examples: ['now'],
        }),
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
