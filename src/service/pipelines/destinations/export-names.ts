import { toIsoTime } from '../../platform/iso-time.ts';

const NAME = /^samples-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\.(ndjson|csv)$/;
const SECOND_MS = 1_000;

/** The start time of an export file, in epoch ms, from its name; undefined for other files. */
const begunAtMsOf = (name: string): number | undefined => {
  const stamp = NAME.exec(name)?.[1];
  return stamp === undefined ? undefined : Date.parse(stamp.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));
};

export const isExportName = (name: string): boolean => NAME.test(name);

/** The names of export files, oldest first. */
export const exportNames = (names: readonly string[]): string[] => names.filter(isExportName).toSorted();

/**
 * A name that sorts after all existing names, even if the clock was set back: `samples-2026-11-21T08-00-00Z.ndjson`.
 */
export const nextExportName = (format: string, nowMs: number, taken: readonly string[]): string => {
  const newestMs = Math.max(...taken.map((name) => begunAtMsOf(name) ?? -Infinity));
  const ms = Math.max(nowMs, newestMs + SECOND_MS);
  const stamp = toIsoTime(ms).replace(/\.\d+Z$/, 'Z');
  return `samples-${stamp.replaceAll(':', '-')}.${format}`;
};
