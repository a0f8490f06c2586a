import * as z from 'zod';
import { addressOf, headersField, REFERENCE_HELP, secretField, userField } from './connection-fields.ts';
import { wrongType } from './describe-issue.ts';
import { externalIdSchema } from './devices.ts';
import { LIMITS } from './sample-rules.ts';
import { metricNameSchema } from './telemetry.ts';

/** The default topic of devices. `+` is the external ID of the device. */
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
  .refine((text) => !text.startsWith('$'), 'Must not begin with $. The broker reserves these topics.');

const onUnknownDevice = z
  .enum(['register', 'reject'])
  .default('register')
  .describe('Whether Penstock registers an unknown device on its first message, or rejects its messages.')
  .meta({ title: 'Unknown devices' });

const defaultDevice = externalIdSchema
  .optional()
  .describe('The device of messages that do not name one.')
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

const metricPatterns = z
  .array(
    z
      .string()
      .min(1, 'Must not be empty.')
      .max(128, 'Must be at most 128 characters.')
      .regex(
        /^[\p{L}\p{N}._\-/:*]*$/u,
        'Patterns contain letters, digits, . _ - / : and * for any characters.',
      ),
  )
  .max(100, 'Must be at most 100 patterns.')
  .optional();

/** Which metrics a pipeline stores. */
export const metricPatternFields = {
  include: metricPatterns
    .describe('Patterns of the metrics to store. * stands for any characters. Defaults to all metrics.')
    .meta({ title: 'Include metrics', examples: [['temperature', 'battery.*']] }),
  exclude: metricPatterns
    .describe(
      'Patterns of metrics to leave out, even if they are included. Samples of these metrics are not rejected.',
    )
    .meta({ title: 'Exclude metrics', examples: [['*.rssi', 'linkquality']] }),
};

/** A Modbus register. `address` starts at 0, as in the protocol. */
const registerSchema = z
  .strictObject({
    metric: metricNameSchema,
    address: z
      .int({ error: wrongType('Must be a whole number.') })
      .min(0, 'Must be at least 0.')
      .max(65_535, 'Must be at most 65,535.'),
    kind: z.enum(['holding', 'input', 'coil', 'discrete']).default('holding'),
    type: z
      .enum(['uint16', 'int16', 'uint32', 'int32', 'uint64', 'int64', 'float32', 'float64', 'bool'])
      .optional()
      .describe('Defaults to uint16, and to bool for coils and discrete inputs.'),
    wordOrder: z.enum(['big', 'little']).default('big'),
    scale: z.number('Must be a number.').default(1),
    offset: z.number('Must be a number.').default(0),
  })
  .superRefine(({ kind, type }, context) => {
    if ((kind === 'coil' || kind === 'discrete') && type !== undefined && type !== 'bool')
      context.addIssue({
        code: 'custom',
        path: ['type'],
        message: `A ${kind === 'coil' ? 'coil' : 'discrete input'} is one bit. Omit the type or use bool.`,
      });
  });
export type ModbusRegister = z.output<typeof registerSchema>;

/** Whether a host is followed by a port. An IPv6 address has at least two colons. */
export const hasPort = (host: string): boolean => host.split(':').length === 2;

/** The schema of `config` for each type. To add a type, add its schema here and one source in the service. */
export const pipelineConfigs = {
  host: z.strictObject({
    device: externalIdSchema
      .optional()
      .describe('The device that represents this machine. Defaults to a slug of the host name.')
      .meta({ title: 'Device' }),
    onUnknownDevice,
    ...metricPatternFields,
  }),
  http: z.strictObject({
    device: defaultDevice,
    onUnknownDevice,
    ...timestampFields,
    ...metricPatternFields,
  }),
  'http-poll': z.strictObject({
    url: addressOf(/^https?$/, 'http:// or https://')
      .describe(
        'The URL to poll at each interval. It returns JSON or Prometheus text. Put secrets in headers, not in the URL.',
      )
      .meta({ title: 'Address', examples: ['http://10.0.0.5:9100/metrics'] }),
    headers: headersField
      .describe(`Headers of each request. Header values are secrets. ${REFERENCE_HELP}`)
      .meta({ title: 'Headers', writeOnly: true, examples: [{ Authorization: 'Bearer …' }] }),
    timeout: z
      .int('Must be a whole number of seconds.')
      .min(1, 'Must be at least 1 s.')
      .max(60, 'Must be at most 60 s.')
      .default(10)
      .describe('The timeout for a response, in seconds.')
      .meta({ title: 'Timeout', unit: 's' }),
    device: defaultDevice,
    onUnknownDevice,
    ...timestampFields,
    ...metricPatternFields,
  }),
  modbus: z.strictObject({
    host: z
      .string()
      .regex(/^[A-Za-z0-9._:-]+$/, 'Must be a host name or an IP address.')
      .max(253, 'Must be at most 253 characters.')
      .refine((text) => !hasPort(text), 'Must not include a port. Enter it under Port.')
      .describe('The host name or IP address, without a port.')
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
      .describe('The unit ID of the device behind a gateway.')
      .meta({ title: 'Unit' }),
    registers: z
      .array(registerSchema)
      .min(1, 'Must contain at least one register.')
      .max(LIMITS.metricsPerTimestamp, `Must be at most ${LIMITS.metricsPerTimestamp} registers.`)
      .superRefine((registers, context) => {
        const seen = new Set<string>();
        for (const [index, { metric }] of registers.entries()) {
          if (seen.has(metric))
            context.addIssue({
              code: 'custom',
              path: [index, 'metric'],
              message: `${metric} appears more than once.`,
            });
          seen.add(metric);
        }
      })
      .describe(
        'The registers to read. Addresses start at 0, as in the protocol: 40001 in a manual is the holding register with address 0. The value is scale × register + offset.',
      )
      .meta({
        title: 'Registers',
        examples: [[{ metric: 'temperature', address: 0, kind: 'input', type: 'int16', scale: 0.1 }]],
      }),
    device: externalIdSchema
      .optional()
      .describe('The device of these samples. Defaults to a slug of the pipeline name.')
      .meta({ title: 'Device' }),
    onUnknownDevice,
  }),
  nats: z.strictObject({
    url: addressOf(/^(nats|tls)$/, 'nats:// or tls://')
      .describe('The server. Use tls:// to connect over TLS.')
      .meta({ title: 'Server', examples: ['tls://nats.example.com:4222'] }),
    subject: z
      .string()
      .max(256, 'Must be at most 256 characters.')
      .regex(
        /^([^\s.*>]+|\*)(\.([^\s.*>]+|\*))*(\.>)?$|^>$/,
        'Must be parts separated by dots. * matches one part, > at the end matches all following parts.',
      )
      .describe('The subjects to subscribe to. The first * is the device.')
      .meta({ title: 'Subject', examples: ['devices.*.telemetry'] }),
    stream: z
      .string()
      .regex(/^[^\s.*>/\\]+$/, 'Must not be empty or contain spaces, dots, *, > or slashes.')
      .max(255, 'Must be at most 255 characters.')
      .optional()
      .describe('The stream to read from. Defaults to the stream of the subject.')
      .meta({ title: 'Stream' }),
    username: userField,
    password: secretField('Password', 'The password of the user.'),
    token: secretField('Token', 'The token, if the server uses tokens instead of users.'),
    device: defaultDevice,
    onUnknownDevice,
    ...timestampFields,
    ...metricPatternFields,
  }),
  mqtt: z.strictObject({
    url: addressOf(/^(mqtts?|wss?)$/, 'mqtt://, mqtts://, ws:// or wss://')
      .optional()
      .describe('The MQTT broker. Defaults to the embedded broker.')
      .meta({ title: 'Broker', examples: ['mqtts://broker.example.com:8883'] }),
    topic: topicFilter
      .default(DEVICE_TOPIC)
      .describe('The topics to subscribe to. The first + is the device.')
      .meta({ title: 'Topic' }),
    qos: z
      .literal([0, 1, 2])
      .default(1)
      .describe(
        'The QoS of the subscription to an external broker. With the embedded broker, each sender chooses.',
      )
      .meta({ title: 'QoS' }),
    username: userField,
    password: secretField('Password', 'The password of the user.'),
    sharedGroup: z
      .string()
      .regex(/^[^/+#\0]+$/, 'Must not be empty or contain /, + or #.')
      .max(128, 'Must be at most 128 characters.')
      .optional()
      .describe(
        'Distributes messages among all subscribers of the same group. Each message goes to one subscriber.',
      )
      .meta({ title: 'Shared group' }),
    protocol: z
      .enum(['5', '3.1.1'])
      .default('5')
      .describe('The MQTT version of the broker.')
      .meta({ title: 'MQTT version' }),
    device: defaultDevice,
    onUnknownDevice,
    ...timestampFields,
    ...metricPatternFields,
  }),
};
export type PipelineTypeName = keyof typeof pipelineConfigs;
export type PipelineConfig<T extends PipelineTypeName> = z.output<(typeof pipelineConfigs)[T]>;
