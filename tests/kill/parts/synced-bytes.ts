import { readFileSync } from 'node:fs';

/** The command that runs a program under strace, which logs to `traceFile` how a write-ahead log is written and synced. */
export const traceLog = (wal: string, traceFile: string): string[] => {
  const calls = 'trace=pwrite64,ftruncate,fsync,fdatasync';
  return ['strace', '-f', '-qq', '-s', '0', '-e', calls, '-P', wal, '-o', traceFile];
};

/**
 * The number of synced bytes of a write-ahead log, and how often it was synced, according to `traceLog`. The bytes after
 * them were written but not synced. The log had `inherited` bytes at the start.
 */
export const readSyncedBytes = (traceFile: string, inherited = 0): { synced: number; syncs: number } => {
  let [written, synced, syncs] = [inherited, inherited, 0];
  /** The bytes written before each sync that has begun, by thread. */
  const begun = new Map<string, number>();
  for (const line of readFileSync(traceFile, 'utf8').split('\n')) {
    const [thread = ''] = line.split(' ');
    const [, length, offset] = /pwrite64\(.*, (\d+), (\d+)(?:\)| <unfinished)/u.exec(line) ?? [];
    if (length !== undefined) written = Number(offset) + Number(length);
    // One that the kill interrupted (“= ?”) changed nothing, or left an empty log, which cannot be cut.
    const isTruncated = /ftruncate.*= 0$/u.test(line);
    if (isTruncated) written = 0;
    // The log starts over: its new header makes all following frames invalid.
    if (isTruncated || offset === '0') {
      synced = 0;
      for (const each of begun.keys()) begun.set(each, 0);
    }
    if (/f(?:data)?sync\(/u.test(line)) begun.set(thread, written);
    if (/f(?:data)?sync.*= 0(?: \(DELAYED\))?$/u.test(line)) {
      synced = Math.max(synced, begun.get(thread) ?? 0);
      syncs += 1;
    }
  }
  return { synced, syncs };
};
