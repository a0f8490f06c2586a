import * as z from 'zod';
import { endpoint, TELEMETRY_LIMIT } from './endpoint.ts';
import { allowOldSchema } from './telemetry.ts';

/** Units of the timestamps in a write. InfluxDB 1 and 2 spell some of them differently. */
const PRECISIONS = ['ns', 'n', 'us', 'u', 'µ', 'ms', 's', 'm', 'h'] as const;

const ignored = (what: string) => z.string().max(256).optional().describe(`${what} Ignored.`);

const writeQuery = {
  precision: z.enum(PRECISIONS).default('ns').describe('The unit of the timestamps.'),
  allowOld: allowOldSchema,
};

/** InfluxDB 1 clients may send credentials in the query. */
const credentials = {
  u: z.string().max(256).optional().describe('The user name of InfluxDB 1 clients. Ignored.'),
  p: z.string().max(256).optional().describe('An API key, as the password of InfluxDB 1 clients.'),
};

const lines = z.string().meta({
  description: 'InfluxDB line protocol.',
  examples: ['boiler,device=boiler-7 temperature=71.5,burning=true 1763717400000000000'],
});

const DESCRIPTION =
  'Accepts InfluxDB line protocol and answers 204 after all samples are on disk. The first tag of `LINE_PROTOCOL_DEVICE_TAGS` (`device_id`, `host`, `device`) that a line has names the device. The metric is the measurement, the other tags in the order of their keys, and the field, joined by dots. Devices, limits, repeated samples and rejection reasons work as in `POST /v1/telemetry`. If samples are rejected, the others are stored, and the response is 400 `partial-write` with the first line and the reason.';

const write = {
  method: 'POST',
  scope: 'telemetry:write',
  usesTelemetry: true,
  forInfluxdbClients: true,
  body: lines,
  bodyTypes: ['*/*'],
  bodyLimit: TELEMETRY_LIMIT,
  readsBody: true,
  status: 204,
} as const;

const statement = z
  .string()
  .max(10_000)
  .meta({ description: 'The statement.', examples: ['SHOW DATABASES'] });

const queryParameters = z.strictObject({
  q: statement,
  db: ignored('The database.'),
  rp: ignored('The retention policy.'),
  epoch: ignored('The unit of timestamps in the response.'),
  pretty: ignored('Whether the response is indented.'),
  chunked: ignored('Whether the response is chunked.'),
  chunk_size: ignored('The size of chunks.'),
  params: ignored('Parameters of the statement.'),
  ...credentials,
});

const query = {
  path: '/query',
  scope: 'telemetry:write',
  forInfluxdbClients: true,
  safe: true,
  status: 200,
  response: z.object({
    results: z
      .array(z.object({ statement_id: z.int().meta({ description: 'Always 0.', examples: [0] }) }).loose())
      .describe('The result of the statement.'),
  }),
} as const;

const QUERY_DESCRIPTION =
  'Clients of InfluxDB 1 create their database before they write. Penstock has one store: `CREATE DATABASE` changes nothing, and `SHOW DATABASES` lists none. Other statements are rejected. Read telemetry with `GET /v1/telemetry`.';

/** What clients of InfluxDB 1 and 2 call to write. */
export const influxdbApi = {
  write: endpoint({
    ...write,
    path: '/write',
    query: z.strictObject({
      db: ignored('The database.'),
      rp: ignored('The retention policy.'),
      consistency: ignored('The write consistency.'),
      ...writeQuery,
      ...credentials,
    }),
    doc: {
      tag: 'Telemetry',
      summary: 'Write line protocol (InfluxDB 1)',
      description: DESCRIPTION,
      errors: ['partial-write'],
    },
  }),
  writeBucket: endpoint({
    ...write,
    path: '/api/v2/write',
    query: z.strictObject({
      org: ignored('The organization.'),
      orgID: ignored('The ID of the organization.'),
      bucket: ignored('The bucket.'),
      ...writeQuery,
    }),
    doc: {
      tag: 'Telemetry',
      summary: 'Write line protocol (InfluxDB 2)',
      description: DESCRIPTION,
      errors: ['partial-write'],
    },
  }),
  query: endpoint({
    ...query,
    method: 'GET',
    query: queryParameters,
    doc: {
      tag: 'Telemetry',
      summary: 'Show databases (InfluxDB 1)',
      description: QUERY_DESCRIPTION,
    },
  }),
  execute: endpoint({
    ...query,
    method: 'POST',
    query: queryParameters.extend({
      q: statement.optional().describe('The statement. It may also be in a form in the body.'),
    }),
    body: z.string().meta({
      description: 'A form with the statement as `q`.',
      examples: ['q=CREATE DATABASE "telegraf"'],
    }),
    bodyTypes: ['*/*'],
    readsBody: true,
    doc: {
      tag: 'Telemetry',
      summary: 'Create a database (InfluxDB 1)',
      description: QUERY_DESCRIPTION,
    },
  }),
  ping: endpoint({
    method: 'GET',
    path: '/ping',
    scope: 'none',
    forInfluxdbClients: true,
    query: z.strictObject({
      wait_for_leader: ignored('How long to wait.'),
      verbose: ignored('Whether the response has a body.'),
    }),
    status: 204,
    doc: {
      tag: 'Telemetry',
      summary: 'Ping (InfluxDB)',
      description: 'Reports that the service is running, for InfluxDB clients.',
    },
  }),
  health: endpoint({
    method: 'GET',
    path: '/health',
    scope: 'none',
    forInfluxdbClients: true,
    status: 200,
    response: z.object({
      name: z.string().meta({ description: 'Always `penstock`.', examples: ['penstock'] }),
      message: z.string().meta({ description: 'The human-readable status.', examples: ['ready for writes'] }),
      status: z.enum(['pass']).meta({ description: 'The status.', examples: ['pass'] }),
    }),
    doc: {
      tag: 'Telemetry',
      summary: 'Check health (InfluxDB)',
      description:
        'Reports that the service is running, for InfluxDB 2 clients. For the state of the storage, use `GET /v1/health`.',
    },
  }),
};
