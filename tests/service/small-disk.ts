import { spawnSync } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0;

/** A file system in memory, small enough to be filled. */
export type SmallDisk = {
  path: string;
  freeBytes(): number;
  /** Fills the free space, like another program. */
  fill(): void;
  /** Takes or returns space, like another program, until this many bytes are free. */
  leaveFree(bytes: number): void;
  /** Returns all of that space. */
  empty(): void;
  setReadOnly(isReadOnly: boolean): void;
  unmount(): void;
};

const tryToMount = (megabytes: number): SmallDisk | undefined => {
  const path = mkdtempSync(join(tmpdir(), 'penstock-disk-'));
  if (!mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path)) {
    rmSync(path, { recursive: true });
    return undefined;
  }
  const filler = join(path, 'filler');
  return {
    path,
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    },
    fill: () => {
      const file = openSync(filler, 'a');
      try {
        for (const chunk of [Buffer.alloc(1_048_576), Buffer.alloc(4_096)])
          try {
            while (writeSync(file, chunk) > 0);
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          }
      } finally {
        closeSync(file);
      }
    },
    leaveFree: (bytes) => {
      const file = openSync(filler, 'a');
      try {
        const { bavail, bsize } = statfsSync(path);
        ftruncateSync(file, Math.max(0, fstatSync(file).size - Math.max(0, bytes - bavail * bsize)));
        const chunk = Buffer.alloc(262_144);
        for (let left = bavail * bsize - bytes; left > 0; left -= chunk.length)
          writeSync(file, chunk, 0, Math.min(left, chunk.length));
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler, { force: true }),
    setReadOnly: (isReadOnly) => {
      if (!mount('-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, path)) throw new Error(`${path} is in use.`);
    },
    unmount: () => {
      spawnSync('umount', ['-l', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
};

/** @throws if the disk cannot be mounted */
export const mountSmallDisk = (megabytes: number): SmallDisk => {
  const disk = tryToMount(megabytes);
  if (disk === undefined) throw new Error('A small file system cannot be mounted.');
  return disk;
};

/** Mounting needs root, and a sandbox that allows it. */
export const canMountDisk = (): boolean => {
  const disk = tryToMount(1);
  disk?.unmount();
  return disk !== undefined;
};

/** A disk whose file system can fail: it then rejects all changes, and is read-only or still mounted as writable. */
export type FailingDisk = {
  path: string;
  fail(): void;
  unmount(): void;
};

/** Undefined if it cannot be mounted. */
export const mountFailingDisk = (megabytes: number): FailingDisk | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-disk-'));
  const [image, path] = [join(folder, 'image'), join(folder, 'disk')];
  mkdirSync(path);
  writeFileSync(image, '');
  truncateSync(image, megabytes * 1_048_576);
  const unmount = () => {
    spawnSync('umount', ['-l', path]);
    rmSync(folder, { recursive: true, force: true });
  };
  if (spawnSync('mkfs.ext4', ['-q', '-F', image]).status !== 0 || !mount('-o', 'loop', image, path)) {
    unmount();
    return undefined;
  }
  // https://www.kernel.org/doc/html/latest/admin-guide/ext4.html: abort simulates an error of the disk.
  return { path, fail: () => void mount('-o', 'remount,abort', path), unmount };
};
