import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { findProgram } from './installed.ts';

/** `more`: elements of the configuration. */
type ServerOptions = { port: number; tcpPort: number; more?: string };

export const CLICKHOUSE_PASSWORD = 'canary-of-clickhouse';

const config = (dir: string, { port, tcpPort, more = '' }: ServerOptions): string => `<yandex>
  <logger><level>error</level><console>1</console></logger>
  <http_port>${port}</http_port>
  <tcp_port>${tcpPort}</tcp_port>
  <listen_host>127.0.0.1</listen_host>
  ${more}
  <path>${dir}/data/</path>
  <tmp_path>${dir}/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>
  <profiles><default><max_memory_usage>1000000000</max_memory_usage></default></profiles>
  <users><default>
    <password>${CLICKHOUSE_PASSWORD}</password>
    <networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
  </default></users>
  <quotas><default></default></quotas>
</yandex>`;

/** A ClickHouse on loopback that requires a password, and may be stopped and started again. */
export const startClickHouse = async (options?: ServerOptions) => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-clickhouse-'));
  const { port, tcpPort, more } = options ?? { port: await freePort(), tcpPort: await freePort() };
  for (const name of ['config.xml', 'users.xml'])
    writeFileSync(join(dir, name), config(dir, { port, tcpPort, ...(more !== undefined && { more }) }), {
      mode: 0o600,
    });
  const origin = `http://127.0.0.1:${port}`;
  const isUp = (): Promise<boolean> =>
    fetch(`${origin}/ping`).then(
      ({ status }) => status === 200,
      () => false,
    );
  let server: ChildProcess;
  let ended: Promise<unknown>;
  const start = async () => {
    server = spawn(
      findProgram('clickhouse-server') ?? 'clickhouse-server',
      [`--config-file=${join(dir, 'config.xml')}`],
      { cwd: dir, stdio: 'ignore' },
    );
    ended = new Promise((resolve) => server.once('exit', resolve));
    while (!(await isUp())) {
      if (server.exitCode !== null) throw new Error(`ClickHouse ended with ${server.exitCode}.`);
      await delay(25);
    }
  };
  /** Without waiting for merges. */
  const stop = async () => {
    server.kill('SIGKILL');
    await ended;
  };
  /** Runs a statement as an operator would. */
  const run = async (statement: string): Promise<string> => {
    const answer = await fetch(origin, {
      method: 'POST',
      headers: { 'x-clickhouse-user': 'default', 'x-clickhouse-key': CLICKHOUSE_PASSWORD },
      body: statement,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  };
  await start();
  return {
    port,
    tcpPort,
    pid: () => server.pid ?? 0,
    urlOf: (database: string) => `clickhouse://default:${CLICKHOUSE_PASSWORD}@127.0.0.1:${port}/${database}`,
    start,
    stop,
    run,
    close: async () => {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
