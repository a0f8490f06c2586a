import type { IncomingHttpHeaders } from 'node:http';

const LONGEST_MS = 3_600_000;

/** The wait requested by `Retry-After` (RFC 9110, 10.2.3), in ms, at most an hour; undefined without the header. */
export const retryAfterMsOf = (headers: IncomingHttpHeaders, nowMs: number): number | undefined => {
  const text = headers['retry-after'];
  if (typeof text !== 'string') return undefined;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), LONGEST_MS);
};
