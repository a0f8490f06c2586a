/** The value `n` of a way, identified by its device and timestamp. */
export type Reading = { readonly device: string; readonly ts: number; readonly value: number };

const FROM_MS = 1_700_000_000_000;
const DEVICES = 7;

export const METRIC = 'n';

export const readingOf = (way: string, n: number): Reading => ({
  device: `${way}-${n % DEVICES}`,
  ts: FROM_MS + n,
  value: n / 4 - 1_000,
});

/** Which value it is; undefined: none that was ever sent by that way. */
export const numberOf = (way: string, { device, ts, value }: Reading, sent: number): number | undefined => {
  const n = ts - FROM_MS;
  const expected = readingOf(way, n);
  const isSent = Number.isSafeInteger(n) && n >= 0 && n < sent;
  return isSent && device === expected.device && value === expected.value ? n : undefined;
};
