import { randomBytes } from 'node:crypto';

/** The sample with the number `n` of a route, identified by its device and timestamp. */
export type Reading = { readonly device: string; readonly ts: number; readonly value: number | string };

const FROM_MS = 1_700_000_000_000;
const DEVICES = 7;

export const METRIC = 'n';
/** The route whose values are texts of almost 1 KiB, which soon fill the journal of the telemetry store. */
export const TEXT_ROUTE = 'texts';

const TEXT_LENGTH = 900;
const TEXT_STEP = 131;
const randomText = randomBytes(96 * 1_024).toString('base64');

const textOf = (n: number): string => {
  const from = (n * TEXT_STEP) % (randomText.length - TEXT_LENGTH);
  return `${n} ${randomText.slice(from, from + TEXT_LENGTH)}`;
};

export const readingOf = (route: string, n: number): Reading => ({
  device: `${route}-${n % DEVICES}`,
  ts: FROM_MS + n,
  value: route === TEXT_ROUTE ? textOf(n) : n / 4 - 1_000,
});

/** The number of a sample; undefined if the route never sent it. */
export const numberOf = (route: string, { device, ts, value }: Reading, sent: number): number | undefined => {
  const n = ts - FROM_MS;
  const isSent = Number.isSafeInteger(n) && n >= 0 && n < sent;
  if (!isSent) return undefined;
  const expected = readingOf(route, n);
  return device === expected.device && value === expected.value ? n : undefined;
};
