import * as z from 'zod';
import { addressOf, headersField, REFERENCE_HELP, secretField, userField } from './connection-fields.ts';

/** The largest number of samples in one delivery: the default, and the upper limit of the setting. */
const BATCH = { preset: 5_000, most: 10_000 };

const batchSize = z
  .int('Must be a whole number.')
  .min(1, 'Must be at least 1.')
  .max(BATCH.most, `Must be at most ${BATCH.most.toLocaleString('en')}.`)
  .default(BATCH.preset)
  .describe('The largest number of samples in one delivery.')
  .meta({ title: 'Batch size' });

/** A table name that SQL accepts without quotes, optionally with a schema. */
const tableName = z
  .string()
  .regex(
    /^[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?$/,
    'Must contain only lower-case letters, digits and _, optionally after a schema and a dot.',
  );

/** The placeholder for the device in a topic or subject. */
export const DEVICE_PLACE = '{device}';

const named = (word: string, forbidden: RegExp, why: string) =>
  z
    .string()
    .min(1, 'Must not be empty.')
    .max(512, 'Must be at most 512 characters.')
    .refine((text) => !forbidden.test(text), why)
    .describe(`The ${word} for the samples of a device. ${DEVICE_PLACE} is replaced by its external ID.`);

/** The URL schemas of destination types. Types that are missing have no URL. */
export const destinationUrls = {
  postgres: addressOf(/^postgres(ql)?$/, 'postgres://')
    .describe('The server, followed by / and the database.')
    .meta({ title: 'Database', examples: ['postgres://db.example.com:5432/plant'] }),
  influxdb: addressOf(/^https?$/, 'http:// or https://')
    .describe('The server, with the path before /write if it has one.')
    .meta({ title: 'Server', examples: ['http://influx.example.com:8086'] }),
  mqtt: addressOf(/^(mqtts?|wss?)$/, 'mqtt://, mqtts://, ws:// or wss://')
    .describe('The broker.')
    .meta({ title: 'Broker', examples: ['mqtts://broker.example.com:8883'] }),
  nats: addressOf(/^(nats|tls)$/, 'nats:// or tls://')
    .describe('The server. Use tls:// to connect over TLS.')
    .meta({ title: 'Server', examples: ['tls://nats.example.com:4222'] }),
  webhook: addressOf(/^https?$/, 'http:// or https://')
    .describe('The URL that receives POST requests.')
    .meta({ title: 'Address', examples: ['https://hooks.example.com/samples'] }),
};

/** The schema of `options` for each type. To add a type, add its schema here and one file in the service. */
export const destinationOptions = {
  telemetry: z.strictObject({}),
  postgres: z.strictObject({
    username: userField,
    password: secretField('Password', 'The password of the user.'),
    table: tableName
      .default('penstock_samples')
      .describe('The table for the samples. Penstock creates it if it is missing.')
      .meta({ title: 'Table' }),
    sslmode: z
      .enum(['disable', 'require', 'verify-full'])
      .default('disable')
      .describe(
        'disable: no TLS. require: TLS with any certificate. verify-full: TLS with a verified certificate.',
      )
      .meta({ title: 'TLS' }),
    batchSize,
  }),
  influxdb: z
    .strictObject({
      database: z
        .string()
        .min(1, 'Must not be empty.')
        .max(256, 'Must be at most 256 characters.')
        .optional()
        .describe('The database of InfluxDB 1 or a compatible server.')
        .meta({ title: 'Database' }),
      organization: z
        .string()
        .min(1, 'Must not be empty.')
        .max(256, 'Must be at most 256 characters.')
        .optional()
        .describe('The organization of InfluxDB 2, together with a bucket.')
        .meta({ title: 'Organization' }),
      bucket: z
        .string()
        .min(1, 'Must not be empty.')
        .max(256, 'Must be at most 256 characters.')
        .optional()
        .describe('The bucket of InfluxDB 2. Used instead of a database.')
        .meta({ title: 'Bucket' }),
      measurement: z
        .string()
        .regex(/^(?!#)[^\p{Cc}]+$/u, 'Must not be empty, begin with # or contain control characters.')
        .max(128, 'Must be at most 128 characters.')
        .default('penstock')
        .describe('The measurement. The device becomes a tag, each metric a field.')
        .meta({ title: 'Measurement' }),
      username: userField,
      password: secretField('Password', 'The password of the user (InfluxDB 1).'),
      token: secretField('Token', 'The API token of InfluxDB 2. Used instead of a user and password.'),
      batchSize,
    })
    .superRefine(({ database, bucket, organization }, context) => {
      const report = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message });
      if (database === undefined && bucket === undefined)
        report('database', 'Enter a database (InfluxDB 1), or a bucket and its organization (InfluxDB 2).');
      if (database !== undefined && bucket !== undefined)
        report('bucket', 'Enter a database or a bucket, not both.');
      if (bucket !== undefined && organization === undefined)
        report('organization', 'Enter the organization of the bucket.');
    }),
  mqtt: z.strictObject({
    topic: named('topic', /[+#\0]|^\$/u, 'Must not contain + or #, or begin with $.')
      .default(`penstock/${DEVICE_PLACE}/telemetry`)
      .meta({ title: 'Topic' }),
    qos: z
      .literal([1, 2])
      .default(1)
      .describe('The QoS of published messages. With QoS 0 the broker does not acknowledge messages.')
      .meta({ title: 'QoS' }),
    username: userField,
    password: secretField('Password', 'The password of the user.'),
    protocol: z
      .enum(['5', '3.1.1'])
      .default('5')
      .describe('The MQTT version of the broker.')
      .meta({ title: 'MQTT version' }),
    batchSize,
  }),
  nats: z.strictObject({
    subject: named(
      'subject',
      /[\s*>]|^\.|\.$|\.\./u,
      'Must be parts separated by dots, without spaces, * or >.',
    )
      .default(`penstock.${DEVICE_PLACE}.telemetry`)
      .describe(
        `The subject for the samples of a device. ${DEVICE_PLACE} is replaced by its external ID, in which each dot becomes _.`,
      )
      .meta({ title: 'Subject' }),
    username: userField,
    password: secretField('Password', 'The password of the user.'),
    token: secretField('Token', 'The token, if the server uses tokens instead of users.'),
    batchSize,
  }),
  webhook: z.strictObject({
    headers: headersField
      .describe(`Headers of each request. Header values are secrets. ${REFERENCE_HELP}`)
      .meta({ title: 'Headers', writeOnly: true, examples: [{ Authorization: 'Bearer …' }] }),
    batchSize,
  }),
  file: z.strictObject({
    format: z
      .enum(['ndjson', 'csv'])
      .default('ndjson')
      .describe(
        'ndjson: one object per line, with the samples of a device at one timestamp. csv: one sample per line.',
      )
      .meta({ title: 'Format' }),
    folder: z
      .string()
      .regex(
        /^(?!\.)[A-Za-z0-9._-]+$/,
        'Must contain only letters, digits and . _ -, and not begin with a dot.',
      )
      .max(64, 'Must be at most 64 characters.')
      .optional()
      .describe('The folder below “exports” in the data directory. Defaults to the ID of the destination.')
      .meta({ title: 'Folder' }),
    rotateMegabytes: z
      .int('Must be a whole number.')
      .min(1, 'Must be at least 1.')
      .max(10_000, 'Must be at most 10,000.')
      .default(100)
      .describe('Start a new file when the current file reaches this size, in MB.')
      .meta({ title: 'Maximum file size', unit: 'MB' }),
    rotateHours: z
      .int('Must be a whole number.')
      .min(1, 'Must be at least 1.')
      .max(8_760, 'Must be at most 8,760 (a year).')
      .default(24)
      .describe('Start a new file when the current file reaches this age, in hours.')
      .meta({ title: 'Maximum file age', unit: 'hours' }),
    keepFiles: z
      .int('Must be a whole number.')
      .min(1, 'Must be at least 1.')
      .max(100_000, 'Must be at most 100,000.')
      .optional()
      .describe('The number of closed files to keep. Older files are deleted. Defaults to all.')
      .meta({ title: 'Files to keep' }),
    batchSize,
  }),
};
export type DestinationTypeName = keyof typeof destinationOptions;
/** The types of external destinations: all except `telemetry`, the built-in store. */
export type ExternalTypeName = Exclude<DestinationTypeName, 'telemetry'>;
export type DestinationOptions<T extends DestinationTypeName> = z.output<(typeof destinationOptions)[T]>;
