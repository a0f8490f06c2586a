import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  LIMIT_MS,
  type ExpressionAnswer,
  type ExpressionReport,
  type ExpressionRequest,
} from './expression-protocol.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const HEAP_MB = 64;
/** One that has nothing to do goes: it holds some 50 MB. */
const IDLE_MS = 60_000;

/** How a request ended: `late` and `died` for the first message that has no answer; `unstarted`: nothing was tried. */
export type ExpressionEnd = 'end' | 'late' | 'died' | 'unstarted';

export type ExpressionProcess = {
  /** Gives each answer as it comes, in order. The messages after the last answer were not tried, but for the first. */
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
 * It has no environment, may read nothing but the program and reach no network by itself, and its memory is limited.
 * A process rather than a thread: V8 ends the whole process where one allocation is larger than what a thread may
 * have.
 */
const startChild = (): ChildProcess =>
  fork(join(import.meta.dirname, 'expression-host.ts'), [], {
    cwd: ROOT,
    env: {},
    execArgv: [
      `--max-old-space-size=${HEAP_MB}`,
      '--max-semi-space-size=4',
      '--disable-proto=delete',
      '--permission',
      '--allow-worker',
      `--allow-fs-read=${join(ROOT, 'src')}/`,
      `--allow-fs-read=${join(ROOT, 'node_modules')}/`,
      `--allow-fs-read=${join(ROOT, 'package.json')}`,
    ],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });

const TICK_MS = 10;

/** CPU time of the main thread of a process in ms (proc(5), in ticks of 10 ms); undefined where there is no such file. */
const cpuMsOf = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1');
    // Behind the name, which may hold anything: the fields from the third on.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11);
    return (Number(user) + Number(system)) * TICK_MS;
  } catch {
    return undefined;
  }
};

/** When the last sign of a process came, and what it had computed by then, in ms. */
type Sign = { readonly atMs: number; readonly cpuMs: number };

/** How long a message may be computed on still, in ms. Where nobody tells the CPU time, the clock has counted it. */
const leftMs = ({ pid }: ChildProcess, { atMs, cpuMs }: Sign): number => {
  const nowCpuMs = pid === undefined ? undefined : cpuMsOf(pid);
  if (nowCpuMs === undefined || performance.now() - atMs >= LIMIT_MS.wall) return 0;
  return LIMIT_MS.hard - (nowCpuMs - cpuMs);
};

/** One process that evaluates expressions, one request at a time. It starts when it is needed, and again after its end. */
export const createExpressionProcess = (): ExpressionProcess => {
  let child: ChildProcess | undefined;
  let isReady = false;
  let running: Running | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Sign = { atMs: 0, cpuMs: 0 };
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
      // After what waits to be read: it is this process that may have been late.
      setImmediate(() => {
        if (running !== run || last !== seen) return;
        const left = leftMs(run.child, seen);
        if (left > 0) watch(run, Math.max(TICK_MS, left));
        else finish('late');
      });
    }, forMs);
  };

  const seenDevices = (cpuMs: number) => {
    last = { atMs: performance.now(), cpuMs };
  };

  const begin = (run: Running) => {
    seenDevices(last.cpuMs);
    watch(run, LIMIT_MS.hard);
    run.child.send(run.request, (error) => {
      if (error !== null && running === run) finish('died');
    });
  };

  const start = (): ChildProcess => {
    const fresh = startChild();
    fresh.on('message', ({ what, cpuMs }: ExpressionReport) => {
      if (child !== fresh) return;
      seenDevices(cpuMs);
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
