/** The units of time of rates, in ms. */
export const RATE_MS = { s: 1_000, min: 60_000, h: 3_600_000 };
export type RatePer = keyof typeof RATE_MS;

/** The unit of time of the rate of a counter, unless another is chosen: energy per hour is a power. */
export const usualRatePer = (unit: string | null): RatePer => (unit?.endsWith('Wh') === true ? 'h' : 's');

/** The unit of the rate of a counter: `kWh/h`, or `1/s` for a counter without a unit. */
export const rateUnit = (unit: string | null, per: RatePer): string => `${unit ?? '1'}/${per}`;
