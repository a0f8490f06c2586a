import * as z from 'zod';
import { externalIdSchema } from './devices.ts';

/** The topic that devices publish to unless a pipeline says otherwise; `+` is the device's external id. */
export const DEVICE_TOPIC = 'v1/devices/+/telemetry';

/** MQTT 3.1.1, 4.7.1: `+` and `#` fill a whole level, and `#` is the last one. */
const isTopicFilter = (text: string): boolean =>
  text
    .split('/')
    .every(
      (level, index, levels) =>
        level === '+' || (level === '#' && index === levels.length - 1) || !/[+#\0]/.test(level),
    );

const topicFilter = z
  .string()
  .min(1, 'Must not be empty.')
  .max(1_024, 'Must be at most 1,024 characters.')
  .refine(isTopicFilter, '+ and # must fill a whole level, and # may only be the last one.')
  .refine((text) => !text.startsWith('$'), 'Must not begin with $: those topics are the broker’s own.');

const onUnknownDevice = z
  .enum(['register', 'reject'])
  .default('register')
  .describe('A device that is not known yet is registered on first sight, or its messages are rejected.')
  .meta({ title: 'Unknown devices' });

const defaultDevice = externalIdSchema
  .optional()
  .describe('The device of a message that names none.')
  .meta({ title: 'Device' });

/** What `config` holds, by the type of the pipeline. Adding a type is its schema here and one source in the service. */
export const pipelineConfigs = {
  host: z.strictObject({
    device: externalIdSchema
      .optional()
      .describe('The device that stands for this machine; left out: a slug of its name.')
      .meta({ title: 'Device' }),
    onUnknownDevice,
  }),
  http: z.strictObject({ device: defaultDevice, onUnknownDevice }),
  mqtt: z.strictObject({
    topic: topicFilter
      .default(DEVICE_TOPIC)
      .describe('The topics whose messages it takes; the first + is the device.')
      .meta({ title: 'Topic' }),
    qos: z
      .literal([0, 1, 2])
      .default(1)
      .describe('The QoS to ask of a broker elsewhere; the one built in takes what each sender chooses.')
      .meta({ title: 'QoS' }),
    device: defaultDevice,
    onUnknownDevice,
  }),
};
export type PipelineTypeName = keyof typeof pipelineConfigs;
export type PipelineConfig<T extends PipelineTypeName> = z.output<(typeof pipelineConfigs)[T]>;
