import type { MessageRejection } from '../formats/message.ts';

/** Limits per reason. Further metrics are counted with the last one. */
const MAX = { metrics: 200, lines: 1_000 };

/** Counts rejections by reason and metric, in bounded memory for any number of samples. */
export const createRejectionTally = () => {
  type Counted = { -readonly [K in keyof MessageRejection]: MessageRejection[K] };
  const byReason = new Map<string, { byMetric: Map<string | undefined, Counted>; last: Counted }>();
  return {
    add: ({ reason, detail, metric, samples, lines = [] }: MessageRejection): void => {
      const fresh: Counted = {
        reason,
        detail,
        samples: 0,
        ...(metric === undefined ? {} : { metric }),
        ...(lines.length === 0 ? {} : { lines: [] }),
      };
      const known = byReason.get(reason) ?? { byMetric: new Map<string | undefined, Counted>(), last: fresh };
      byReason.set(reason, known);
      let counted = known.byMetric.get(metric);
      if (counted === undefined && known.byMetric.size < MAX.metrics) {
        counted = known.last = fresh;
        known.byMetric.set(metric, fresh);
      }
      counted ??= known.last;
      counted.samples += samples;
      const { lines: before = [] } = counted;
      if (lines.length > 0 && before.length < MAX.lines) counted.lines = [...before, ...lines];
    },
    clear: (): void => byReason.clear(),
    rejections: (): readonly MessageRejection[] =>
      [...byReason.values()].flatMap(({ byMetric }) => [...byMetric.values()]),
  };
};
