import { spawn, type ChildProcess } from 'node:child_process';
import { programEnv } from './program-env.ts';

export type ProgramOutput = { code: number | null; stdout: string; stderr: string };

export type RunningProgram = {
  child: ChildProcess;
  /** The output so far. */
  output: Readonly<ProgramOutput>;
  /** Resolves when the last process that writes to the output has ended. */
  ended: Promise<ProgramOutput>;
};

/** Runs a program in a process of its own, with a clean environment: Node with `args`, unless `command` is given. */
export const runProgram = (
  args: readonly string[],
  env: Record<string, string>,
  command = process.execPath,
  cwd = process.cwd(),
): RunningProgram => {
  const child = spawn(command, args, { cwd, env: { ...programEnv, ...env } });
  const output: ProgramOutput = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  const ended = new Promise<ProgramOutput>((resolve) =>
    child.on('close', (code) => resolve(Object.assign(output, { code }))),
  );
  return { child, output, ended };
};
