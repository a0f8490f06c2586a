import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';

export const unroutedTopicSchema = z
  .object({
    topicFilter: z.string().meta({
      description:
        'The topics of these messages: `+` replaces each level that is the user name of the publishing client.',
      examples: ['tele/+/LWT'],
    }),
    messages: z.int().meta({ description: 'The number of messages.', examples: [12] }),
    firstAt: timeSchema.describe('When the first message was received.'),
    lastAt: timeSchema.describe('When the last message was received.'),
    clients: z.array(z.string()).meta({
      description:
        'The user names of the last 10 clients that published such messages, latest first. Devices use their external ID as the user name.',
      examples: [['plug-1']],
    }),
    lastMessage: z
      .object({
        topic: z.string().meta({ description: 'Its topic.', examples: ['tele/plug-1/LWT'] }),
        payload: z
          .string()
          .nullable()
          .meta({
            description: 'Its first 4 KiB as text; null if the payload is binary.',
            examples: ['Online'],
          }),
        bytes: z.int().meta({ description: 'The size of the whole payload.', examples: [6] }),
        truncated: z
          .boolean()
          .meta({ description: 'Whether the payload is longer than what is kept.', examples: [false] }),
        retained: z
          .boolean()
          .meta({ description: 'Whether it was published with the retain flag.', examples: [true] }),
      })
      .describe('The last message.'),
  })
  .meta({
    id: 'UnroutedTopic',
    description: 'Messages that were acknowledged, but that no running pipeline takes.',
  });
export type UnroutedTopic = z.infer<typeof unroutedTopicSchema>;

export const unroutedSorts = ['lastAt', 'firstAt', 'messages', 'topicFilter'] as const;

const tag = 'Pipelines';

/** Endpoints about messages to the embedded broker that no running pipeline takes. */
export const unroutedApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/unrouted',
    scope: 'pipelines:read',
    query: listQuery(unroutedSorts, { q: searchSchema }),
    status: 200,
    response: pageOf(unroutedTopicSchema).extend({
      others: z
        .object({ messages: z.int().meta({ description: 'The number of messages.', examples: [0] }) })
        .describe('Messages of topic filters that left the list, which keeps the 1,000 latest.'),
    }),
    doc: {
      tag,
      summary: 'List unrouted messages',
      description:
        'Messages to the embedded MQTT broker that no running pipeline takes, by topic filter; the latest first unless sorted. Create an `mqtt` pipeline with a topic filter to take its messages from then on. With `MQTT_UNROUTED=refuse` the broker refuses such messages, and the list stays empty.',
      errors: ['cursor-mismatch'],
    },
  }),
  clear: endpoint({
    method: 'DELETE',
    path: '/v1/unrouted',
    scope: 'pipelines:write',
    usesReserve: true,
    query: z.strictObject({
      topicFilter: z
        .string()
        .min(1)
        .max(2_000)
        .optional()
        .meta({ description: 'Only this topic filter; all where it is left out.', examples: ['tele/+/LWT'] }),
    }),
    status: 200,
    response: z.object({
      deleted: z.int().meta({ description: 'How many topic filters were deleted.', examples: [3] }),
    }),
    doc: {
      tag,
      summary: 'Clear unrouted messages',
      description: 'Deletes what was recorded. Messages that arrive later are recorded again.',
    },
  }),
};
