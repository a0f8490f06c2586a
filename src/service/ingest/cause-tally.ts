import type { Refused } from './formats/message-format.ts';
import type { Cause } from './message.ts';

/** What one reason names at the most; further metrics are counted with the last one that was named. */
const MOST = { metrics: 200, lines: 1_000 };

/** Counts causes by reason and metric in bounded memory, however many values they met. */
export const createCauseTally = () => {
  type Counted = { -readonly [K in keyof Refused]: Refused[K] };
  const byReason = new Map<string, { byMetric: Map<string | undefined, Counted>; last: Counted }>();
  return {
    add: ({ reason, detail, metric, values, lines = [] }: Cause): void => {
      const fresh: Counted = {
        reason,
        detail,
        values: 0,
        ...(metric === undefined ? {} : { metric }),
        ...(lines.length === 0 ? {} : { lines: [] }),
      };
      const known = byReason.get(reason) ?? { byMetric: new Map<string | undefined, Counted>(), last: fresh };
      byReason.set(reason, known);
      let counted = known.byMetric.get(metric);
      if (counted === undefined && known.byMetric.size < MOST.metrics) {
        counted = known.last = fresh;
        known.byMetric.set(metric, fresh);
      }
      counted ??= known.last;
      counted.values += values;
      const { lines: before = [] } = counted;
      if (lines.length > 0 && before.length < MOST.lines) counted.lines = [...before, ...lines];
    },
    causes: (): readonly Refused[] =>
      [...byReason.values()].flatMap(({ byMetric }) => [...byMetric.values()]),
  };
};
