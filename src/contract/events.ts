import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { listQuery, pageOf, timeSchema } from './paging.ts';
import { RANGE_END } from './time-range.ts';

/** The types of events. More may be added, so a client accepts any string. */
export const eventTypes = [
  'device.registered',
  'device.updated',
  'device.deleted',
  'device.restored',
  'device.online',
  'device.late',
  'device.offline',
  'device-type.updated',
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
  'webhook.retried',
  'webhook.state-changed',
  'network.created',
  'network.deleted',
  'mqtt.refused',
  'http.refused',
  'service.started',
  'service.clock-jumped',
  'service.storage-low',
  'service.storage-recovered',
] as const;
export type EventType = (typeof eventTypes)[number];

export const partySchema = z.object({
  type: z
    .string()
    .describe('The type of the resource: device, pipeline, destination, api-key, session, …')
    .meta({ examples: ['device'] }),
  id: z
    .string()
    .describe('The ID of the resource.')
    .meta({ examples: ['dev_01jz3k5v8cf6n9qw2r4t7y0abd'] }),
  name: z
    .string()
    .describe('The name of the resource when the event occurred.')
    .meta({ examples: ['Boiler 7'] }),
});

export const eventSchema = z
  .object({
    id: idSchema('evt').describe('The ID of the event.'),
    at: timeSchema.describe('When the event occurred.'),
    type: z
      .string()
      .describe(
        `The type of the event: ${eventTypes.map((type) => `\`${type}\``).join(', ')}. More types may be added.`,
      )
      .meta({ examples: ['device.registered'] }),
    subject: partySchema.describe('The resource that the event is about.'),
    actor: partySchema.nullable().describe('Who caused the event. `null`: Penstock.'),
    data: z.record(z.string(), z.unknown()).describe('Details, depending on the type.'),
  })
  .meta({
    id: 'Event',
    description: 'An entry of the audit log, or a state change. Events are never changed.',
  });
export type Event = z.infer<typeof eventSchema>;

/** An entry of the list of events: an event, or a run of them, which has the fields of its first event. */
export const listedEventSchema = eventSchema
  .extend({
    run: z
      .object({
        count: z.int().meta({ description: 'The number of events.', examples: [667] }),
        firstAt: timeSchema.describe('When the earliest event occurred.'),
        lastAt: timeSchema.describe('When the latest event occurred.'),
      })
      .optional()
      .describe(
        'Only with `collapse`: the events of this entry, all of one type and in the same clock minute.',
      ),
  })
  .meta({ id: 'ListedEvent', description: 'An event, or the first of several similar events.' });
export type ListedEvent = z.infer<typeof listedEventSchema>;

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
        .meta({
          description: 'The exact type. Repeat the parameter for several types.',
          examples: [['device.offline', 'device.late']],
        }),
      subject: z.string().max(64).optional().describe('The ID of the subject.'),
      from: z
        .string()
        .max(40)
        .optional()
        .meta({
          description: `The start of the range, inclusive: ${RANGE_END.words}.`,
          pattern: RANGE_END.pattern,
          examples: ['-24h'],
        }),
      to: z
        .string()
        .max(40)
        .optional()
        .meta({
          description: 'The end of the range, exclusive. Accepts the same formats as `from`.',
          pattern: RANGE_END.pattern,
          examples: ['now'],
        }),
      collapse: z
        .boolean()
        .optional()
        .describe(
          'Combines events of 5 or more devices into one entry with a `run`: devices that became online, late or offline, or that one actor registered, updated, deleted or restored in the same way, within one clock minute. Other events between them separate entries. A page may end within a run, for example after 4,000 events; the next page continues the run. `total` counts events.',
        ),
    }),
    status: 200,
    response: pageOf(listedEventSchema),
    doc: {
      tag: 'Events',
      summary: 'List events',
      description:
        'Returns one page of the audit log and state changes, sorted by time by default, newest first.',
      errors: ['cursor-mismatch'],
    },
  }),
};
