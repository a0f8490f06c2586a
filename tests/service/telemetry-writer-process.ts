import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import type { WriteBatch } from '#service/telemetry/store/telemetry-store.ts';

/**
 * A process that is made to be killed: several writers fill a store as fast as it answers. Says `<writer> <n>` after
 * write `n` of a writer was acknowledged. A write holds two series, so that half of one would be seen.
 */
const WRITERS = 4;

const [dataDir = ''] = process.argv.slice(2);
const store = await openSqliteTelemetryStore(dataDir);

const batchOf = (device: string, n: number): WriteBatch => ({
  series: [
    { device, metric: 'number', kind: 'number' },
    { device, metric: 'text', kind: 'string' },
  ],
  index: Uint32Array.of(0, 1),
  ts: Float64Array.of(n, n),
  value: [n / 10, `value ${n}`],
});

await Promise.all(
  Array.from({ length: WRITERS }, async (_, writer) => {
    for (let n = 1; ; n += 1) {
      await store.write(batchOf(`dev_${writer}`, n));
      process.stdout.write(`${writer} ${n}\n`);
    }
  }),
);
