import { spawnSync } from 'node:child_process';

/** Whether processes can be traced here: strace is installed, and the system allows it. */
export const canTrace = (): boolean =>
  spawnSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0;
