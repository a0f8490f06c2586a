import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEngine, type BackupEngine, type EngineName } from './backup-engines.ts';
import { startBackupLoad, type ExpectedBackup } from './backup-load.ts';
import { compareRestored } from './compare-restored.ts';
import { startKillableService, type KillableService } from './killable-service.ts';
import { seededRandom } from './seeded-random.ts';
import { storeHistory } from './stored-history.ts';

/** Before each backup, chosen by the seed. */
const PAUSE_MS = [1_000, 10_000] as const;
const MEBIBYTE = 1_048_576;

const count = (value: number): string => value.toLocaleString('en');
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const end = (pid: number): void => void process.kill(pid, 'SIGTERM');

type Print = (line: string) => void;
type Parts = { readonly dir: string; readonly engine: BackupEngine; readonly service: KillableService };

/** Takes backups while a load runs, and restores them. Returns the errors. */
const backUpUnderLoad = async (
  { dir, engine, service }: Parts,
  { times, seed }: { times: number; seed: number },
  print: Print,
): Promise<string[]> => {
  const random = seededRandom(seed);
  const faults: string[] = [];
  await storeHistory(service);
  const load = await startBackupLoad(service);

  /** Reports errors of the work with its name. */
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const compareBackup = async (file: string, n: number, expected: ExpectedBackup) => {
    const at = join(dir, `restored-${n}`);
    const dataDir = join(at, 'data');
    mkdirSync(at);
    const env = await engine.restore(file, dataDir);
    const restored = await startKillableService(at, { env, key: service.token() });
    try {
      return await compareRestored(restored, expected, dataDir);
    } finally {
      await restored.endBy(end);
    }
  };
  const takeBackup = async (n: number): Promise<void> => {
    const file = join(dir, `backup-${n}`);
    const begunMs = Date.now();
    const taken = await engine.take({ dataDir: service.dataDir, file, isSlow: n % 2 === 0 });
    const expected = load.expectedAt(taken.atMs);
    const endedMs = Date.now();
    if (taken.atMs < begunMs || taken.atMs > endedMs)
      throw new Error(`it names ${new Date(taken.atMs).toISOString()}, which is not within its command`);
    const result = await compareBackup(file, n, expected);
    const { answered, found, uncounted, items, stored } = result;
    if (taken.samples !== undefined && taken.samples !== stored)
      result.faults.push(`it names ${count(taken.samples)} samples, ${count(stored)} are there`);
    faults.push(...result.faults.map((fault) => `Backup ${n}: ${fault}`));
    print(
      `backup ${n}: ${(statSync(file).size / MEBIBYTE).toFixed(1)} MiB in ${seconds(endedMs - begunMs)}; ` +
        `${count(answered)} samples answered before, ${count(found)} found, ${count(uncounted)} of them not in a ledger; ` +
        `${items} devices, pipelines and API keys; checked in ${seconds(Date.now() - endedMs)}, ${result.faults.length} errors`,
    );
  };

  for (let n = 1; n <= times; n += 1) {
    await delay(PAUSE_MS[0] + random() * (PAUSE_MS[1] - PAUSE_MS[0]));
    await attempt(`Backup ${n}`, () => takeBackup(n));
  }
  await attempt('The service itself', async () => {
    await load.stop();
    service.assertAlive();
    const result = await compareRestored(service, load.expectedAt(Infinity), undefined);
    faults.push(...result.faults.map((fault) => `The service itself: ${fault}`));
    print(`the service itself: ${count(result.answered)} samples answered, ${count(result.found)} found`);
  });
  return faults;
};

const runOver = async (
  engine: BackupEngine,
  dir: string,
  plan: { times: number; seed: number },
  print: Print,
): Promise<string[]> => {
  const service = await startKillableService(dir, { env: engine.env });
  try {
    // A file in the place of the folder of exports: all samples of this pipeline wait in the spool.
    mkdirSync(join(service.dataDir, 'exports'), { recursive: true });
    writeFileSync(join(service.dataDir, 'exports/waiting'), '');
    return await backUpUnderLoad({ dir, engine, service }, plan, print);
  } finally {
    await service.endBy(end);
  }
};

/** Takes `times` backups of a service under load, and compares a service on each with what was answered. */
export const runBackups = async (
  { engine: engineName, ...plan }: { times: number; seed: number; engine: EngineName },
  print: Print,
): Promise<{ faults: string[]; keptAt: string | undefined }> => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-backups-'));
  const engine = await startEngine(engineName);
  try {
    const faults = await runOver(engine, dir, plan, print);
    if (faults.length > 0) return { faults, keptAt: dir };
    rmSync(dir, { recursive: true });
    return { faults, keptAt: undefined };
  } finally {
    await engine.close();
  }
};
