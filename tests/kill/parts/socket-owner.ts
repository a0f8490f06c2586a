import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

const inHex = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;

/** The inode of the socket on loopback between two ports. Connections to other servers may have the same port at this end. */
const inodeOf = (from: number, to: number): string | undefined => {
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, local = '', remote = '', , , , , , , inode] = line.trim().split(/\s+/);
    if (local.endsWith(inHex(from)) && remote.endsWith(inHex(to))) return inode;
  }
  return undefined;
};

const hasSocket = (pid: number, inode: string): boolean => {
  const dir = `/proc/${pid}/fd`;
  return readdirSync(dir).some((fd) => {
    try {
      return readlinkSync(`${dir}/${fd}`) === `socket:[${inode}]`;
    } catch {
      // Closed meanwhile.
      return false;
    }
  });
};

/** Which of the processes has opened a connection on loopback; undefined if none has it any more. Linux only. */
export const findSocketOwner = (
  { from, to }: { from: number; to: number },
  pids: readonly number[],
): number | undefined => {
  const inode = inodeOf(from, to);
  if (inode === undefined) return undefined;
  return pids.find((pid) => {
    try {
      return hasSocket(pid, inode);
    } catch {
      // It has ended.
      return false;
    }
  });
};
