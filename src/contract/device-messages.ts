import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { timeSchema } from './paging.ts';
import { receivedMessageSchema } from './received-message.ts';
import { rejectionSchema } from './rejections.ts';

/** The shown part of a message of a device. */
export const DEVICE_MESSAGE_BYTES = 4_096;

const pipelineId = idSchema('pip').describe('The ID of the pipeline.');

export const deviceMessagesSchema = z
  .object({
    since: timeSchema.describe('When the service started. The last messages are kept in memory since then.'),
    pipelines: z
      .array(
        z.object({
          id: pipelineId,
          name: z.string().meta({ description: 'The name of the pipeline.', examples: ['Boilers'] }),
          lastMessageAt: timeSchema
            .nullable()
            .describe(
              'When the pipeline last received a message with samples of the device. `null`: not since the service started.',
            ),
          rejected: z
            .int()
            .meta({ description: 'Number of samples in stored rejections of the device.', examples: [0] }),
          lastRejectedAt: timeSchema
            .nullable()
            .describe('When the latest stored rejection occurred. `null` if there is none.'),
        }),
      )
      .describe('The pipelines that received messages of the device, latest first.'),
    messages: z
      .array(
        receivedMessageSchema.omit({ device: true }).extend({
          pipelineId,
          at: timeSchema.describe('When the message was received.'),
          message: z
            .string()
            .meta({ description: 'The first 4 KiB of the message.', examples: ['{"temperature":21.5}'] }),
          samples: z.int().meta({ description: 'Number of samples in the message.', examples: [1] }),
          rejected: z.int().meta({
            description: 'Number of samples of the message that were rejected when it was received.',
            examples: [0],
          }),
          rejections: z
            .array(rejectionSchema.pick({ id: true, reason: true, detail: true }))
            .describe(
              'Why samples of the message were rejected, one for each reason. Empty if the rejections are deleted, or not among the latest 20 of the device.',
            ),
        }),
      )
      .describe('The last message of each pipeline, and the last rejected messages, newest first.'),
  })
  .meta({ id: 'DeviceMessages', description: 'What pipelines received from a device.' });
export type DeviceMessages = z.infer<typeof deviceMessagesSchema>;
export type DeviceMessage = DeviceMessages['messages'][number];

export const deviceMessagesApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/devices/{id}/messages',
    scope: 'pipelines:read',
    params: z.object({ id: idSchema('dev').describe('The ID of the device.') }),
    status: 200,
    response: deviceMessagesSchema,
    doc: {
      tag: 'Devices',
      summary: 'Read the last messages of a device',
      description:
        'Returns the pipelines that received messages of the device, and the last of these messages. A message belongs to the device if all of its samples name the device, or if its topic or sender does. The last message of each pipeline is kept in memory until the service stops. Rejected messages are those of the list of rejections.',
    },
  }),
};
