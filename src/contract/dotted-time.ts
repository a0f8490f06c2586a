/** A date and a time of day such as `7.11.2026 9:05:00`. */
const DOTTED_TIME = /^\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d\d:\d\d$/;

export const isDottedTime = (value: unknown): boolean => typeof value === 'string' && DOTTED_TIME.test(value);

/**
 * JSONata that turns a dotted time at a path into RFC 3339 without an offset, which is read in the time zone of the pipeline. Other
 * values stay as they are.
 */
export const dottedTimeText = (path: string): string =>
  `$contains($string(${path}), /${DOTTED_TIME.source}/) ? $fromMillis($toMillis(${path}, "[D1].[M1].[Y0001] [H1]:[m01]:[s01]"), "[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01]") : ${path}`;
