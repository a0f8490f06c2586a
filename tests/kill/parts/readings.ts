/** The value `n` of a route, identified by its device and timestamp. */
export type Reading = { readonly device: string; readonly ts: number; readonly value: number };

const FROM_MS = 1_700_000_000_000;
const DEVICES = 7;

export const METRIC = 'n';

export const readingOf = (route: string, n: number): Reading => ({
  device: `${route}-${n % DEVICES}`,
  ts: FROM_MS + n,
  value: n / 4 - 1_000,
});

/** The number of a value; undefined if the route never sent it. */
export const numberOf = (route: string, { device, ts, value }: Reading, sent: number): number | undefined => {
  const n = ts - FROM_MS;
  const expected = readingOf(route, n);
  const isSent = Number.isSafeInteger(n) && n >= 0 && n < sent;
  return isSent && device === expected.device && value === expected.value ? n : undefined;
};
