import * as z from 'zod';
import { addressOf, headersField, REFERENCE_HELP, secretField, userField } from './connection-fields.ts';

/** How many values go out together at most, and the most that may be asked for. */
const BATCH = { preset: 5_000, most: 10_000 };

const batchSize = z
  .int('Must be a whole number.')
  .min(1, 'Must be at least 1.')
  .max(BATCH.most, `Must be at most ${BATCH.most.toLocaleString('en')}.`)
  .default(BATCH.preset)
  .describe('How many values go out together at most.')
  .meta({ title: 'Values at once' });

/** A name that SQL takes without quotes, in a schema or not. */
const tableName = z
  .string()
  .regex(
    /^[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?$/,
    'Must be small letters, digits and _, with the schema and a dot before it where there is one.',
  );

/** Where the device is named in a topic or subject. */
export const DEVICE_PLACE = '{device}';

const named = (word: string, forbidden: RegExp, why: string) =>
  z
    .string()
    .min(1, 'Must not be empty.')
    .max(512, 'Must be at most 512 characters.')
    .refine((text) => !forbidden.test(text), why)
    .describe(`The ${word} that a device’s values go to; ${DEVICE_PLACE} stands for its external id.`);

/** The addresses that a type of destination takes; a type that is missing has none. */
export const destinationUrls = {
  postgres: addressOf(/^postgres(ql)?$/, 'postgres://')
    .describe('The server, and the database behind the slash.')
    .meta({ title: 'Database', examples: ['postgres://db.example.com:5432/plant'] }),
  influxdb: addressOf(/^https?$/, 'http:// or https://')
    .describe('The server, and the path before /write where there is one.')
    .meta({ title: 'Server', examples: ['http://influx.example.com:8086'] }),
  mqtt: addressOf(/^(mqtts?|wss?)$/, 'mqtt://, mqtts://, ws:// or wss://')
    .describe('The broker.')
    .meta({ title: 'Broker', examples: ['mqtts://broker.example.com:8883'] }),
  nats: addressOf(/^(nats|tls)$/, 'nats:// or tls://')
    .describe('The server; tls:// for a connection over TLS.')
    .meta({ title: 'Server', examples: ['tls://nats.example.com:4222'] }),
  webhook: addressOf(/^https?$/, 'http:// or https://')
    .describe('What is called, by POST.')
    .meta({ title: 'Address', examples: ['https://hooks.example.com/samples'] }),
};

/** What `options` holds, by the type of the destination. Adding a type is its schema here and one file in the service. */
export const destinationOptions = {
  telemetry: z.strictObject({}),
  postgres: z.strictObject({
    username: userField,
    password: secretField('Password', 'The password of that user.'),
    table: tableName
      .default('penstock_samples')
      .describe('The table that holds the values; it is made where it is missing.')
      .meta({ title: 'Table' }),
    sslmode: z
      .enum(['disable', 'require', 'verify-full'])
      .default('disable')
      .describe(
        'disable: no TLS; require: TLS with any certificate; verify-full: TLS with its certificate checked.',
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
        .describe('The database of InfluxDB 1, or of what speaks as it does.')
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
        .describe('The bucket of InfluxDB 2, in the place of a database.')
        .meta({ title: 'Bucket' }),
      measurement: z
        .string()
        .regex(/^(?!#)[^\p{Cc}]+$/u, 'Must not be empty, begin with #, nor hold control characters.')
        .max(128, 'Must be at most 128 characters.')
        .default('penstock')
        .describe('The measurement; the device is its tag, each metric a field.')
        .meta({ title: 'Measurement' }),
      username: userField,
      password: secretField('Password', 'The password of that user (InfluxDB 1).'),
      token: secretField('Token', 'In the place of a user and password (InfluxDB 2).'),
      batchSize,
    })
    .superRefine(({ database, bucket, organization }, context) => {
      const say = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message });
      if (database === undefined && bucket === undefined)
        say('database', 'Give a database (InfluxDB 1), or a bucket and its organization (InfluxDB 2).');
      if (database !== undefined && bucket !== undefined)
        say('bucket', 'Give a database or a bucket, not both.');
      if (bucket !== undefined && organization === undefined)
        say('organization', 'A bucket needs its organization.');
    }),
  mqtt: z.strictObject({
    topic: named('topic', /[+#\0]|^\$/u, 'Must hold neither + nor #, nor begin with $.')
      .default(`penstock/${DEVICE_PLACE}/telemetry`)
      .meta({ title: 'Topic' }),
    qos: z
      .literal([1, 2])
      .default(1)
      .describe('The QoS to publish with; with 0 a broker acknowledges nothing.')
      .meta({ title: 'QoS' }),
    username: userField,
    password: secretField('Password', 'The password of that user.'),
    protocol: z
      .enum(['5', '3.1.1'])
      .default('5')
      .describe('The version of MQTT that the broker speaks.')
      .meta({ title: 'MQTT version' }),
    batchSize,
  }),
  nats: z.strictObject({
    subject: named(
      'subject',
      /[\s*>]|^\.|\.$|\.\./u,
      'Must be parts with dots between, without spaces, * or >.',
    )
      .default(`penstock.${DEVICE_PLACE}.telemetry`)
      .describe(
        `The subject that a device’s values go to; ${DEVICE_PLACE} stands for its external id, with _ for each dot in it.`,
      )
      .meta({ title: 'Subject' }),
    username: userField,
    password: secretField('Password', 'The password of that user.'),
    token: secretField('Token', 'Where the server takes a token rather than a user.'),
    batchSize,
  }),
  webhook: z.strictObject({
    headers: headersField
      .describe(`Headers of each request. Their values are secrets. ${REFERENCE_HELP}`)
      .meta({ title: 'Headers', writeOnly: true, examples: [{ Authorization: 'Bearer …' }] }),
    batchSize,
  }),
  file: z.strictObject({
    format: z
      .enum(['ndjson', 'csv'])
      .default('ndjson')
      .describe('ndjson: a sample a line; csv: a value a line.')
      .meta({ title: 'Format' }),
    folder: z
      .string()
      .regex(/^(?!\.)[A-Za-z0-9._-]+$/, 'Must be letters, digits and . _ -, and not begin with a dot.')
      .max(64, 'Must be at most 64 characters.')
      .optional()
      .describe('The folder below “exports” of the data directory; left out: the destination’s id.')
      .meta({ title: 'Folder' }),
    rotateMegabytes: z
      .int('Must be a whole number.')
      .min(1, 'Must be at least 1.')
      .max(10_000, 'Must be at most 10,000.')
      .default(100)
      .describe('A file that has reached this size is closed and a new one begun.')
      .meta({ title: 'New file after MB' }),
    rotateHours: z
      .int('Must be a whole number.')
      .min(1, 'Must be at least 1.')
      .max(8_760, 'Must be at most 8,760 (a year).')
      .default(24)
      .describe('Likewise one that is this old.')
      .meta({ title: 'New file after hours' }),
    keepFiles: z
      .int('Must be a whole number.')
      .min(1, 'Must be at least 1.')
      .max(100_000, 'Must be at most 100,000.')
      .optional()
      .describe('How many closed files are kept, the oldest go; left out: all.')
      .meta({ title: 'Files to keep' }),
    batchSize,
  }),
};
export type DestinationTypeName = keyof typeof destinationOptions;
/** The types that values are sent to; `telemetry` is the store itself. */
export type ExternalTypeName = Exclude<DestinationTypeName, 'telemetry'>;
export type DestinationOptions<T extends DestinationTypeName> = z.output<(typeof destinationOptions)[T]>;
