import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MAIN } from '#tests/service/built-service.ts';
import { programEnv } from '#tests/service/program-env.ts';
import { startEnv, startFlags } from '#tests/service/start-flags.ts';
import { freePort } from '#tests/service/free-port.ts';

const ANSWERS_WITHIN_MS = 60_000;
const CALL_WITHIN_MS = 10_000;
const LAST_LINES = 20;

/**
 * The service as a separate process. It can be killed at any moment, and restarts with the same data and ports.
 * @param key a key that the data in `dir` has already; undefined: the service is new, and creates one
 */
export const startKillableService = async (
  dir: string,
  { env = {}, key }: { env?: Record<string, string>; key?: string } = {},
) => {
  const [port, mqttPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const dataDir = join(dir, 'data');
  const logFile = join(dir, 'service.log');
  let child: ChildProcess;
  let exited: Promise<unknown>;
  let isKilled = false;
  let output = '';
  let token = key ?? '';

  const launch = () => {
    const log = openSync(logFile, 'a');
    isKilled = false;
    child = spawn(process.execPath, [...startFlags, MAIN], {
      env: {
        ...programEnv,
        ...startEnv,
        DATA_DIR: dataDir,
        PORT: String(port),
        MQTT_PORT: String(mqttPort),
        SEED: 'none',
        ALLOWED_NETWORKS: '127.0.0.0/8',
        ...env,
      },
      stdio: ['ignore', 'pipe', log],
    });
    closeSync(log);
    exited = new Promise((resolve) => child.once('exit', resolve));
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  };

  const call = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_WITHIN_MS),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };

  /** @throws Error if the process ended without a kill */
  const assertAlive = (): void => {
    if (isKilled || (child.exitCode === null && child.signalCode === null)) return;
    const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LAST_LINES);
    throw new Error(
      `The service ended without a kill (${child.exitCode ?? child.signalCode}):\n${lines.join('\n')}`,
    );
  };

  const answered = async (path: string): Promise<void> => {
    const from = performance.now();
    for (;;) {
      const status = await call('GET', path).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200 || (status === 401 && token === '')) return;
      assertAlive();
      if (performance.now() - from > ANSWERS_WITHIN_MS)
        throw new Error(`The service did not answer within ${ANSWERS_WITHIN_MS} ms (${status}).`);
      await delay(10);
    }
  };

  const signIn = async () => {
    const link = /#signin=(\S+)/.exec(output)?.[1];
    ({ token } = (await call('POST', '/v1/sessions', { token: link })).body as { token: string });
    const { body } = await call('POST', '/v1/api-keys', {
      name: 'Kill',
      scopes: [
        'pipelines:read',
        'pipelines:write',
        'telemetry:read',
        'telemetry:write',
        'devices:read',
        'devices:write',
        'api-keys:manage',
      ],
    });
    token = (body as { secret: string }).secret;
  };

  /** Ends the process with `end`, and resolves when it has exited. */
  const endBy = async (end: (pid: number) => void): Promise<void> => {
    assertAlive();
    isKilled = true;
    end(child.pid ?? 0);
    await exited;
  };

  launch();
  await answered('/v1/pipelines');
  if (key === undefined) {
    while (!output.includes('#signin=')) await delay(10);
    await signIn();
  }

  return {
    url,
    mqttPort,
    dataDir,
    token: () => token,
    pid: () => child.pid ?? 0,
    call,
    /** Starts the process without waiting until it answers. */
    launch,
    start: async () => {
      launch();
      await answered('/v1/pipelines');
    },
    kill: () => endBy((pid) => void process.kill(pid, 'SIGKILL')),
    endBy,
    assertAlive,
  };
};
export type KillableService = Awaited<ReturnType<typeof startKillableService>>;
