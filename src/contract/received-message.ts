import * as z from 'zod';

/** The device that a message has apart from its content and the pipeline. */
export const defaultDeviceSchema = z
  .string()
  .nullable()
  .meta({
    description:
      'The device in the topic or of the sender (`?device=`), for samples that name no device. `null` if there is none.',
    examples: ['boiler-7'],
  });

export const receivedMessageSchema = z
  .object({
    message: z
      .string()
      .meta({ description: 'The first 64 KiB of the message.', examples: ['{"temperature":21.5}'] }),
    truncated: z.boolean().meta({
      description: 'Whether `message` is truncated or differs from the received bytes.',
      examples: [false],
    }),
    topic: z
      .string()
      .nullable()
      .meta({
        description: 'The topic or subject of the message. `null` if it has none.',
        examples: ['v1/devices/boiler-7/telemetry'],
      }),
    device: z
      .string()
      .nullable()
      .meta({
        description:
          'The device of a message that names no device: from its topic, its sender or the pipeline. `null` if there is none.',
        examples: ['boiler-7'],
      }),
  })
  .meta({ id: 'ReceivedMessage', description: 'A message as its source received it.' });
export type ReceivedMessage = z.infer<typeof receivedMessageSchema>;
