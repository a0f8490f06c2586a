import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { readSyncedBytes, traceLog } from '#tests/kill/parts/synced-bytes.ts';
import { cutWal } from '#tests/kill/parts/wal-cuts.ts';
import { canTrace } from './strace.ts';
import { startTracedService, type TracedService } from './start-traced-service.ts';

const WRITERS = 12;
const ANSWERS = 150;
const GARBAGE_BYTES = 4_096;

/** Registers devices from several clients at once, and kills the service among the answers. Returns the answered IDs. */
const registerUntilKilled = async ({ url, token, kill }: TracedService): Promise<string[]> => {
  const answered: string[] = [];
  let killed: Promise<void> | undefined;
  const write = async (writer: number) => {
    for (let n = 0; killed === undefined; n += 1) {
      const response = await fetch(`${url}/v1/devices`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: `Pump ${writer}-${n}` }),
      }).catch(() => undefined);
      if (response?.status !== 201) return;
      answered.push(((await response.json()) as { id: string }).id);
      if (answered.length >= ANSWERS) killed ??= kill();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer).catch(() => undefined)));
  await killed;
  return answered;
};

it.skipIf(!canTrace())(
  'keeps every answered change after a loss of power, though changes made at once share a sync of the disk',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'penstock-power-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const [dataDir, traceFile, image] = [join(root, 'data'), join(root, 'trace'), join(root, 'image.db')];
    mkdirSync(dataDir);
    const wal = join(dataDir, 'penstock.db-wal');
    const service = await startTracedService(dataDir, traceLog(wal, traceFile));
    const answered = await registerUntilKilled(service);
    const { synced, syncs } = readSyncedBytes(traceFile);
    expect(syncs).toBeLessThan(answered.length);
    for (const torn of [0, GARBAGE_BYTES]) {
      copyFileSync(join(dataDir, 'penstock.db'), image);
      copyFileSync(wal, `${image}-wal`);
      rmSync(`${image}-shm`, { force: true });
      cutWal(`${image}-wal`, synced, torn);
      const db = openSqlite(image);
      const stored = new Set(
        db
          .prepare('SELECT id FROM device')
          .all()
          .map(({ id }) => id),
      );
      db.close();
      expect(answered.filter((id) => !stored.has(id))).toEqual([]);
    }
  },
  120_000,
);
