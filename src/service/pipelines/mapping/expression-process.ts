import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { siblingProgram } from '../../platform/sibling-program.ts';
import {
  LIMIT_MS,
  type ExpressionAnswer,
  type ExpressionReport,
  type ExpressionRequest,
} from './expression-protocol.ts';

const ROOT = join(import.meta.dirname, '../../../..');
/** The built programs are in one folder, with all that they need. */
const READABLE =
  extname(import.meta.filename) === '.ts'
    ? [join(ROOT, 'src/'), join(ROOT, 'node_modules/'), join(ROOT, 'package.json')]
    : [join(import.meta.dirname, '/')];
const HEAP_MB = 64;
/** An idle process ends after this time, because it uses about 50 MB. */
const IDLE_MS = 60_000;

/** How a request ended. `late`, `died`: at the first message without an answer. `unstarted`: nothing was evaluated. */
export type ExpressionEnd = 'end' | 'late' | 'died' | 'unstarted';

export type ExpressionProcess = {
  /** Calls back with each answer, in order. Of the messages after the last answer, only the first was evaluated. */
  run(request: ExpressionRequest, onAnswer: (answer: ExpressionAnswer) => void): Promise<ExpressionEnd>;
  close(): void;
};

type Running = {
  child: ChildProcess;
  request: ExpressionRequest;
  onAnswer: (answer: ExpressionAnswer) => void;
  timer: NodeJS.Timeout | undefined;
  end: (end: ExpressionEnd) => void;
};

/**
 * The process has no environment, can only read the program, has no network access, and its memory is limited. It is
 * not a thread, because V8 ends the whole process if an allocation exceeds the limit of a thread.
 */
const startChild = (): ChildProcess =>
  fork(siblingProgram(import.meta.filename, 'expression-host'), [], {
    cwd: import.meta.dirname,
    env: {},
    execArgv: [
      `--max-old-space-size=${HEAP_MB}`,
      '--max-semi-space-size=4',
      '--disable-proto=delete',
      '--permission',
      '--allow-worker',
      ...READABLE.map((path) => `--allow-fs-read=${path}`),
    ],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });

const TICK_MS = 10;

/** CPU time of the main thread of a process in ms (proc(5), in ticks of 10 ms); undefined without /proc. */
const cpuMsOf = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1');
    // The fields after the name, which may contain any character, start with the third.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11);
    return (Number(user) + Number(system)) * TICK_MS;
  } catch {
    return undefined;
  }
};

/** When the last report of a process arrived, and its CPU time by then, in ms. */
type Progress = { readonly atMs: number; readonly cpuMs: number };

/** The remaining time for a message, in ms. If the CPU time is unknown, the wall time counts instead. */
const leftMs = ({ pid }: ChildProcess, { atMs, cpuMs }: Progress): number => {
  const nowCpuMs = pid === undefined ? undefined : cpuMsOf(pid);
  if (nowCpuMs === undefined || performance.now() - atMs >= LIMIT_MS.wall) return 0;
  return LIMIT_MS.hard - (nowCpuMs - cpuMs);
};

/** A process that evaluates expressions, one request at a time. Starts on demand, and again after it ended. */
export const createExpressionProcess = (): ExpressionProcess => {
  let child: ChildProcess | undefined;
  let isReady = false;
  let running: Running | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Progress = { atMs: 0, cpuMs: 0 };
  let isClosed = false;

  const kill = () => {
    child?.kill('SIGKILL');
    child = undefined;
    isReady = false;
  };

  const finish = (end: ExpressionEnd) => {
    const ended = running;
    running = undefined;
    clearTimeout(ended?.timer);
    clearTimeout(idle);
    if (end === 'late') kill();
    else idle = setTimeout(kill, IDLE_MS).unref();
    ended?.end(end);
  };

  const watch = (run: Running, forMs: number) => {
    clearTimeout(run.timer);
    const seen = last;
    run.timer = setTimeout(() => {
      // After pending reports are read: this process may have been the slow one.
      setImmediate(() => {
        if (running !== run || last !== seen) return;
        const left = leftMs(run.child, seen);
        if (left > 0) watch(run, Math.max(TICK_MS, left));
        else finish('late');
      });
    }, forMs);
  };

  const recordProgress = (cpuMs: number) => {
    last = { atMs: performance.now(), cpuMs };
  };

  const begin = (run: Running) => {
    recordProgress(last.cpuMs);
    watch(run, LIMIT_MS.hard);
    run.child.send(run.request, (error) => {
      if (error !== null && running === run) finish('died');
    });
  };

  const start = (): ChildProcess => {
    const fresh = startChild();
    fresh.on('message', ({ what, cpuMs }: ExpressionReport) => {
      if (child !== fresh) return;
      recordProgress(cpuMs);
      if (what === 'ready') {
        isReady = true;
        if (running !== undefined) begin(running);
      } else if (what === 'end') finish('end');
      else if (running !== undefined) {
        watch(running, LIMIT_MS.hard);
        running.onAnswer(what);
      }
    });
    const gone = () => {
      if (child !== fresh) return;
      const wasReady = isReady;
      child = undefined;
      isReady = false;
      if (running !== undefined) finish(wasReady ? 'died' : 'unstarted');
    };
    fresh.on('exit', gone);
    fresh.on('error', gone);
    return fresh;
  };

  return {
    run: (request, onAnswer) =>
      new Promise((resolve) => {
        if (isClosed) return resolve('unstarted');
        clearTimeout(idle);
        child ??= start();
        running = { child, request, onAnswer, timer: undefined, end: resolve };
        if (isReady) begin(running);
      }),
    close: () => {
      isClosed = true;
      clearTimeout(idle);
      kill();
      if (running !== undefined) finish('unstarted');
      clearTimeout(idle);
    },
  };
};
