import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RingBuffer } from '#dashboard/charts/live/ring-buffer.ts';

const rowsOf = (buffer: RingBuffer) =>
  Array.from(buffer.ts.subarray(buffer.start, buffer.end), (ts, i) => [
    ts,
    buffer.column(1)[buffer.start + i],
  ]);

describe('a ring buffer', () => {
  it('holds the newest rows, ordered by time, whatever order they came in', () => {
    const row = fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer());
    fc.assert(
      fc.property(fc.array(fc.array(row)), fc.integer({ min: 1, max: 40 }), (batches, capacity) => {
        const buffer = new RingBuffer(2, capacity);
        const model = new Map<number, number>();
        for (const batch of batches) {
          buffer.push(
            batch.map(([ts]) => ts),
            batch.map(([, value]) => value),
          );
          for (const [ts, value] of batch) {
            model.set(ts, value);
            if (model.size > capacity) model.delete(Math.min(...model.keys()));
          }
        }
        expect(rowsOf(buffer)).toEqual([...model].toSorted(([a], [b]) => a - b));
      }),
    );
  });

  it('keeps its order through growth, wrap and removal at the front', () => {
    const buffer = new RingBuffer(2, 1_000);
    for (let at = 0; at < 5_000; at += 7) {
      buffer.push([at, at + 1, at + 2], [at, at, at]);
      buffer.dropBefore(at - 900);
    }
    const rows = rowsOf(buffer);
    expect(rows[0]?.[0]).toBeGreaterThanOrEqual(4_998 - 900);
    expect(rows.at(-1)).toEqual([5_000, 4_998]);
    expect(rows.map(([ts]) => ts)).toEqual(rows.map(([ts]) => ts).toSorted((a, b) => Number(a) - Number(b)));
  });

  it('drops from the front only', () => {
    const buffer = new RingBuffer(2, 10);
    buffer.push([1, 2, 3], [10, 20, 30]);
    buffer.drop(2);
    expect(rowsOf(buffer)).toEqual([[3, 30]]);
    buffer.drop(5);
    expect(buffer.length).toBe(0);
  });
});
