import { beforeAll, describe, expect, it } from 'vitest';
import { runStoreKills, type StoreKills } from '../kill/parts/run-store-kills.ts';
import { Content, operationOf } from '../kill/parts/store-history.ts';
import { WriterHistory } from '../kill/parts/writer-history.ts';
import { canTrace } from './strace.ts';

/** The fourth kill is traced, and its log is cut after its last sync. */
const KILLS = 100;
const SEED = 5;

describe('a telemetry store keeps every answered sample, once and with its value,', () => {
  const lines: string[] = [];
  let result: StoreKills;
  beforeAll(async () => {
    result = await runStoreKills({ times: KILLS, seed: SEED }, (line) => lines.push(line));
  }, 600_000);

  it('through kills', () => {
    expect(result.faults, `after ${lines.join('\n')}`).toEqual([]);
    expect(result.kills).toBe(KILLS);
    expect(result.operations).toBeGreaterThan(KILLS);
  });

  it.skipIf(!canTrace())('through losses of power', () => {
    expect(result.faults, `after ${lines.join('\n')}`).toEqual([]);
    expect(result.cutLogs).toBeGreaterThan(0);
  });
});

describe('after a kill during a removal', () => {
  /** Operation 9 of the first writer removes samples before second 2 of three of the six metrics. */
  const [writer, removal] = [0, 9];
  const operations = Array.from({ length: removal + 1 }, (_, n) => operationOf(SEED, writer, n));
  const written = operations.flatMap((operation) => ('write' in operation ? operation.write : []));
  const removed = written.findLast(({ metric, ts }) => metric === 'temperature' && ts < 1_500)!;
  const kept = written.findLast(({ metric }) => metric === 'humidity')!;
  const faultWith = (change: (content: Content) => void) => {
    const [content, history] = [new Content(), new WriterHistory(SEED, writer)];
    history.advanceTo(removal - 1);
    for (const operation of operations) content.apply(operation);
    change(content);
    return history.faultOf(content);
  };

  it('samples of the removal may be left, but only with their values', () => {
    expect(faultWith((content) => content.set(removed.metric, removed.ts, removed.value))).toBeUndefined();
    expect(faultWith((content) => content.set(removed.metric, removed.ts, -1))).toContain('dev_0 holds');
  });

  it('all other samples must be there, and no more', () => {
    const { metric, ts } = kept;
    const lost = { devices: [], metrics: [metric], fromMs: ts, toMs: ts + 1 };
    expect(
      faultWith((content) => {
        content.set(removed.metric, removed.ts, removed.value);
        content.remove(lost);
      }),
    ).toContain('dev_0 holds');
    expect(faultWith((content) => content.set(metric, 9e12, 1))).toContain('dev_0 holds');
  });
});
