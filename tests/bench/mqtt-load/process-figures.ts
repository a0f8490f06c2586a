import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of /proc per second: USER_HZ, 100 on Linux. */
const TICKS_PER_SECOND = 100;

/** Seconds of CPU time of a process: of its main thread and of all threads. */
export const cpuSeconds = (pid: number): { main: number; all: number } => {
  const ticksOf = (file: string): number => {
    // The thread name in brackets may contain any character, so the fields are counted after it.
    const fields = readFileSync(file, 'utf8').split(') ')[1]!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  const tasks = readdirSync(`/proc/${pid}/task`);
  const all = tasks.reduce((sum, task) => sum + ticksOf(`/proc/${pid}/task/${task}/stat`), 0);
  return { main: ticksOf(`/proc/${pid}/task/${pid}/stat`) / TICKS_PER_SECOND, all: all / TICKS_PER_SECOND };
};

/** The peak memory of a process, in MiB. */
export const peakMebibytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
