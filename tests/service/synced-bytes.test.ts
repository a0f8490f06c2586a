import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readSyncedBytes } from '#tests/kill/parts/synced-bytes.ts';

const syncedIn = (lines: readonly string[]): number => {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-trace-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'trace');
  writeFileSync(file, lines.join('\n'));
  return readSyncedBytes(file).synced;
};
const WRITTEN = ['7 pwrite64(27, ""..., 4096, 56)   = 4096', '7 fsync(27)   = 0'];

it.each([
  ['is synced up to the last sync', [], 4_152],
  ['is empty after it was truncated', ['7 ftruncate(27, 0)   = 0'], 0],
  ['keeps its bytes if a kill interrupts the truncation', ['7 ftruncate(27, 0)   = ?'], 4_152],
])('a traced log %s', (_, more, synced) => {
  expect(syncedIn([...WRITTEN, ...more])).toBe(synced);
});
