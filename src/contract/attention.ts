import * as z from 'zod';
import { partySchema } from './events.ts';
import { timeSchema } from './paging.ts';

/** What can need attention, worst first. More kinds may be added, so a client accepts any string. */
export const attentionKinds = [
  'storage-full',
  'storage-read-only',
  'storage-damaged',
  'pipeline-failed',
  'samples-rejected',
  'devices-offline',
  'pipeline-degraded',
  'storage-low',
  'webhook-failing',
  'api-key-refused',
  'api-key-expiring',
  'pipeline-paused',
  'messages-skipped',
  'samples-overwritten',
  'messages-unrouted',
  'pipeline-draft',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** The number of entries that an overview lists. It counts the others. */
export const ATTENTION_ITEMS = 50;

export const attentionItemSchema = z
  .object({
    id: z.string().meta({
      description: 'Identifies the entry for as long as the problem lasts.',
      examples: ['rejected pip_01jz3k5v8cf6n9qw2r4t7y0abd ts-too-far-ahead'],
    }),
    kind: z.string().meta({
      description: [
        '`storage-full`, `storage-read-only`: the disk rejects writes.',
        '`storage-damaged`: Penstock cannot use a file, or only a part of it.',
        '`storage-low`: the disk is low on space.',
        '`pipeline-failed`, `pipeline-degraded`, `pipeline-draft`: the state of the pipeline.',
        '`samples-rejected`: 30 % or more of the recent samples of a device were rejected.',
        '`devices-offline`: a device is offline. More than 5 devices are one entry.',
        '`webhook-failing`: a webhook does not deliver events.',
        '`api-key-refused`: a client uses a revoked or expired API key.',
        '`api-key-expiring`: an API key in use expires within 14 days. More than 5 keys are one entry.',
        '`pipeline-paused`: messages arrive for a paused pipeline.',
        '`messages-skipped`: the expression of a pipeline has stopped returning samples.',
        '`samples-overwritten`: samples replaced stored samples with other values.',
        '`messages-unrouted`: MQTT messages match no running pipeline.',
        'More kinds may be added.',
      ].join(' '),
      examples: ['samples-rejected'],
    }),
    severity: z
      .enum(['critical', 'warning'])
      .describe(
        '`critical`: failed pipelines, devices that are offline or whose samples are rejected, and disks that reject writes or files that are damaged. `warning`: anything else.',
      ),
    subject: partySchema
      .nullable()
      .describe(
        'The affected resource. `null`: the service, the unrouted messages, or several offline devices or expiring keys.',
      ),
    reason: z
      .string()
      .nullable()
      .meta({
        description:
          'The reason code of the pipeline state or of the rejected samples. `gone` for `webhook-failing`, if Penstock paused the webhook because its receiver answered 410. `revoked` or `expired` for `api-key-refused`. `null` for other kinds.',
        examples: ['ts-too-far-ahead'],
      }),
    detail: z
      .string()
      .meta({ description: 'Human-readable details. May be empty.', examples: ['In pipeline Plant.'] }),
    devices: z
      .int()
      .nullable()
      .meta({ description: 'The number of affected devices. `null` if unknown.', examples: [12] }),
    count: z
      .int()
      .nullable()
      .meta({
        description:
          'Number of occurrences since `since`: rejected or overwritten samples, messages, rejected requests, or events that wait for delivery. For `api-key-expiring`, the number of keys. `null` for other kinds.',
        examples: [340],
      }),
    groups: z
      .object({
        by: z.string().meta({
          description:
            '`type`, or `tag:` and the key of a tag: what most of the devices share and others do not.',
          examples: ['tag:site'],
        }),
        data: z
          .array(
            z.object({
              value: z
                .string()
                .meta({ description: 'The type or the value of the tag.', examples: ['Lyon'] }),
              devices: z.int().meta({ description: 'The number of affected devices.', examples: [12] }),
            }),
          )
          .describe('The groups, largest first.'),
      })
      .nullable()
      .describe(
        'For several offline devices: the three largest groups by type or by a tag. `null` for other entries, and if the devices have no type.',
      ),
    since: timeSchema.nullable().describe('When the problem began. `null` if unknown.'),
    lastAt: timeSchema.nullable().describe('When the problem last occurred. `null` for a state that lasts.'),
    lastSeenAt: timeSchema
      .nullable()
      .describe('When an offline device was last seen. `null` for other entries and for several devices.'),
  })
  .meta({ id: 'AttentionItem', description: 'Something that needs the attention of an operator.' });
export type AttentionItem = z.infer<typeof attentionItemSchema>;

export const attentionSchema = z
  .object({
    total: z.int().describe('The number of entries, including those that are not listed.'),
    items: z.array(attentionItemSchema).describe('The most severe entries, in order of severity.'),
  })
  .meta({ id: 'Attention', description: 'What needs the attention of an operator.' });
export type Attention = z.infer<typeof attentionSchema>;
