import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MAIN } from '#tests/service/built-service.ts';
import { programEnv } from '#tests/service/program-env.ts';
import { startEnv, startFlags } from '#tests/service/start-flags.ts';
import { freePort } from '#tests/service/free-port.ts';
import { startProcessProxy } from './process-proxy.ts';

const ANSWERS_WITHIN_MS = 120_000;
const CALL_WITHIN_MS = 10_000;

/** The number of a process, or the proxy in front of all. */
export type CallTarget = number | 'proxy';

/** The processes of a service on one database behind a proxy, each with a data directory and a port of its own. */
export const startSharedProcesses = async (count: number, dir: string, variables: Record<string, string>) => {
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const proxy = await startProcessProxy(ports);
  const children: ChildProcess[] = [];
  let output = '';
  const launch = (n: number): void => {
    const log = openSync(join(dir, `process-${n}.log`), 'a');
    const child = spawn(process.execPath, [...startFlags, MAIN], {
      env: {
        ...programEnv,
        ...startEnv,
        ...variables,
        DATA_DIR: join(dir, `data-${n}`),
        PORT: String(ports[n]),
        MQTT_PORT: '0',
        SEED: 'none',
        ALLOWED_NETWORKS: '127.0.0.0/8',
      },
      stdio: ['ignore', 'pipe', log],
    });
    closeSync(log);
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    children[n] = child;
  };
  const hasEnded = (n: number): boolean => children[n]!.exitCode !== null || children[n]!.signalCode !== null;
  const end = async (n: number, signal: NodeJS.Signals): Promise<void> => {
    if (hasEnded(n)) return;
    const exited = new Promise((resolve) => children[n]!.once('exit', resolve));
    children[n]!.kill(signal);
    if (signal !== 'SIGSTOP') await exited;
  };
  const resume = (n: number): void => void children[n]!.kill('SIGCONT');
  let token = '';
  const fetchFrom = (
    at: CallTarget,
    method: string,
    path: string,
    { body, withinMs = CALL_WITHIN_MS }: { body?: unknown; withinMs?: number } = {},
  ) =>
    fetch(`${at === 'proxy' ? proxy.url : `http://127.0.0.1:${ports[at]}`}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(withinMs),
    });
  const call = async (at: CallTarget, method: string, path: string, body?: unknown) => {
    const response = await fetchFrom(at, method, path, { body });
    return { status: response.status, body: await response.json() };
  };
  const answers = async (n: number): Promise<void> => {
    const untilMs = performance.now() + ANSWERS_WITHIN_MS;
    while ((await call(n, 'GET', '/v1/health').catch(() => undefined))?.status !== 200) {
      if (performance.now() > untilMs || hasEnded(n)) throw new Error(`Process ${n} does not answer.`);
      await delay(50);
    }
  };
  for (let n = 0; n < count; n += 1) {
    launch(n);
    await answers(n);
  }
  const link = /#signin=(\S+)/.exec(output)?.[1];
  ({ token } = (await call(0, 'POST', '/v1/sessions', { token: link })).body);
  return {
    launch,
    end,
    resume,
    hasEnded,
    call,
    fetchFrom,
    answers,
    proxyUrl: proxy.url,
    closeProxy: proxy.close,
    token,
    pids: () => children.map(({ pid }) => pid ?? 0),
  };
};
