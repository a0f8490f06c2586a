import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { MAIN } from './built-service.ts';
import { programEnv } from './program-env.ts';
import { signinTokenIn } from './signin-token.ts';

export type TracedService = {
  readonly url: string;
  readonly token: string;
  /** Resolves with the exit code, or the signal that ended the service. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  readonly stderr: () => string;
  /** Kills the service, not strace, which then writes the rest of its output. */
  kill(): Promise<void>;
};

/** Starts the service under strace. `strace`: the command without the program. */
export const startTracedService = async (
  dataDir: string,
  strace: readonly string[],
): Promise<TracedService> => {
  const [program, ...args] = [...strace, process.execPath, MAIN];
  const child = spawn(program, args, {
    detached: true,
    env: { ...programEnv, PORT: '0', MQTT_PORT: '0', SEED: 'none', DATA_DIR: dataDir },
  });
  // Strace and the service, which would outlive it.
  onTestFinished(() => {
    const isRunning = child.exitCode === null && child.signalCode === null;
    if (isRunning && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.on('close', (code, signal) => resolve(code ?? signal)),
  );
  await expect.poll(() => stderr, { timeout: 30_000 }).toContain('"listening"');
  const url = /"url":"([^"]+)"/u.exec(stderr)?.[1] ?? '';
  const response = await fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: await signinTokenIn(() => stdout) }),
  });
  const { token } = (await response.json()) as { token: string };
  const kill = async () => {
    const [service] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ');
    process.kill(Number(service), 'SIGKILL');
    await ended;
  };
  return { url, token, ended, stderr: () => stderr, kill };
};
