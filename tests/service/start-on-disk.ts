import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { MAIN } from './built-service.ts';
import { runProgram } from './run-program.ts';
import { signinTokenIn } from './signin-token.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

export type Program = {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  ended: Promise<number | null>;
};

export const run = (
  file: string,
  disk: Pick<SmallDisk, 'path'>,
  env: Record<string, string> = {},
): Program => {
  const dataDir = join(disk.path, 'data');
  const { child, output, ended } = runProgram([file], {
    PORT: '0',
    MQTT_PORT: '0',
    RESERVE_MB: '8',
    DATA_DIR: dataDir,
    ...env,
  });
  return {
    child,
    ended: ended.then(({ code }) => code),
    stdout: () => output.stdout,
    stderr: () => output.stderr,
  };
};

export const start = async (disk: Pick<SmallDisk, 'path'>, env: Record<string, string> = {}) => {
  const program = run(MAIN, disk, { SEED: 'none', ...env });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  await expect.poll(() => program.stderr(), { timeout: 30_000 }).toContain('"listening"');
  const url = /"url":"([^"]+)"/.exec(program.stderr())?.[1] ?? '';
  const request = async (
    method: string,
    path: string,
    { token = '', body }: { token?: string; body?: unknown } = {},
    // oxlint-disable-next-line typescript/no-explicit-any
  ): Promise<{ status: number; body: any }> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  const signIn = async (signinToken: string): Promise<string> => {
    const { status, body } = await request('POST', '/v1/sessions', { body: { token: signinToken } });
    expect([status, body.code]).toEqual([201, undefined]);
    return body.token;
  };
  return { ...program, request, signIn, readSigninToken: () => signinTokenIn(program.stdout) };
};

export const stop = async (program: Program): Promise<void> => {
  program.child.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(program.stderr()).not.toContain('did not stop in time');
};

export const linesWith = (text: string, part: string): string[] =>
  text.split('\n').filter((line) => line.includes(part));

export const samples = (device: string, values: number) => ({
  samples: Array.from({ length: values / 10 }, (_, index) => ({
    device,
    ts: Date.now() - index * 1_000,
    values: Object.fromEntries(Array.from({ length: 10 }, (__, metric) => [`m${metric}`, Math.random()])),
  })),
});

/** A small disk with a data directory, unmounted after the test. */
export const getDisk = (megabytes: number): SmallDisk => {
  const disk = mountSmallDisk(megabytes);
  onTestFinished(() => disk.unmount());
  mkdirSync(join(disk.path, 'data'));
  return disk;
};
