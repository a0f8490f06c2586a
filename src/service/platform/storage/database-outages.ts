import type { Logger } from 'pino';
import { codeOf, DatabaseUnavailable } from './dialects/database-unavailable.ts';
import { isUnwritable } from './disk-full.ts';

const FAILURE_LOG_INTERVAL_MS = 60_000;

type LoggedDatabase = {
  /** The name of the server, such as PostgreSQL. */
  product: string;
  /** The host and port. */
  place: string;
  log: Logger;
};

const CERTIFICATE_FAULT = /^(ERR_TLS_|CERT_|UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED_)/;

/** Whether a connection failed because the certificate of the server is not trusted. */
export const isCertificateFault = (error: Error): boolean => CERTIFICATE_FAULT.test(codeOf(error));

/** Logs failures that their callers do not log, because there can be thousands: each reason at most once a minute. */
export const createFailureLog = ({ product, place, log, content }: LoggedDatabase & { content: string }) => {
  const loggedAtMs = new Map<string, number>();
  return (error: unknown): void => {
    const isOutage = error instanceof DatabaseUnavailable;
    if (!isOutage && !isUnwritable(error)) return;
    const cause = isOutage && error.cause instanceof Error ? error.cause : error;
    const nowMs = performance.now();
    if (nowMs - (loggedAtMs.get(codeOf(cause)) ?? -Infinity) < FAILURE_LOG_INTERVAL_MS) return;
    loggedAtMs.set(codeOf(cause), nowMs);
    const reason = isOutage ? error.reason : error.message;
    log.error({ content, database: place, reason }, `a call to ${product} failed`);
  };
};

/** Waits for a server that does not accept connections yet, such as one that starts beside this process. */
export const whenReady = async <T>(
  {
    product,
    place,
    timeouts,
    log,
  }: LoggedDatabase & { timeouts: { databaseWaitMs: number; databaseRetryMs: number } },
  connect: () => Promise<T>,
): Promise<T> => {
  const untilMs = performance.now() + timeouts.databaseWaitMs;
  for (let isReported = false; ; isReported = true)
    try {
      return await connect();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || performance.now() > untilMs) throw error;
      if (!isReported) log.warn({ database: place, reason: error.reason }, `waiting for ${product}`);
      await new Promise((resolve) => setTimeout(resolve, timeouts.databaseRetryMs));
    }
};
