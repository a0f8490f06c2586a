const DAY_MS = 86_400_000;
/** Short enough for a time zone that changes its clocks for one month. */
const STEP_DAYS = 10;
const MAX_HOURS = 13;

/**
 * The offset of a time zone from UTC as Tasmota takes it (`0`, `+5:30`). Undefined if it changes within a year, or is
 * out of range.
 */
export const fixedOffsetOf = (timeZone: string, nowMs: number): string | undefined => {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const offsetAt = (ms: number) =>
    format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const offset = offsetAt(nowMs);
  for (let day = STEP_DAYS; day <= 365; day += STEP_DAYS)
    if (offsetAt(nowMs + day * DAY_MS) !== offset) return undefined;
  // `GMT`, or `GMT+00:00` for a zone that is not named after UTC.
  if (!/[1-9]/.test(offset)) return '0';
  const [, sign = '', hours = '', minutes = ''] = /^GMT([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  if (sign === '' || Number(hours) > MAX_HOURS) return undefined;
  return `${sign}${Number(hours)}:${minutes}`;
};
