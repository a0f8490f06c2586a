import type { Preview } from '#contract/messages.ts';
import type { DeviceSamples } from '#contract/telemetry.ts';
import { seriesAt, valueAt } from '../../telemetry/store/sample-columns.ts';
import { isOutside, rejectTime, type TimeWindow } from '../../telemetry/write/prepare-batch.ts';
import type { SampleReading } from '../../telemetry/write/sample-reading.ts';
import type { TimeRule } from '../../telemetry/write/sample-time.ts';
import { MessageColumns } from '../formats/message-columns.ts';
import { MessageWriter, type ReadInto } from '../formats/message-writer.ts';

/** The samples of a reading in the groups that they come from, by the number of the group. */
export const groupsIn = (reading: SampleReading): ReadonlyMap<number, DeviceSamples> => {
  const groups = new Map<number, DeviceSamples>();
  for (const [i, number] of reading.groupOf.entries()) {
    const { device, metric } = seriesAt(reading.series, reading.index[i]!);
    const ts = reading.ts[i]!;
    const group = groups.get(number) ?? { device, ...(Number.isNaN(ts) ? {} : { ts }), values: {} };
    group.values[metric] = valueAt(reading, i);
    groups.set(number, group);
  }
  return groups;
};

/** Epoch ms; NaN without a timestamp. */
const tsOf = ({ ts = Number.NaN }: DeviceSamples): number => Number(ts);

/** A preview without the devices that are looked up. */
export type ReadingPreview = Omit<Preview, 'registered'>;

/** The predicted result of a message, without looking up or storing anything. */
export const previewReading = (read: ReadInto, times: TimeRule, window: TimeWindow): ReadingPreview => {
  const columns = new MessageColumns(times);
  const notes = { unnamed: new Set<number>(), hasLocalTime: false, leftOut: new Set<string>() };
  const writer = new MessageWriter(columns, { notes });
  writer.read(read);
  const groups = groupsIn(columns.reading());
  const named = [...groups].filter(([number]) => !notes.unnamed.has(number)).map(([, group]) => group);
  const unnamed = [...groups].filter(([number]) => notes.unnamed.has(number));
  const byTime = Map.groupBy(named, (group) => isOutside(tsOf(group), window));
  const mistimed = byTime.get(true) ?? [];
  return {
    format: writer.format,
    samples: byTime.get(false) ?? [],
    unnamed: unnamed.map(([, { device: _, ...group }]) => group),
    mistimed,
    rejections: [
      ...writer.rejections.map(({ reason, detail, pointer, expression = null, fields = [] }) => ({
        reason,
        expression,
        fields: [...fields],
        detail:
          pointer === undefined
            ? detail
            : `${pointer.replace(/^\/samples\/\d+\/(values\/)?/, '')}: ${detail}`,
      })),
      ...mistimed.map((group) => ({ ...rejectTime(tsOf(group), window), expression: null, fields: [] })),
    ],
    skipped: writer.isSkipped,
    noValues: writer.noValues,
    leftOut: [...notes.leftOut],
    timeZone: notes.hasLocalTime ? times.timeZone : null,
  };
};
