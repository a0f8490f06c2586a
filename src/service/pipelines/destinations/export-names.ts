const NAME = /^samples-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\.(ndjson|csv)$/;
const SECOND_MS = 1_000;

/** When a file was begun, in epoch ms, by its name; undefined: it is none of ours. */
const begunAtMsOf = (name: string): number | undefined => {
  const stamp = NAME.exec(name)?.[1];
  return stamp === undefined ? undefined : Date.parse(stamp.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));
};

/** Those of them that are exports, oldest first. */
export const exportNames = (names: readonly string[]): string[] =>
  names.filter((name) => NAME.test(name)).toSorted();

/** A name that sorts after all that there are, whatever the clock says: `samples-2026-11-21T08-00-00Z.ndjson`. */
export const nextExportName = (format: string, nowMs: number, taken: readonly string[]): string => {
  const newestMs = Math.max(...taken.map((name) => begunAtMsOf(name) ?? -Infinity));
  const ms = Math.max(nowMs, newestMs + SECOND_MS);
  const stamp = new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  return `samples-${stamp.replaceAll(':', '-')}.${format}`;
};
