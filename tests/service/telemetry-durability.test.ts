import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { programEnv } from './program-env.ts';

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'penstock-durability-'));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Lets the writers run until so many writes were acknowledged, kills them, and gives back the last of each writer. */
const killAfter = async (acknowledged: number): Promise<Map<string, number>> => {
  const script = join(import.meta.dirname, 'telemetry-writer-process.ts');
  const child = spawn(process.execPath, [script, dataDir], {
    env: programEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const last = new Map<string, number>();
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [writer = '', n] = line.split(' ');
    last.set(writer, Number(n));
    count += 1;
    if (count === acknowledged) child.kill('SIGKILL');
  }
  await exited;
  return last;
};

it(
  'keeps every write that was acknowledged before a kill, and no partial write',
  { timeout: 60_000 },
  async () => {
    for (const acknowledged of [1, 40, 300, 1_000]) {
      const last = await killAfter(acknowledged);
      expect(last.size).toBeGreaterThan(0);
      const store = await openSqliteTelemetryStore(dataDir);
      for (const [writer, n] of last) {
        const selection = { devices: [`dev_${writer}`], fromMs: 0, toMs: Infinity };
        const { series } = await store.scan(selection, 1_000_000);
        const [numbers, texts] = series.map(({ ts, value }) => ({
          ts: Array.from(ts),
          value: Array.from<unknown>(value ?? []),
        }));
        expect(numbers?.ts.slice(0, n)).toEqual(Array.from({ length: n }, (_, i) => i + 1));
        expect(texts?.ts).toEqual(numbers?.ts);
        expect(numbers?.value).toEqual(numbers?.ts.map((at) => at / 10));
        expect(texts?.value).toEqual(numbers?.ts.map((at) => `value ${at}`));
      }
      await store.close();
    }
  },
);
