import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { programEnv } from '../../service/program-env.ts';
import { traceLog } from './synced-bytes.ts';
import type { WriterOptions } from './store-writer-process.ts';

/** When the writing process is killed: at an answer, some ms after its first answer, or some ms after its start. */
export type Moment =
  | { readonly atAnswer: number }
  | { readonly afterFirstAnswerMs: number }
  | { readonly afterStartMs: number };

const PROGRAM = join(import.meta.dirname, 'store-writer-process.ts');

/** Runs the writing process until it is killed. Returns the last answered operation of each writer. */
export const runUntilKilled = async (
  options: Omit<WriterOptions, 'lastAnswer'>,
  moment: Moment,
  /** Where strace logs how the write-ahead log is written and synced; undefined: without strace. */
  traceFile?: string,
): Promise<{ answered: number[]; readyMs: number | undefined }> => {
  const lastAnswer = 'atAnswer' in moment ? moment.atAnswer : undefined;
  const command = [process.execPath, PROGRAM, JSON.stringify({ ...options, lastAnswer })];
  const wal = join(options.dataDir, 'telemetry.db-wal');
  const [program = '', ...args] =
    traceFile === undefined ? command : [...traceLog(wal, traceFile), ...command];
  const startedAt = performance.now();
  const child = spawn(program, args, { env: programEnv, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const answered = [...options.from].map((n) => n - 1);
  let readyMs: number | undefined;
  let pid: number | undefined;
  const kill = (): void => {
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    } catch {
      // It has already exited.
    }
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const [writer, n = ''] = line.split(' ');
    if (writer === 'pid') {
      pid = Number(n);
      if ('afterStartMs' in moment) setTimeout(kill, moment.afterStartMs);
      continue;
    }
    if (readyMs === undefined && 'afterFirstAnswerMs' in moment) setTimeout(kill, moment.afterFirstAnswerMs);
    readyMs ??= performance.now() - startedAt;
    answered[Number(writer)] = Number(n);
  }
  await exited;
  return { answered, readyMs };
};
