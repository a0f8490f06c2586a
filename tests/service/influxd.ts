import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { findProgram } from './installed.ts';

const ADMIN = 'canary-of-the-influx-owner';

type Answer = { results: { series?: { columns: string[]; values: unknown[][] }[]; error?: string }[] };

/** An InfluxDB 1 on loopback that requires credentials, can be restarted, and can be read as its owner. */
export const startInfluxd = async (at: { port?: number; backupPort?: number } = {}) => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-influxd-'));
  const port = at.port ?? (await freePort());
  const backupPort = at.backupPort ?? (await freePort());
  const file = (name: string) => join(dir, name);
  writeFileSync(
    file('influxdb.conf'),
    [
      'reporting-disabled = true',
      `bind-address = "127.0.0.1:${backupPort}"`,
      `[meta]\ndir = "${file('meta')}"`,
      `[data]\ndir = "${file('data')}"\nwal-dir = "${file('wal')}"`,
      `[http]\nbind-address = "127.0.0.1:${port}"\nauth-enabled = true\nlog-enabled = false\nmax-body-size = 500000`,
      '[monitor]\nstore-enabled = false',
      '',
    ].join('\n'),
  );
  const url = `http://127.0.0.1:${port}`;
  let server: ChildProcess;
  let ended: Promise<unknown>;
  const isUp = (): Promise<boolean> =>
    fetch(`${url}/ping`).then(
      ({ status }) => status === 204,
      () => false,
    );
  const start = async () => {
    server = spawn(findProgram('influxd') ?? 'influxd', ['-config', file('influxdb.conf')], {
      stdio: 'ignore',
    });
    ended = new Promise((resolve) => server.once('exit', resolve));
    while (!(await isUp())) {
      if (server.exitCode !== null) throw new Error(`influxd ended with ${server.exitCode}.`);
      await delay(25);
    }
  };
  const stop = async () => {
    server.kill('SIGKILL');
    await ended;
  };
  /** Rows of a statement of InfluxQL, with times in epoch ms. */
  const query = async (statement: string, database = ''): Promise<Record<string, unknown>[]> => {
    const response = await fetch(`${url}/query?epoch=ms&db=${encodeURIComponent(database)}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`owner:${ADMIN}`).toString('base64')}` },
      body: new URLSearchParams({ q: statement }),
    });
    const { results } = (await response.json()) as Answer;
    const { error, series = [] } = results[0] ?? { error: `${response.status}` };
    if (error !== undefined) throw new Error(error);
    return series.flatMap(({ columns, values }) =>
      values.map((row) => Object.fromEntries(row.map((cell, i) => [columns[i], cell]))),
    );
  };
  await start();
  await query(`create user owner with password '${ADMIN}' with all privileges`);
  return {
    url,
    port,
    password: ADMIN,
    signal: (signal: NodeJS.Signals) => void server.kill(signal),
    start,
    stop,
    query,
    close: async () => {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
