import type { MessageWriter } from './message-writer.ts';

/** The samples of a device at one time, by metric. `place`: the record or line of each of them. */
type Group = {
  readonly device: string | undefined;
  readonly ts: number | string | undefined;
  readonly values: Map<string, { readonly value: unknown; readonly place: number }>;
};

/** Groups samples that come one by one: those of a device at the same time. */
export class TimedSamples {
  readonly #groups = new Map<string, Group>();

  /** Returns the place of the sample that the metric already has; otherwise adds the value and returns undefined. */
  add(
    { device, ts, time = ts }: Pick<Group, 'device' | 'ts'> & { time?: number | string | undefined },
    metric: string,
    value: unknown,
    place: number,
  ): number | undefined {
    const key = `${time} ${device ?? ''}`;
    let group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, (group = { device, ts, values: new Map() }));
    const before = group.values.get(metric);
    if (before === undefined) group.values.set(metric, { value, place });
    return before?.place;
  }

  /** Writes the groups, those with more metrics in parts of at most `maxMetrics`. */
  writeTo(writer: MessageWriter, maxMetrics = Infinity): void {
    for (const { device, ts, values } of this.#groups.values()) {
      let left = values.size;
      for (const [metric, { value }] of values) {
        writer.put(metric, value);
        left -= 1;
        if (left === 0 || (values.size - left) % maxMetrics === 0) writer.endGroup(device, ts);
      }
    }
  }
}
