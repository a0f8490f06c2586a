import { describe, expect, it } from 'vitest';
import { seriesOfAnswer } from '#dashboard/charts/series/series-of-answer.ts';

const device = 'dev_01h455vb4pex5vsknk084sn02q';
const head = { device, externalId: 'boiler-1' };
const name = () => ({ label: 'Boiler', decimals: null, colour: 1 }) as const;

describe('series of an answer', () => {
  it('are raw samples where there are no buckets', () => {
    const [numbers, states] = seriesOfAnswer(
      {
        from: 0,
        to: 10,
        bucketMs: null,
        series: [
          { ...head, metric: 't', kind: 'number', unit: '°C', ts: [1, 2], value: [20, 21] },
          { ...head, metric: 'on', kind: 'boolean', unit: null, ts: [1], value: [true] },
        ],
      },
      name,
    );
    expect(numbers).toMatchObject({
      id: `${device}/t`,
      unit: '°C',
      columns: { ts: [1, 2], value: [20, 21] },
    });
    expect(states).toMatchObject({ kind: 'boolean', columns: { ts: [1], value: [true] } });
  });

  it('are buckets with their range, and the last state of each', () => {
    const [numbers, states] = seriesOfAnswer(
      {
        from: 0,
        to: 10,
        bucketMs: 5,
        series: [
          {
            ...head,
            metric: 't',
            kind: 'number',
            unit: null,
            ts: [0],
            avg: [2],
            min: [1],
            max: [3],
            count: [7],
          },
          { ...head, metric: 'mode', kind: 'string', unit: null, ts: [0], last: ['auto'], count: [7] },
        ],
      },
      name,
    );
    expect(numbers?.columns).toEqual({ bucketMs: 5, ts: [0], avg: [2], min: [1], max: [3], count: [7] });
    expect(states?.columns).toEqual({ bucketMs: 5, ts: [0], value: ['auto'], count: [7] });
  });
});
