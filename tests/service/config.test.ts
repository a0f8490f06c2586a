import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '#service/config.ts';

/** The error that stops the start; undefined if nothing does. */
const refusal = (env: Record<string, string>): string | undefined => {
  try {
    readConfig(env);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};

describe('a variable that Penstock does not read stops the start', () => {
  it('in one line without its value', () => {
    const line = refusal({ TRUSTED_PROXY: 'http://penstock:hunter2@10.0.0.1' });
    expect(line).toMatch(/^TRUSTED_PROXY is not a variable of Penstock\./);
    expect(line).toMatch(/Penstock reads ALLOWED_NETWORKS, .*DATA_DIR, .*TLS_KEY, TRUSTED_PROXIES\.$/);
    expect(line).not.toContain('hunter2');
    expect(line).not.toContain('\n');
  });

  it.each([
    ['RETENTION_DAY', 'RETENTION_DAYS'],
    ['MQTTPORT', 'MQTT_PORT'],
    ['BASEURL', 'BASE_URL'],
    ['BASE_URI', 'BASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['TELEMETRYURL', 'TELEMETRY_URL'],
    ['base_url', 'BASE_URL'],
    ['ALLOWED_NETWORK', 'ALLOWED_NETWORKS'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['DATADIR', 'DATA_DIR'],
    ['TLSKEY', 'TLS_KEY'],
  ])('as a misspelling: %s is close to %s', (name, meant) => {
    expect(refusal({ [name]: '1' })).toMatch(
      new RegExp(`^${name} is not a variable of Penstock\\. Did you mean ${meant}\\?`),
    );
  });

  it.each([
    'MQTT_HOST',
    'MQTTS_CERT',
    'TLS_CERT_FILE',
    'SPOOL_DIR',
    'RETENTION_HOURS',
    'ALLOWED_HOSTS',
    'CONNECT_TIMEOUT',
    'MQTT_TLS_PORT',
  ])('as unknown because it begins like a Penstock variable: %s', (name) => {
    expect(refusal({ [name]: '8883' })).toMatch(
      new RegExp(`^${name} is not a variable of Penstock\\. Remove it or rename it; Penstock reads `),
    );
  });
});

describe('a wrong value stops the start with one line that says what is accepted', () => {
  it.each([
    ['PORT', 'eighty', /^PORT must be a port number from 0 to 65535 \(it is "eighty"\)\./],
    ['PORT', '70000', /^PORT must be a port number .*"70000"/],
    ['BASE_URL', 'penstock.example', /^BASE_URL must be the http or https address .*"penstock\.example"/],
    ['SEED', 'all', /^SEED must be default or none \(it is "all"\)\./],
    [
      'BASE_URL',
      'http://ada:hunter2@penstock.example',
      /^BASE_URL must be the http or https address [^"]*\.$/,
    ],
    ['LOG_LEVEL', 'loud', /^LOG_LEVEL must be silent, error.*"loud"/],
    ['RETENTION_DAYS', '0', /^RETENTION_DAYS must be a whole number of days .*"0"/],
    ['CONNECT_ORIGINS', 'https://a.example/path', /^CONNECT_ORIGINS must be/],
    ['ALLOWED_NETWORKS', '10.0.0.0/33', /^ALLOWED_NETWORKS must be networks such as .*"10\.0\.0\.0\/33"/],
    ['TRUSTED_PROXIES', 'caddy', /^TRUSTED_PROXIES must be addresses of proxies .*"caddy"/],
    ['TRUSTED_PROXIES', 'loopback, 10.0.0.0/33', /^TRUSTED_PROXIES must be .*"loopback, 10\.0\.0\.0\/33"/],
    ['TRUSTED_PROXIES', '0.0.0.0/0', /^TRUSTED_PROXIES must be .*\(not \/0\).*"0\.0\.0\.0\/0"/],
    ['TRUSTED_PROXIES', 'true', /^TRUSTED_PROXIES must be/],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'collector:4318',
      /^OTEL_EXPORTER_OTLP_ENDPOINT must be the http or https address/,
    ],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /^OTEL_EXPORTER_OTLP_PROTOCOL must be http\/json/],
    ['OTEL_TRACES_SAMPLER_ARG', '5%', /^OTEL_TRACES_SAMPLER_ARG must be a number .*"5%"/],
    ['HOST', '0.0.0.0', /^BASE_URL is required with HOST=0\.0\.0\.0/],
  ])('%s=%s', (name, value, line) => {
    expect(refusal({ [name]: value })).toMatch(line);
    expect(refusal({ [name]: value })).not.toContain('\n');
  });
});

describe('the URL of a PostgreSQL database', () => {
  const CERTIFICATE = join(import.meta.dirname, 'test-cert.pem');

  it('says where the metadata is, and the telemetry unless TELEMETRY_URL says otherwise', () => {
    const env = { DATABASE_URL: 'postgres://ada:p%40ss@db.example.com:5433/penstock' };
    const { database, telemetry } = readConfig(env);
    expect(database).toEqual({
      place: 'db.example.com:5433',
      host: 'db.example.com',
      port: 5_433,
      user: 'ada',
      password: 'p@ss',
      database: 'penstock',
      options: undefined,
      tls: false,
    });
    expect(telemetry).toBe(database);
    expect(readConfig({ ...env, TELEMETRY_URL: 'embedded' }).telemetry).toBeUndefined();
    expect(readConfig({ TELEMETRY_URL: 'postgresql://[::1]/samples' })).toMatchObject({
      database: undefined,
      telemetry: { host: '::1', place: '[::1]:5432', database: 'samples' },
    });
  });

  it('chooses TLS, a socket and settings of the session', () => {
    const read = (url: string) => readConfig({ DATABASE_URL: url }).database;
    expect(read('postgres://db/a?sslmode=require')?.tls).toEqual({ rejectUnauthorized: false, host: 'db' });
    expect(read(`postgres://10.0.0.5/a?sslmode=verify-full&sslrootcert=${CERTIFICATE}`)?.tls).toEqual({
      rejectUnauthorized: true,
      host: '10.0.0.5',
      ca: expect.stringContaining('BEGIN CERTIFICATE'),
    });
    expect(
      read('postgres://ada@localhost/a?host=/run/postgresql&options=-c%20search_path%3Dp'),
    ).toMatchObject({
      host: '/run/postgresql',
      place: '/run/postgresql',
      options: '-c search_path=p',
    });
  });

  it.each([
    'mysql://ada:hunter2@db/a',
    'postgres:///a?password=hunter2',
    'postgres://ada:hunter2@db/a?sslmode=prefer',
    'postgres://ada:hunter2@db/a?sslmode=verify-full&sslrootcert=/nowhere.pem',
    'postgres://ada:hunter2@db/a?sslmod=require',
    'postgres://localhost/hunter2?host=/run/postgresql&sslmode=require',
    'postgres://localhost/hunter2?host=db.internal',
    'hunter2',
  ])('is rejected without being shown: %s', (url) => {
    for (const name of ['DATABASE_URL', 'TELEMETRY_URL']) {
      const line = refusal({ [name]: url });
      expect(line).toMatch(
        new RegExp(`^${name} must be .*postgres://USER:PASSWORD@HOST:PORT/DATABASE\\?sslmode`),
      );
      expect(line).not.toContain('hunter2');
    }
  });
});

describe('the URL of a ClickHouse database', () => {
  const read = (url: string) => readConfig({ TELEMETRY_URL: url }).telemetry;

  it('says where the telemetry is, and whether TLS is used', () => {
    expect(read('clickhouse://ada:p%40ss@db.example.com:8124/samples')).toEqual({
      place: 'db.example.com:8124',
      servers: [{ origin: 'http://db.example.com:8124', place: 'db.example.com:8124' }],
      cluster: undefined,
      user: 'ada',
      password: 'p@ss',
      database: 'samples',
    });
    expect(read('clickhouse://[::1]')).toMatchObject({
      servers: [{ origin: 'http://[::1]:8123' }],
      user: 'default',
      password: '',
      database: 'default',
    });
    for (const url of ['clickhouses://db/samples', 'clickhouse://db/samples?tls=true'])
      expect(read(url)).toMatchObject({ servers: [{ origin: 'https://db:8443' }] });
  });

  it.each([
    ['TELEMETRY_URL', 'clickhouse://ada:hunter2@db/samples?secure=true'],
    ['TELEMETRY_URL', 'clickhouse://ada:hunter2@db/samples?tls=maybe'],
    ['TELEMETRY_URL', 'clickhouses://ada:hunter2@db/samples?tls=false'],
    ['TELEMETRY_URL', 'clickhouse://ada:hunter2@db/samples/other'],
    ['TELEMETRY_URL', 'clickhouse:///hunter2'],
    ['TELEMETRY_URL', 'clickhouse://db/%hunter2'],
    ['DATABASE_URL', 'clickhouse://ada:hunter2@db/samples'],
  ])('is rejected without being shown: %s=%s', (name, url) => {
    const line = refusal({ [name]: url });
    expect(line).toMatch(new RegExp(`^${name} must be `));
    expect(line).not.toContain('hunter2');
  });
});

it('the variables of a shell, of npm, of systemd, of a CI and secrets do not stop the start', () => {
  const others = `
    HOME HOSTNAME HOSTTYPE HOSTS PATH PORTS SHELL XDG_DATA_DIRS LS_COLORS port
    LOG_FORMAT LOGNAME DATA_VOLUME BASE_IMAGE DATABASE_HOST TELEMETRY_OPT_OUT
    METRICS_ENABLED METRICS_TOKEN DRAIN_TIMEOUT MIGRATION_DIR
    npm_config_loglevel npm_package_config_mqtt_port NODE_EXTRA_CA_CERTS NODE_ENV
    INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET CREDENTIALS_DIRECTORY STATE_DIRECTORY
    CI GITHUB_SERVER_URL CI_SERVER_TLS_CA_FILE DOCKER_TLS_CERTDIR SSL_CERT_FILE
    PENSTOCK_MQTT_PASSWORD PENSTOCK_DATABASE_URL PENSTOCK_KEY
  `.match(/\S+/g)!;
  expect(refusal(Object.fromEntries(others.map((name) => [name, 'x'])))).toBeUndefined();
  expect(refusal({ DATABASE_URL: '', MQTTPORT: '' })).toBeUndefined();
});

describe('the variables that Kubernetes sets for a service', () => {
  const links = (name: string, port: number) => ({
    [`${name}_SERVICE_HOST`]: '10.96.0.5',
    [`${name}_SERVICE_PORT`]: String(port),
    [`${name}_SERVICE_PORT_BROKER`]: String(port),
    [`${name}_PORT`]: `tcp://10.96.0.5:${port}`,
    [`${name}_PORT_${port}_TCP`]: `tcp://10.96.0.5:${port}`,
    [`${name}_PORT_${port}_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_${port}_TCP_PORT`]: String(port),
    [`${name}_PORT_${port}_TCP_ADDR`]: '10.96.0.5',
  });

  it('do not stop the start and are ignored', () => {
    const config = readConfig({
      ...links('MQTT', 1_884),
      ...links('MQTT_BROKER', 1_885),
      ...links('MQTTS', 8_884),
      ...links('PENSTOCK', 8_080),
    });
    expect([config.mqttPort, config.mqttsPort, config.warnings]).toEqual([1_883, 8_883, []]);
  });

  it('are distinguished from invalid values', () => {
    expect(refusal({ MQTT_PORT: 'tcp://10.96.0.5:1884' })).toMatch(
      /^MQTT_PORT must be a port number .*"tcp:/,
    );
  });
});

it('a known variable with the prefix PENSTOCK_ causes a warning', () => {
  const { warnings } = readConfig({
    PENSTOCK_BASE_URL: 'https://penstock.example.com',
    PENSTOCK_BROKER: 'x',
  });
  expect(warnings).toEqual([
    'PENSTOCK_BASE_URL is only used if a configuration refers to it. To set BASE_URL, remove the prefix PENSTOCK_.',
  ]);
});
