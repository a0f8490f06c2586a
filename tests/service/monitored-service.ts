import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StallReport } from '../kill/parts/stall-monitor.ts';
import { MAIN } from './built-service.ts';
import { freePort } from './free-port.ts';
import { programEnv } from './program-env.ts';
import { startEnv, startFlags } from './start-flags.ts';

const ROOT = join(import.meta.dirname, '../..');

export type MonitoredService = Awaited<ReturnType<typeof startMonitoredService>>;

/** Starts the service in its own process, which reports how long its event loop stalled. */
export const startMonitoredService = async (env: Record<string, string> = {}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-stall-'));
  const [port, mqttPort] = [await freePort(), await freePort()];
  const child = fork(MAIN, {
    execArgv: [...startFlags, '--import', join(ROOT, 'tests/kill/parts/stall-monitor.ts')],
    env: {
      ...programEnv,
      ...startEnv,
      DATA_DIR: dataDir,
      PORT: String(port),
      MQTT_PORT: String(mqttPort),
      SEED: 'none',
      LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const link = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const found = /#signin=(\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`The service ended: ${output}`)));
  });
  const url = `http://127.0.0.1:${port}`;

  const send = (
    method: string,
    path: string,
    body?: RequestInit['body'],
    headers: Record<string, string> = {},
  ) =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined || body === null ? {} : { body }),
    });
  let token = '';
  const session = await send('POST', '/v1/sessions', JSON.stringify({ token: link }));
  ({ token } = (await session.json()) as { token: string });

  return {
    url,
    token,
    mqttPort,
    send,
    /** The stalls since the last call. */
    stalls: async (): Promise<StallReport> => {
      const report = once(child, 'message');
      child.send('report');
      return (await report)[0] as StallReport;
    },
    close: async () => {
      child.kill('SIGTERM');
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
