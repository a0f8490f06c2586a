import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import * as z from 'zod';
import { isReferable } from '#contract/connection-fields.ts';
import type { TracingConfig } from './monitoring/otlp-tracing.ts';
import { isWildcardHost } from './platform/http/wildcard-host.ts';
import { hostsVariableOf, readHostList, type Environment } from './platform/secrets/environment.ts';
import { readPostgresAddress, type PostgresAddress } from './platform/storage/dialects/postgres-address.ts';
import {
  readClickHouseAddress,
  type ClickHouseAddress,
} from './telemetry/store/clickhouse/clickhouse-address.ts';
import { describeUnknownVariable, isServiceLink, warnAboutPrefixedVariables } from './unknown-variables.ts';

/** One environment variable: its parser, its accepted values in words, and its default. */
type Variable<T> = { read: (text: string) => T | undefined; accepts: string; fallback: T };

const variable = <T>(accepts: string, fallback: T, read: (text: string) => T | undefined): Variable<T> => ({
  read,
  accepts,
  fallback,
});

const parsedBy =
  <T>(schema: z.ZodType<T>) =>
  (text: string) =>
    schema.safeParse(text).data;

const port = z.coerce.number().int().min(0).max(65_535);
const oneOf = <const T extends string>(...choices: T[]) => parsedBy(z.enum(choices as [T]));
const hasPassword = (text: string): boolean => /^[a-z]+:\/\/[^/?#]*@/i.test(text);
const httpUrl = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !hasPassword(text))
  .transform((text) => text.replace(/\/+$/, ''));
/** Characters that need no escaping in a URL or in HTML. */
const PLAIN_PATH = /^(\/[A-Za-z0-9._~-]+)*$/;
/** Paths that the service uses itself: with one of them as the base path, `/v1/…` would be ambiguous. */
const OWN_PATHS = /^\/(v1|assets|api|write|query|ping|health)(\/|$)/;
const baseUrl = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !hasPassword(text) && !/[?#]/.test(text))
  .transform((text) => {
    const { origin: base, pathname } = new URL(text);
    return base + pathname.replace(/\/+$/, '');
  })
  .refine((text) => {
    const { pathname } = new URL(text);
    return pathname === '/' || (PLAIN_PATH.test(pathname) && !OWN_PATHS.test(pathname));
  });
const list = (item: z.ZodType<string, string>) =>
  parsedBy(
    z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .pipe(z.array(item)),
  );
const origin = httpUrl.refine((text) => new URL(text).origin === text);

/** Names of Fastify for networks. A network of all addresses would trust every client. */
const trustedProxy = z.union([
  z.enum(['loopback', 'linklocal', 'uniquelocal']),
  z.ipv4(),
  z.ipv6(),
  z.union([z.cidrv4(), z.cidrv6()]).refine((network) => !network.endsWith('/0')),
]);

const digits = (schema: z.ZodType<number>) => (text: string) =>
  /^\d+$/.test(text) ? schema.safeParse(text).data : undefined;

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const MEGABYTE = 1_048_576;

const readPem = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const readHost = (text: string): string | undefined => (/^[A-Za-z0-9.:-]+$/.test(text) ? text : undefined);

const POSTGRES_URL = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE';
const CLICKHOUSE_URL = 'clickhouse://USER:PASSWORD@HOST:PORT/DATABASE';
const POSTGRES_OPTIONS =
  'The options are sslmode (disable, require or verify-full), sslrootcert (a PEM file that Penstock can read), host (the folder of a socket, such as /run/postgresql) and options';

const variables = {
  HOST: variable<string>(
    'an address or name to listen on, such as 127.0.0.1 or 0.0.0.0',
    '127.0.0.1',
    readHost,
  ),
  PORT: variable('a port number from 0 to 65535', 8080, digits(port)),
  BASE_URL: variable<string | undefined>(
    'the http or https address that browsers use, such as https://penstock.example.org or https://example.org/penstock',
    undefined,
    parsedBy(baseUrl),
  ),
  CONNECT_ORIGINS: variable<string[]>(
    'origins such as https://other.example.org, separated by commas',
    [],
    list(origin),
  ),
  DATA_DIR: variable<string>('a path to a directory', './data', (text) =>
    text.includes('\0') ? undefined : text,
  ),
  DATABASE_URL: variable<PostgresAddress | undefined>(
    `a URL such as ${POSTGRES_URL}?sslmode=verify-full. ${POSTGRES_OPTIONS}`,
    undefined,
    readPostgresAddress,
  ),
  TELEMETRY_URL: variable<PostgresAddress | ClickHouseAddress | 'embedded' | undefined>(
    `embedded, or a URL such as ${CLICKHOUSE_URL}?tls=true or ${POSTGRES_URL}?sslmode=verify-full. Several ClickHouse servers, separated by commas, need cluster=NAME. ${POSTGRES_OPTIONS}`,
    undefined,
    (text) => (text === 'embedded' ? text : (readPostgresAddress(text) ?? readClickHouseAddress(text))),
  ),
  TLS_CERT: variable<string | undefined>(
    'a path to a PEM file with the certificate chain',
    undefined,
    readPem,
  ),
  TLS_KEY: variable<string | undefined>('a path to a PEM file with the private key', undefined, readPem),
  RETENTION_DAYS: variable<number | undefined>(
    'a whole number of days from 1 to 36500, or empty to keep everything',
    undefined,
    (text) => {
      const days = digits(z.coerce.number().int().min(1).max(36_500))(text);
      return days === undefined ? undefined : days * DAY_MS;
    },
  ),
  RESERVE_MB: variable('a whole number of MB from 0 to 1024', 32 * MEGABYTE, (text) => {
    const megabytes = digits(z.coerce.number().int().min(0).max(1_024))(text);
    return megabytes === undefined ? undefined : megabytes * MEGABYTE;
  }),
  SPOOL_LIMIT_MB: variable('a whole number of MB from 1 to 1000000', 1_024 * MEGABYTE, (text) => {
    const megabytes = digits(z.coerce.number().int().min(1).max(1_000_000))(text);
    return megabytes === undefined ? undefined : megabytes * MEGABYTE;
  }),
  REGISTRATION_LIMIT: variable('a whole number of devices from 0 to 10000000', 10_000, (text) =>
    digits(z.coerce.number().int().min(0).max(10_000_000))(text),
  ),
  METRICS_PER_DEVICE: variable('a whole number of metrics from 1 to 10000000', 10_000, (text) =>
    digits(z.coerce.number().int().min(1).max(10_000_000))(text),
  ),
  LINE_PROTOCOL_DEVICE_TAGS: variable<string[]>(
    'names of tags such as device_id or host, separated by commas',
    ['device_id', 'host', 'device'],
    list(z.string().regex(/^[^\s,="\\]{1,64}$/)),
  ),
  PROMETHEUS_DEVICE_LABELS: variable<string[]>(
    'names of labels such as device_id or instance, separated by commas',
    ['device_id', 'instance', 'host', 'device'],
    list(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/)),
  ),
  OTLP_DEVICE_ATTRIBUTES: variable<string[]>(
    'names of attributes such as device_id or host.name, separated by commas',
    ['device_id', 'device.id', 'host.name', 'service.instance.id'],
    list(z.string().regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/)),
  ),
  ALLOWED_NETWORKS: variable<string[]>(
    'networks such as 10.0.0.0/8 or fd00::/8, separated by commas',
    [],
    list(z.union([z.cidrv4(), z.cidrv6()])),
  ),
  TRUSTED_PROXIES: variable<string[]>(
    'addresses of proxies such as 10.0.0.5, networks such as 10.0.0.0/8 (not /0), loopback, linklocal or uniquelocal, separated by commas',
    [],
    list(trustedProxy),
  ),
  ALLOWED_ORIGINS: variable<string[]>(
    'exact origins such as https://app.example.org, separated by commas',
    [],
    list(origin),
  ),
  METRICS_HOST: variable<string>(
    'an address or name to listen on, such as 127.0.0.1 or 0.0.0.0',
    '127.0.0.1',
    readHost,
  ),
  METRICS_PORT: variable('a port number from 0 (disabled) to 65535', 0, digits(port)),
  DRAIN_SECONDS: variable('a whole number of seconds from 0 to 3600', 0, (text) => {
    const seconds = digits(z.coerce.number().int().min(0).max(3_600))(text);
    return seconds === undefined ? undefined : seconds * SECOND_MS;
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable<string | undefined>(
    'the http or https address of an OpenTelemetry collector, such as http://127.0.0.1:4318',
    undefined,
    parsedBy(httpUrl),
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: variable<string | undefined>(
    'the http or https address that receives traces, such as http://127.0.0.1:4318/v1/traces',
    undefined,
    parsedBy(httpUrl),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: variable<string>(
    'http/json, the encoding that Penstock sends, or http/protobuf, whose endpoints also accept http/json',
    'http/json',
    oneOf('http/json', 'http/protobuf'),
  ),
  OTEL_TRACES_EXPORTER: variable<'otlp' | 'none'>('otlp or none', 'otlp', oneOf('otlp', 'none')),
  OTEL_TRACES_SAMPLER_ARG: variable('a number from 0 to 1, such as 0.05', 1, (text) =>
    /^\d*\.?\d+$/.test(text) ? z.coerce.number().min(0).max(1).safeParse(text).data : undefined,
  ),
  OTEL_SDK_DISABLED: variable<'true' | 'false'>('true or false', 'false', oneOf('true', 'false')),
  MQTTS_PORT: variable('a port number from 0 (disabled) to 65535', 8883, digits(port)),
  MQTT_PORT: variable('a port number from 0 (disabled) to 65535', 1883, digits(port)),
  MQTT_UNROUTED: variable<'record' | 'refuse'>('record or refuse', 'record', oneOf('record', 'refuse')),
  MIGRATION_SNAPSHOT: variable<'keep' | 'none'>('keep or none', 'keep', oneOf('keep', 'none')),
  SEED: variable<'default' | 'none'>('default or none', 'default', oneOf('default', 'none')),
  LOG_LEVEL: variable<'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace'>(
    'silent, error, warn, info, debug or trace',
    'info',
    oneOf('silent', 'error', 'warn', 'info', 'debug', 'trace'),
  ),
};

export type Config = {
  host: string;
  port: number;
  /** The URL for links and the Host check; undefined: derived from the listening address. */
  baseUrl: string | undefined;
  connectOrigins: string[];
  dataDir: string;
  /** The database of the metadata; undefined: a file in the data directory. */
  database: PostgresAddress | undefined;
  /** The database of the telemetry; undefined: a file in the data directory. */
  telemetry: PostgresAddress | ClickHouseAddress | undefined;
  mqttPort: number;
  mqttsPort: number;
  /** What the broker does with a message that matches no running pipeline: record it, or close the connection. */
  mqttUnrouted: 'record' | 'refuse';
  /** Where Prometheus reads the metrics; port 0: nowhere. */
  metricsHost: string;
  metricsPort: number;
  /** Undefined: no traces are exported. */
  tracing: TracingConfig | undefined;
  /** How long the service reports that it is not ready before it stops. */
  drainMs: number;
  /** In PEM format; undefined: HTTP and MQTT without TLS. */
  tls: { cert: string; key: string } | undefined;
  /** Origins whose pages can call the API from a browser (CORS). */
  allowedOrigins: string[];
  /** Proxies whose X-Forwarded-For names the client. */
  trustedProxies: string[];
  /** Older telemetry is deleted; undefined: all telemetry is kept. */
  retentionMs: number | undefined;
  /** Bytes reserved for signing in, revoking access and deleting data when the disk is full. */
  reserveBytes: number;
  /** The size limit of the spool of each pipeline, in bytes. */
  spoolLimitBytes: number;
  /** Number of devices that one key can register per hour by sending telemetry. */
  registrationLimit: number;
  /** Number of metrics that a device may have in the telemetry store. */
  metricsPerDevice: number;
  /** The tags of InfluxDB line protocol that may name the device, the preferred one first. */
  lineProtocolDeviceTags: string[];
  /** The labels of Prometheus remote write that may name the device, the preferred one first. */
  prometheusDeviceLabels: string[];
  /** The attributes of OpenTelemetry metrics that may name the device, the preferred one first. */
  otlpDeviceAttributes: string[];
  /** CIDRs of networks that are not public but may be connected to. */
  allowedNetworks: string[];
  environment: Environment;
  /** Whether databases are copied before their migration. */
  migrationSnapshot: 'keep' | 'none';
  seed: 'default' | 'none';
  logLevel: string;
  /** Warnings to log at the start. */
  warnings: string[];
};

/** An invalid environment variable. The start fails with this message. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** @throws ConfigError if only one of the two is set, or the key does not match the certificate */
const tlsOf = (cert: string | undefined, key: string | undefined): Config['tls'] => {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const [missing, given] =
      cert === undefined ? (['TLS_CERT', 'TLS_KEY'] as const) : (['TLS_KEY', 'TLS_CERT'] as const);
    throw new ConfigError(
      `${given} is set but ${missing} is not. ${missing} must be ${variables[missing].accepts}.`,
    );
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new ConfigError(
      `TLS_CERT and TLS_KEY must be a certificate chain and its private key in PEM format (${(error as Error).message}).`,
    );
  }
  return { cert, key };
};

/** Do not print a private key that was set instead of its path, or a password in a URL. */
const isSecret = (name: string, text: string): boolean =>
  ['TLS_KEY', 'DATABASE_URL', 'TELEMETRY_URL'].includes(name) || hasPassword(text);

const LISTED_HOSTS = 'hosts such as broker.example.com or 10.0.0.5:1883, separated by commas';

/** The variables that configurations may refer to, and their lists of allowed hosts. @throws ConfigError */
const readEnvironment = (env: Record<string, string | undefined>): Record<string, string> => {
  const environment: Record<string, string> = {};
  for (const [name, text] of Object.entries(env)) {
    if (text === undefined || !isReferable(name)) continue;
    environment[name] = text;
    const list = hostsVariableOf(name);
    const hosts = env[list];
    if (hosts === undefined || hosts === '') continue;
    if (readHostList(hosts) === undefined)
      throw new ConfigError(
        `${list} must be a list of ${LISTED_HOSTS}${hasPassword(hosts) ? '' : ` (it is "${hosts}")`}.`,
      );
    environment[list] = hosts;
  }
  return environment;
};

/** The variables that belong to Penstock. The packages of OpenTelemetry read further `OTEL_` variables. */
const names = Object.keys(variables).filter((name) => !name.startsWith('OTEL_'));

type Get = <N extends keyof typeof variables>(name: N) => (typeof variables)[N]['fallback'];

/** The address of a collector has no path (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). */
const tracingOf = (get: Get): TracingConfig | undefined => {
  const collector = get('OTEL_EXPORTER_OTLP_ENDPOINT');
  const url =
    get('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ??
    (collector === undefined ? undefined : `${collector.replace(/\/$/, '')}/v1/traces`);
  // Only validated: Penstock sends JSON, which the addresses of both protocols accept.
  get('OTEL_EXPORTER_OTLP_PROTOCOL');
  const ratio = get('OTEL_TRACES_SAMPLER_ARG');
  const isOff = get('OTEL_TRACES_EXPORTER') === 'none' || get('OTEL_SDK_DISABLED') === 'true';
  return isOff || url === undefined ? undefined : { url, ratio };
};

/** The configuration from the environment. An empty variable counts as unset. @throws ConfigError */
export const readConfig = (env: Record<string, string | undefined>): Config => {
  const unknown = describeUnknownVariable(env, names);
  if (unknown !== undefined) throw new ConfigError(unknown);
  const get: Get = (name) => {
    const { read, accepts, fallback } = variables[name];
    const text = env[name];
    if (text === undefined || text === '' || isServiceLink(env, name)) return fallback;
    const value = read(text);
    if (value === undefined)
      throw new ConfigError(`${name} must be ${accepts}${isSecret(name, text) ? '' : ` (it is "${text}")`}.`);
    return value;
  };
  const database = get('DATABASE_URL');
  const telemetry = get('TELEMETRY_URL') ?? database;
  const config: Config = {
    host: get('HOST'),
    port: get('PORT'),
    baseUrl: get('BASE_URL'),
    connectOrigins: get('CONNECT_ORIGINS'),
    dataDir: resolve(get('DATA_DIR')),
    database,
    telemetry: telemetry === 'embedded' ? undefined : telemetry,
    mqttPort: get('MQTT_PORT'),
    mqttsPort: get('MQTTS_PORT'),
    mqttUnrouted: get('MQTT_UNROUTED'),
    metricsHost: get('METRICS_HOST'),
    metricsPort: get('METRICS_PORT'),
    tracing: tracingOf(get),
    drainMs: get('DRAIN_SECONDS'),
    tls: tlsOf(get('TLS_CERT'), get('TLS_KEY')),
    allowedOrigins: get('ALLOWED_ORIGINS'),
    trustedProxies: get('TRUSTED_PROXIES'),
    retentionMs: get('RETENTION_DAYS'),
    reserveBytes: get('RESERVE_MB'),
    spoolLimitBytes: get('SPOOL_LIMIT_MB'),
    registrationLimit: get('REGISTRATION_LIMIT'),
    metricsPerDevice: get('METRICS_PER_DEVICE'),
    lineProtocolDeviceTags: get('LINE_PROTOCOL_DEVICE_TAGS'),
    prometheusDeviceLabels: get('PROMETHEUS_DEVICE_LABELS'),
    otlpDeviceAttributes: get('OTLP_DEVICE_ATTRIBUTES'),
    allowedNetworks: get('ALLOWED_NETWORKS'),
    environment: readEnvironment(env),
    migrationSnapshot: get('MIGRATION_SNAPSHOT'),
    seed: get('SEED'),
    logLevel: get('LOG_LEVEL'),
    warnings: warnAboutPrefixedVariables(env, names),
  };
  if (config.tls !== undefined && config.baseUrl?.startsWith('http:') === true)
    throw new ConfigError(
      `BASE_URL must be an https URL if TLS_CERT is set (it is "${config.baseUrl}"): Penstock then answers over HTTPS only.`,
    );
  if (config.metricsPort !== 0 && config.metricsPort === config.port)
    throw new ConfigError(
      `METRICS_PORT must differ from PORT (both are ${config.port}), because the metrics need no token.`,
    );
  if (isWildcardHost(config.host) && config.baseUrl === undefined)
    throw new ConfigError(
      `BASE_URL is required with HOST=${config.host}, for links and the Host check. Set it to ${variables.BASE_URL.accepts}.`,
    );
  return config;
};
