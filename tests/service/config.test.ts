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
  it.each(['DATABASE_URL', 'TELEMETRY_URL', 'TRUSTED_PROXIES', 'DATABASE_URI'])(
    'as not supported yet: %s, without its value',
    (name) => {
      const line = refusal({ [name]: 'postgres://penstock:hunter2@db.example.com/penstock' });
      expect(line).toMatch(new RegExp(`^${name} is not supported by this version of Penstock\\.`));
      expect(line).toMatch(/Penstock reads ALLOWED_NETWORKS, .*DATA_DIR, .*TLS_KEY\.$/);
      expect(line).not.toContain('hunter2');
      expect(line).not.toContain('\n');
    },
  );

  it.each([
    ['RETENTION_DAY', 'RETENTION_DAYS'],
    ['MQTTPORT', 'MQTT_PORT'],
    ['BASEURL', 'BASE_URL'],
    ['BASE_URI', 'BASE_URL'],
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
    ['HOST', '0.0.0.0', /^BASE_URL is required with HOST=0\.0\.0\.0/],
  ])('%s=%s', (name, value, line) => {
    expect(refusal({ [name]: value })).toMatch(line);
    expect(refusal({ [name]: value })).not.toContain('\n');
  });
});

it('the variables of a shell, of npm, of systemd, of a CI and secrets do not stop the start', () => {
  const others = `
    HOME HOSTNAME HOSTTYPE HOSTS PATH PORTS SHELL XDG_DATA_DIRS LS_COLORS port
    LOG_FORMAT LOGNAME DATA_VOLUME BASE_IMAGE DATABASE_HOST TELEMETRY_OPT_OUT
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
