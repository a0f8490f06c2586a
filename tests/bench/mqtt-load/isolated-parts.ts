import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageColumns } from '#service/pipelines/formats/message-columns.ts';
import { MessageWriter } from '#service/pipelines/formats/message-writer.ts';
import { readMessage } from '#service/pipelines/formats/read-message.ts';
import { defaultTimeRule } from '#service/telemetry/write/sample-time.ts';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { batchOf } from '#tests/service/batch-of.ts';

/** By the number of values in a message. `cpu`: the share of one core that all threads used. */
type Figures = Record<number, { perSecond: number; cpu: number }>;

const MESSAGES = 500;
const DEVICES = 100;
const MEASURED_MS = 5_000;
const WARM_UP_MS = 1_000;

const payloadOf = (values: number, ts: number): Buffer => {
  const more = Array.from({ length: values - 1 }, (_, index) => `,"m${index + 1}":${20 + index}.25`).join('');
  return Buffer.from(`{"ts":${ts},"temp":21.5${more}}`);
};

/** Messages per second from bytes to columns, in batches like those of the intake, on one thread. */
export const measureMapping = (): Figures => {
  const figures: Figures = {};
  for (const values of [1, 10]) {
    const messages = Array.from({ length: MESSAGES }, (_, index) => ({
      bytes: payloadOf(values, 1_750_000_000_000 + index),
      topic: null,
      device: `bench-${index % DEVICES}`,
    }));
    const runFor = (ms: number): { perSecond: number; cpu: number } => {
      let count = 0;
      const [begun, before] = [performance.now(), process.cpuUsage()];
      while (performance.now() - begun < ms) {
        const columns = new MessageColumns(defaultTimeRule);
        for (const message of messages)
          readMessage(message, { nowMs: 1_750_000_000_000 }, new MessageWriter(columns));
        columns.parser.reading();
        count += MESSAGES;
      }
      const tookMs = performance.now() - begun;
      const { user, system } = process.cpuUsage(before);
      return { perSecond: count / (tookMs / 1_000), cpu: (user + system) / 1_000 / tookMs };
    };
    runFor(WARM_UP_MS);
    figures[values] = runFor(MEASURED_MS);
  }
  return figures;
};

/** Messages per second that the store writes to disk, with enough concurrent writes to keep it busy. */
export const measureStore = async (): Promise<Figures> => {
  const figures: Figures = {};
  for (const values of [1, 10]) {
    const dir = mkdtempSync(join(tmpdir(), 'penstock-bench-store-'));
    const store = await openSqliteTelemetryStore(dir);
    const metrics = ['temp', ...Array.from({ length: values - 1 }, (_, index) => `m${index + 1}`)];
    const batch = batchOf(
      Array.from({ length: MESSAGES * values }, (_, i) => ({
        device: `dev_${Math.floor(i / values) % DEVICES}`,
        metric: metrics[i % values]!,
        ts: Math.floor(i / (DEVICES * values)),
        value: 20 + (i % 100) / 10,
      })),
    );
    let ts = Date.now() - 3_600_000;
    const write = async (): Promise<void> => {
      const first = ts;
      ts += MESSAGES / DEVICES;
      await store.write({ ...batch, ts: batch.ts.map((each) => first + each) });
    };
    const begun = performance.now();
    let [count, measuredFrom] = [0, 0];
    let cpu = process.cpuUsage();
    const writer = async () => {
      while (performance.now() - begun < WARM_UP_MS + MEASURED_MS) {
        await write();
        if (performance.now() - begun < WARM_UP_MS) continue;
        if (measuredFrom === 0) {
          measuredFrom = performance.now();
          cpu = process.cpuUsage();
        } else count += MESSAGES;
      }
    };
    await Promise.all([writer(), writer(), writer()]);
    const tookMs = performance.now() - measuredFrom;
    const { user, system } = process.cpuUsage(cpu);
    figures[values] = { perSecond: count / (tookMs / 1_000), cpu: (user + system) / 1_000 / tookMs };
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
  return figures;
};
