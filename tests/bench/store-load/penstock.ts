import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAIN } from '../../service/built-service.ts';
import { freePort } from '../../service/free-port.ts';
import { programEnv } from '../../service/program-env.ts';
import { startEnv, startFlags } from '../../service/start-flags.ts';
import {
  DEVICES,
  deviceOf,
  endMs,
  METRICS,
  POINTS,
  SERIES,
  startMs,
  valueOf,
  type Write,
} from './sample-walk.ts';
import { send } from './send.ts';

/** A write in line protocol. */
export const lineBody = (write: Write, unit: 'ms' | 'ns'): string =>
  Array.from({ length: DEVICES }, (_, device) => {
    const fields = METRICS.map((name, metric) => `${name}=${valueOf(write, device, metric)}`).join(',');
    return `sensors,device=${deviceOf(device)} ${fields} ${write.ts}${unit === 'ns' ? '000000' : ''}\n`;
  }).join('');

export type PenstockBody = { readonly path: string; readonly type: string; bodyOf(write: Write): string };

/** The formats of a write to Penstock. */
export const PENSTOCK_BODIES: Record<string, PenstockBody> = {
  'JSON rows': {
    path: '/v1/telemetry',
    type: 'application/json',
    bodyOf: (write) =>
      JSON.stringify({
        samples: Array.from({ length: DEVICES }, (_, device) => ({
          device: deviceOf(device),
          ts: write.ts,
          values: Object.fromEntries(METRICS.map((name, metric) => [name, valueOf(write, device, metric)])),
        })),
      }),
  },
  'JSON columns': {
    path: '/v1/telemetry',
    type: 'application/json',
    bodyOf: (write) =>
      JSON.stringify({
        series: Array.from({ length: SERIES }, (_, i) => ({
          device: deviceOf(Math.floor(i / METRICS.length)),
          metric: METRICS[i % METRICS.length],
          ts: [write.ts],
          values: [write.tenths[i]! / 10],
        })),
      }),
  },
  'line protocol': {
    path: '/write?precision=ms',
    type: 'text/plain',
    bodyOf: (write) => lineBody(write, 'ms'),
  },
};

export const launch = (program: string, args: string[], env: NodeJS.ProcessEnv = process.env) => {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return { child, pid: child.pid ?? 0, exited };
};
/** A process of Penstock with a data directory of its own. `signinToken`: of the first start; empty if the database was used before. */
export const startProcess = async (env: Record<string, string> = {}) => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-bench-'));
  const port = await freePort();
  const profile =
    process.env['CPU_PROFILE'] === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${process.env['CPU_PROFILE']}`];
  const { child, pid, exited } = launch(process.execPath, [...profile, ...startFlags, MAIN], {
    ...programEnv,
    ...startEnv,
    DATA_DIR: dir,
    PORT: String(port),
    MQTT_PORT: '0',
    SEED: 'none',
    LOG_LEVEL: 'error',
    ...env,
  });
  const signinToken = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const found = /#signin=(\S+)/.exec(output)?.[1];
      if (found !== undefined || output.includes('Penstock is running')) resolve(found ?? '');
    });
    void exited.then(() => reject(new Error('Penstock did not start.')));
  });
  return {
    pid,
    dir,
    origin: `http://127.0.0.1:${port}`,
    signinToken,
    stop: async () => {
      child.kill();
      await exited;
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
};

/** The token of a session. */
export const signIn = async (origin: string, signinToken: string): Promise<string> => {
  const body = JSON.stringify({ token: signinToken });
  const text = await send(`${origin}/v1/sessions`, 'POST', { 'content-type': 'application/json' }, body);
  return (JSON.parse(text) as { token: string }).token;
};

/** Calls of one process. */
export const callsOf = (
  origin: string,
  token: string,
  { path, type }: Pick<PenstockBody, 'path' | 'type'>,
) => {
  const url = `${origin}/v1`;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const range = { from: startMs, to: endMs + 1 };
  return {
    write: (body: string) => send(`${origin}${path}`, 'POST', { ...headers, 'content-type': type }, body),
    /** The buckets of one metric of some devices over the whole range. */
    query: (devices: readonly number[], metric: string) =>
      send(
        `${url}/telemetry/query`,
        'POST',
        headers,
        JSON.stringify({ devices: devices.map(deviceOf), metrics: [metric], ...range, points: POINTS }),
      ),
    latest: async () => {
      for (let first = 0; first < DEVICES; first += 100)
        await send(
          `${url}/telemetry/latest?${Array.from({ length: 100 }, (_, n) => `device=${deviceOf(first + n)}`).join('&')}`,
          'GET',
          headers,
        );
    },
  };
};
