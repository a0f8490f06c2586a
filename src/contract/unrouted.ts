import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';

export const unroutedTopicSchema = z
  .object({
    topicFilter: z.string().meta({
      description:
        'The topics of these messages. `+` replaces each level that equals the user name of the publishing client and, with `grouped`, the level in which the topics of a group differ.',
      examples: ['tele/+/LWT'],
    }),
    topics: z.int().meta({
      description: 'Number of topic filters in the group. 1 without `grouped`.',
      examples: [214],
    }),
    messages: z.int().meta({ description: 'The number of messages.', examples: [12] }),
    firstAt: timeSchema.describe('When the first message was received.'),
    lastAt: timeSchema.describe('When the last message was received.'),
    clients: z.array(z.string()).meta({
      description:
        'The user names of the last 10 clients that published these messages, latest first. Devices use their external ID as the user name.',
      examples: [['plug-1']],
    }),
    lastMessage: z
      .object({
        topic: z.string().meta({ description: 'The topic of the message.', examples: ['tele/plug-1/LWT'] }),
        payload: z
          .string()
          .nullable()
          .meta({
            description: 'The first 4 KiB of the payload as text. `null` if the payload is binary.',
            examples: ['Online'],
          }),
        bytes: z.int().meta({ description: 'The size of the whole payload, in bytes.', examples: [6] }),
        truncated: z.boolean().meta({ description: 'Whether `payload` is truncated.', examples: [false] }),
        retained: z
          .boolean()
          .meta({ description: 'Whether the message was published with the retain flag.', examples: [true] }),
      })
      .describe('The last message.'),
  })
  .meta({
    id: 'UnroutedTopic',
    description: 'Acknowledged messages that match no running pipeline.',
  });
export type UnroutedTopic = z.infer<typeof unroutedTopicSchema>;

export const unroutedSorts = ['lastAt', 'firstAt', 'messages', 'topicFilter'] as const;

const tag = 'Pipelines';

/** Endpoints for messages to the embedded broker that match no running pipeline. */
export const unroutedApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/unrouted',
    scope: 'pipelines:read',
    query: listQuery(unroutedSorts, {
      q: searchSchema,
      grouped: z
        .boolean()
        .default(false)
        .describe('`true`: 10 or more topics that differ in only one level are one item.'),
    }),
    status: 200,
    response: pageOf(unroutedTopicSchema).extend({
      others: z
        .object({ messages: z.int().meta({ description: 'The number of messages.', examples: [0] }) })
        .describe(
          'Messages whose topic filters are no longer listed. The list keeps the latest 2,000 topic filters.',
        ),
    }),
    doc: {
      tag,
      summary: 'List unrouted messages',
      description:
        'Lists messages to the embedded MQTT broker that match no running pipeline, by topic filter, the latest first by default. To receive these messages, create an `mqtt` pipeline with their topic filter: topics that a running pipeline receives are no longer listed. With `MQTT_UNROUTED=refuse` the broker rejects these messages, and the list stays empty.',
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
        .meta({
          description: 'Clears the topics that match this filter. Defaults to all.',
          examples: ['tele/+/LWT'],
        }),
    }),
    status: 200,
    response: z.object({
      deleted: z.int().meta({ description: 'The number of topic filters deleted.', examples: [3] }),
    }),
    doc: {
      tag,
      summary: 'Clear unrouted messages',
      description: 'Deletes the recorded messages. Messages that arrive later are recorded again.',
    },
  }),
};
