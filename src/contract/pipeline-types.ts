import * as z from 'zod';
import { addressOf, headersField, REFERENCE_HELP, secretField, userField } from './connection-fields.ts';
import { externalIdSchema } from './devices.ts';
import { LIMITS, metricNameSchema } from './telemetry.ts';

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

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/** The IANA name of a time zone. A fixed offset such as +02:00 is not accepted. */
export const timeZoneSchema = z
  .string()
  .max(64)
  .refine(
    (name) => /^[A-Za-z]/.test(name) && isTimeZone(name),
    'Must be the IANA name of a time zone, for example Europe/Berlin.',
  );

/** How the timestamps of messages are read. */
const timestampFields = {
  timeZone: timeZoneSchema
    .default('UTC')
    .describe('The time zone of timestamps that do not include one, for example Europe/Berlin.')
    .meta({ title: 'Time zone' }),
  allowOld: z
    .boolean()
    .default(false)
    .describe('Accept timestamps before 2000. By default they are rejected.')
    .meta({ title: 'Allow old timestamps' }),
};

/** Where a Modbus value stands: `address` counts from 0, as it is sent. */
const registerSchema = z
  .strictObject({
    metric: metricNameSchema,
    address: z
      .int('Must be a whole number.')
      .min(0, 'Must be at least 0.')
      .max(65_535, 'Must be at most 65,535.'),
    kind: z.enum(['holding', 'input', 'coil', 'discrete']).default('holding'),
    type: z
      .enum(['uint16', 'int16', 'uint32', 'int32', 'uint64', 'int64', 'float32', 'float64', 'bool'])
      .optional(),
    wordOrder: z.enum(['big', 'little']).default('big'),
    scale: z.number('Must be a number.').default(1),
    offset: z.number('Must be a number.').default(0),
  })
  .superRefine(({ kind, type }, context) => {
    if ((kind === 'coil' || kind === 'discrete') && type !== undefined && type !== 'bool')
      context.addIssue({
        code: 'custom',
        path: ['type'],
        message: `A ${kind === 'coil' ? 'coil' : 'discrete input'} is one bit: leave it out, or say bool.`,
      });
  });
export type ModbusRegister = z.output<typeof registerSchema>;

/** What `config` holds, by the type of the pipeline. Adding a type is its schema here and one source in the service. */
export const pipelineConfigs = {
  host: z.strictObject({
    device: externalIdSchema
      .optional()
      .describe('The device that stands for this machine; left out: a slug of its name.')
      .meta({ title: 'Device' }),
    onUnknownDevice,
  }),
  http: z.strictObject({ device: defaultDevice, onUnknownDevice, ...timestampFields }),
  'http-poll': z.strictObject({
    url: addressOf(/^https?$/, 'http:// or https://')
      .describe('What is asked for each interval: JSON or Prometheus text. Secrets belong into headers.')
      .meta({ title: 'Address', examples: ['http://10.0.0.5:9100/metrics'] }),
    headers: headersField
      .describe(`Headers of each request. Their values are secrets. ${REFERENCE_HELP}`)
      .meta({ title: 'Headers', writeOnly: true, examples: [{ Authorization: 'Bearer …' }] }),
    timeout: z
      .int('Must be a whole number of seconds.')
      .min(1, 'Must be at least 1 s.')
      .max(60, 'Must be at most 60 s.')
      .default(10)
      .describe('How many seconds the answer may take.')
      .meta({ title: 'Timeout' }),
    device: defaultDevice,
    onUnknownDevice,
    ...timestampFields,
  }),
  modbus: z.strictObject({
    host: z
      .string()
      .regex(/^[A-Za-z0-9._:-]+$/, 'Must be a name or an address.')
      .max(253, 'Must be at most 253 characters.')
      .describe('Its name or address.')
      .meta({ title: 'Host', examples: ['10.0.0.20'] }),
    port: z
      .int('Must be a whole number.')
      .min(1, 'Must be at least 1.')
      .max(65_535, 'Must be at most 65,535.')
      .default(502)
      .describe('The port of Modbus TCP.')
      .meta({ title: 'Port' }),
    unit: z
      .int('Must be a whole number.')
      .min(0, 'Must be at least 0.')
      .max(255, 'Must be at most 255.')
      .default(1)
      .describe('The unit behind a gateway.')
      .meta({ title: 'Unit' }),
    registers: z
      .array(registerSchema)
      .min(1, 'Must name at least one register.')
      .max(LIMITS.metricsPerSample, `Must be at most ${LIMITS.metricsPerSample} registers.`)
      .superRefine((registers, context) => {
        const seen = new Set<string>();
        for (const [index, { metric }] of registers.entries()) {
          if (seen.has(metric))
            context.addIssue({
              code: 'custom',
              path: [index, 'metric'],
              message: `${metric} is there twice.`,
            });
          seen.add(metric);
        }
      })
      .describe(
        'What is read, as a list of { metric, address, kind, type, wordOrder, scale, offset }: kind is holding, input, coil or discrete; address counts from 0; the value is scale × what is read + offset.',
      )
      .meta({
        title: 'Registers',
        examples: [[{ metric: 'temperature', address: 0, kind: 'input', type: 'int16', scale: 0.1 }]],
      }),
    device: externalIdSchema
      .optional()
      .describe('The device whose values these are; left out: a slug of the pipeline’s name.')
      .meta({ title: 'Device' }),
    onUnknownDevice,
  }),
  nats: z.strictObject({
    url: addressOf(/^(nats|tls)$/, 'nats:// or tls://')
      .describe('The server; tls:// for a connection over TLS.')
      .meta({ title: 'Server', examples: ['tls://nats.example.com:4222'] }),
    subject: z
      .string()
      .max(256, 'Must be at most 256 characters.')
      .regex(
        /^([^\s.*>]+|\*)(\.([^\s.*>]+|\*))*(\.>)?$|^>$/,
        'Must be parts with dots between; * is one part, a last > all that follow.',
      )
      .describe('The subjects whose messages it takes; the first * is the device.')
      .meta({ title: 'Subject', examples: ['devices.*.telemetry'] }),
    stream: z
      .string()
      .regex(/^[^\s.*>/\\]+$/, 'Must not be empty, nor hold spaces, dots, *, > or slashes.')
      .max(255, 'Must be at most 255 characters.')
      .optional()
      .describe('The stream that holds them; left out: the one that has the subject.')
      .meta({ title: 'Stream' }),
    username: userField,
    password: secretField('Password', 'The password of that user.'),
    token: secretField('Token', 'Where the server takes a token rather than a user.'),
    device: defaultDevice,
    onUnknownDevice,
    ...timestampFields,
  }),
  mqtt: z.strictObject({
    url: addressOf(/^(mqtts?|wss?)$/, 'mqtt://, mqtts://, ws:// or wss://')
      .optional()
      .describe('The broker; left out: the one built in.')
      .meta({ title: 'Broker', examples: ['mqtts://broker.example.com:8883'] }),
    topic: topicFilter
      .default(DEVICE_TOPIC)
      .describe('The topics whose messages it takes; the first + is the device.')
      .meta({ title: 'Topic' }),
    qos: z
      .literal([0, 1, 2])
      .default(1)
      .describe('The QoS to ask of a broker elsewhere; the one built in takes what each sender chooses.')
      .meta({ title: 'QoS' }),
    username: userField,
    password: secretField('Password', 'The password of that user.'),
    sharedGroup: z
      .string()
      .regex(/^[^/+#\0]+$/, 'Must not be empty, nor contain /, + or #.')
      .max(128, 'Must be at most 128 characters.')
      .optional()
      .describe(
        'Shares the messages with all who subscribe under the same name, each message to one of them.',
      )
      .meta({ title: 'Shared group' }),
    protocol: z
      .enum(['5', '3.1.1'])
      .default('5')
      .describe('The version of MQTT that the broker speaks.')
      .meta({ title: 'MQTT version' }),
    device: defaultDevice,
    onUnknownDevice,
    ...timestampFields,
  }),
};
export type PipelineTypeName = keyof typeof pipelineConfigs;
export type PipelineConfig<T extends PipelineTypeName> = z.output<(typeof pipelineConfigs)[T]>;
