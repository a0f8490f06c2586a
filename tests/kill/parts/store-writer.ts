import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { programEnv } from '../../service/program-env.ts';
import type { WriterOptions } from './store-writer-process.ts';

/** When the writing process is killed: at an answer, some ms after its first answer, or some ms after its start. */
export type Moment =
  { readonly atAnswer: number } | { readonly afterFirstAnswerMs: number } | { readonly afterStartMs: number };

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
  const traced = [
    '-f',
    '-qq',
    '-s',
    '0',
    '-e',
    'trace=pwrite64,ftruncate,fsync,fdatasync',
    '-P',
    wal,
    '-o',
    traceFile ?? '',
  ];
  const [program = '', ...args] = traceFile === undefined ? command : ['strace', ...traced, ...command];
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

/**
 * The number of synced bytes of the write-ahead log, according to strace. The bytes after them were written but not
 * synced. The log had `inherited` bytes at the start.
 */
export const syncedBytes = (traceFile: string, inherited: number): number => {
  let [written, synced] = [inherited, inherited];
  for (const line of readFileSync(traceFile, 'utf8').split('\n')) {
    const [, length, offset] = /pwrite64\(.*, (\d+), (\d+)(?:\)| <unfinished)/u.exec(line) ?? [];
    if (length !== undefined) {
      written = Number(offset) + Number(length);
      // The log starts over: its new header makes all following frames invalid.
      if (offset === '0') synced = 0;
    }
    if (line.includes('ftruncate')) [written, synced] = [0, 0];
    if (/f(?:data)?sync.*= 0$/u.test(line)) synced = written;
  }
  return synced;
};
