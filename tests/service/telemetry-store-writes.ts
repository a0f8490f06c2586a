import { describe, expect, it } from 'vitest';
import { OUTCOME } from '#service/telemetry/store/telemetry-store.ts';
import { batchOf } from './batch-of.ts';
import { ALL, type TestedStore } from './tested-store.ts';

/** What every engine does with writes, removals and restarts. */
export const describeWrites = (tested: TestedStore): void => {
  const { write, readRaw } = tested;

  describe('a write', () => {
    it('returns the outcome of each sample in batch order', async () => {
      const outcomes = await write(
        { ts: 1, value: 20 },
        { ts: 1, value: 20 },
        { ts: 1, value: 21 },
        { ts: 2, value: 21 },
        { ts: 2, value: 'warm' },
        { metric: 'mode', ts: 1, value: 'eco' },
        { metric: 'on', ts: 1, value: true },
      );
      expect(outcomes).toEqual(
        tested.reported([
          OUTCOME.accepted,
          OUTCOME.duplicate,
          OUTCOME.overwritten,
          OUTCOME.accepted,
          OUTCOME.kindMismatch,
          OUTCOME.accepted,
          OUTCOME.accepted,
        ]),
      );
      expect(await readRaw()).toEqual([
        { metric: 'mode', kind: 'string', ts: [1], value: ['eco'] },
        { metric: 'on', kind: 'boolean', ts: [1], value: [true] },
        { metric: 'temp', kind: 'number', ts: [1, 2], value: [21, 21] },
      ]);
    });

    it('that is repeated changes nothing', async () => {
      const values = [
        { ts: 5, value: -0.1 },
        { metric: 'zero', ts: 5, value: -0 },
        { metric: 'on', ts: 5, value: false },
        { metric: 'odd', ts: 5, value: '\ud800 \u0000 ü' },
      ];
      await write(...values);
      expect(await write(...values)).toEqual(tested.reported(values.map(() => OUTCOME.duplicate)));
      expect(await tested.countSamples()).toBe(values.length);
    });

    it('says the kind that a metric has, which the first value settles', async () => {
      await write({ ts: 1, value: true });
      const { outcome, kinds } = await tested.store.write(batchOf([{ ts: 2, value: 1 }]));
      expect([Array.from(outcome), kinds]).toEqual([[OUTCOME.kindMismatch], ['boolean']]);
    });

    it('does not make a series that it only names', async () => {
      const { series, index, ts, cells, texts } = batchOf([
        { ts: 1, value: 1 },
        { metric: 'never', ts: 1, value: 'text' },
      ]);
      const first = { index: index.slice(0, 1), ts: ts.slice(0, 1), cells: cells.slice(0, 1) };
      await tested.store.write({ series, texts, ...first });
      expect((await tested.store.metrics(['dev_a'])).map(({ metric }) => metric)).toEqual(['temp']);
    });

    it.each([
      ['a number that is none', { ts: 1, value: Number.NaN }],
      ['an infinite number', { ts: 1, value: Infinity }],
      ['no time', { ts: Number.NaN, value: 1 }],
    ])('rejects the whole batch for %s, and stores other batches', async (_, wrong) => {
      const [rejected, other] = await Promise.allSettled([
        write({ ts: 1, value: 1 }, { metric: 'x', ...wrong }),
        write({ metric: 'other', ts: 1, value: 1 }),
      ]);
      expect([rejected.status, other.status]).toEqual(['rejected', 'fulfilled']);
      expect((await tested.store.metrics(['dev_a'])).map(({ metric }) => metric)).toEqual(['other']);
    });

    it('leaves its columns to the caller', async () => {
      const batch = batchOf([{ ts: 7, value: 1 }]);
      await tested.store.write(batch);
      expect([...batch.ts, ...batch.index]).toEqual([7, 0]);
    });
  });

  describe('the latest value', () => {
    it('is the sample with the greatest time, whatever the order of arrival', async () => {
      await write({ ts: 30, value: 3 }, { ts: 10, value: 1 }, { ts: 20, value: 2 });
      expect(await tested.store.metrics(['dev_a', 'dev_unknown'])).toEqual([
        {
          device: 'dev_a',
          metric: 'temp',
          kind: 'number',
          unit: null,
          label: null,
          firstTs: 10,
          lastTs: 30,
          value: 3,
        },
      ]);
    });

    it('is returned for the requested metrics', async () => {
      await write({ ts: 1, value: 1 }, { metric: 'on', ts: 1, value: true });
      expect((await tested.store.metrics(['dev_a'], ['on'])).map(({ value }) => value)).toEqual([true]);
      expect(await tested.store.countSeries(['dev_a'], ['on'])).toBe(1);
      expect(await tested.store.countSeries(['dev_a'])).toBe(2);
    });
  });

  it('keeps the unit that the first write of a series states', async () => {
    for (const [i, unit] of [null, 'K', '°F'].entries())
      await tested.store.write({ ...batchOf([{ metric: 'later', ts: i, value: i }]), units: [unit] });
    for (const [i, unit] of ['°C', '°F', null].entries())
      await tested.store.write({ ...batchOf([{ ts: i, value: i }]), units: [unit] });
    const units = async () =>
      (await tested.store.read(ALL, { points: 1 }, [])).series.map(({ unit }) => unit);
    expect(await units()).toEqual([null, '°C']);
    expect((await tested.store.metrics(['dev_a'], ['temp']))[0]?.unit).toBe('°C');
  });

  describe('a removal', () => {
    it('deletes a range, and series without samples', async () => {
      await write(
        { ts: 1, value: 1 },
        { ts: 2, value: 2 },
        { ts: 3, value: 3 },
        { metric: 'on', ts: 2, value: true },
        { device: 'dev_b', ts: 2, value: 2 },
      );
      expect(await tested.store.remove({ devices: ['dev_a'], fromMs: 2, toMs: 3 })).toBe(2);
      expect(await readRaw()).toEqual([{ metric: 'temp', kind: 'number', ts: [1, 3], value: [1, 3] }]);
      expect(await tested.store.countSeries(['dev_a', 'dev_b'])).toBe(2);
      expect(await tested.countSamples()).toBe(3);
    });

    it('lets a metric change kind after its last sample is deleted', async () => {
      await write({ ts: 1, value: 1 });
      await tested.store.remove(ALL);
      expect(await write({ ts: 1, value: 'text' })).toEqual([OUTCOME.accepted]);
    });

    it('lets a later write finish first', async () => {
      await write({ ts: 1, value: 1 }, { metric: 'on', ts: 1, value: true });
      const done: string[] = [];
      const removal = tested.store.remove(ALL).then(() => done.push('removed'));
      const other = write({ device: 'dev_b', ts: 1, value: 1 }).then(() => done.push('written'));
      await Promise.all([removal, other]);
      expect(done).toEqual(['written', 'removed']);
    });
  });

  describe('the store', () => {
    it('contains the same samples after it is closed and opened', async () => {
      await write({ ts: 1, value: 1 }, { metric: 'mode', ts: 1, value: 'eco' });
      const before = await readRaw();
      await tested.store.close();
      await tested.open();
      expect(await readRaw()).toEqual(before);
    });

    it('finishes earlier requests before it closes, and rejects later ones', async () => {
      const asked = [
        write({ ts: 1, value: 1 }),
        tested.store.remove(ALL),
        write({ ts: 2, value: 2 }),
      ] as const;
      await Promise.all([tested.store.close(), tested.store.close()]);
      expect(await Promise.all(asked)).toEqual([[OUTCOME.accepted], 1, [OUTCOME.accepted]]);
      await expect(tested.store.stats()).rejects.toThrow('closed');
      await tested.open();
      expect(await readRaw()).toEqual([{ metric: 'temp', kind: 'number', ts: [2], value: [2] }]);
    });
  });

  it('gives a device no more metrics than the limit', async () => {
    await tested.store.close();
    await tested.open({ metricsPerDevice: 2 });
    const given = ['a', 'b', 'c', 'a'].map((metric, ts) => ({ metric, ts, value: 1 }));
    const { accepted, metricLimit } = OUTCOME;
    expect(await write(...given)).toEqual([accepted, accepted, metricLimit, accepted]);
    await tested.store.remove({ ...ALL, metrics: ['b'] });
    expect(await write({ metric: 'c', ts: 9, value: 1 })).toEqual([accepted]);
  });

  it('keeps samples of all times, and counts them', async () => {
    const times = [
      '0001-01-01',
      '1999-12-31',
      '2000-01-01',
      '2024-02-29',
      '2024-03-01',
      '2100-01-01',
      '9999-12-31',
    ];
    const given = times.map((time, i) => ({ ts: Date.parse(`${time}T00:00:00Z`), value: i }));
    await write(...given);
    expect(await readRaw()).toMatchObject([
      { ts: given.map(({ ts }) => ts), value: given.map(({ value }) => value) },
    ]);
    expect(await tested.countSamples()).toBe(times.length);
    expect(
      await tested.store.remove({ ...ALL, fromMs: Date.parse('2024-02-29'), toMs: Date.parse('2100-01-02') }),
    ).toBe(3);
    expect(await tested.countSamples()).toBe(times.length - 3);
  });
};
