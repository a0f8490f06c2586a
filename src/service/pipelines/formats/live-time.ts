import { LIMITS } from '#contract/sample-rules.ts';
import { isLocalTime } from '../../telemetry/write/sample-time.ts';
import type { Fault, MessageWriter } from './message-writer.ts';

/** The offset of each time zone is a multiple of this. */
const ZONE_STEP_MS = 15 * 60_000;
const LARGEST_ZONE_MS = 14 * 3_600_000;
/** Clocks set by NTP differ less. */
const CLOCK_MS = 5_000;

const inWords = (ms: number): string =>
  `${(Math.abs(ms) / 3_600_000).toLocaleString('en', { maximumFractionDigits: 2 })} h ${ms < 0 ? 'behind' : 'ahead of'}`;

/** A time in a message. Undefined for null and before 2000, which means that the clock of the device is not set. */
export const timeIfClockIsSet = (writer: MessageWriter, time: unknown): unknown =>
  time === null || (writer.readTime(time) ?? Infinity) < LIMITS.earliestMs ? undefined : time;

/**
 * The timestamp in a message that its device sends as soon as it measures, if its clock is set. A time without a zone
 * that is a multiple of 15 minutes from the time of receipt is in another time zone than the pipeline.
 */
const liveTime = (
  writer: MessageWriter,
  time: unknown,
  nowMs: number,
): { ts: unknown } | { fault: Fault } => {
  const ts = timeIfClockIsSet(writer, time);
  const ms = writer.readTime(ts);
  if (ms === undefined || !isLocalTime(ts)) return { ts };
  const offsetMs = Math.round((ms - nowMs) / ZONE_STEP_MS) * ZONE_STEP_MS;
  if (offsetMs === 0 || Math.abs(offsetMs) > LARGEST_ZONE_MS || Math.abs(ms - nowMs - offsetMs) > CLOCK_MS)
    return { ts };
  return {
    fault: {
      reason: 'ts-zone',
      detail: `The time ${String(time)} has no zone and is ${inWords(offsetMs)} the time of receipt, so the device and the pipeline are in different time zones. Set “timeZone” of the pipeline, then replay the message.`,
    },
  };
};

/** Ends the current group with the time of a device that sends as soon as it measures. */
export const endLiveGroup = (writer: MessageWriter, device: string, time: unknown, nowMs: number): void => {
  const read = liveTime(writer, time, nowMs);
  if ('fault' in read) writer.rejectSamples(device, read.fault);
  else writer.endGroup(device, read.ts);
};
