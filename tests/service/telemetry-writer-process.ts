import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { batchOf } from './batch-of.ts';

/**
 * A process that is made to be killed: several writers fill a store as fast as it answers. Says `<writer> <n>` after
 * write `n` of a writer was acknowledged. A write holds two series, so that half of one would be seen.
 */
const WRITERS = 4;

const [dataDir = ''] = process.argv.slice(2);
const store = await openSqliteTelemetryStore(dataDir);

const batchWith = (device: string, n: number) =>
  batchOf([
    { device, metric: 'number', ts: n, value: n / 10 },
    { device, metric: 'text', ts: n, value: `value ${n}` },
  ]);

await Promise.all(
  Array.from({ length: WRITERS }, async (_, writer) => {
    for (let n = 1; ; n += 1) {
      await store.write(batchWith(`dev_${writer}`, n));
      process.stdout.write(`${writer} ${n}\n`);
    }
  }),
);
