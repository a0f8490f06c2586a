import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../../platform/describe-error.ts';
import { backoffMs } from '../../platform/backoff.ts';

/**
 * Why a connection does not work. A fatal fault makes the pipeline failed, any other makes it degraded. `cause`: the error
 * that ended the connection. `field`: the field of the config to check, if it is not the address.
 */
export type ConnectionFault = {
  readonly detail: string;
  readonly isFatal: boolean;
  readonly cause?: unknown;
  readonly field?: string | undefined;
};

/** A fault that retries do not fix: rejected credentials, or a topic that the user cannot subscribe to. */
export class FatalFault extends Error {
  override readonly name = 'FatalFault';
  /** The field of the config to check. */
  readonly field: string | undefined;
  constructor(message: string, field?: string) {
    super(message);
    this.field = field;
  }
}

const RETRY = { firstMs: 500, longestMs: 60_000 };
/** A connection that lasted this long resets the backoff. */
const STEADY_MS = 30_000;

/**
 * Keeps a source connected. An outage makes the pipeline degraded, and the connection is retried with a random, growing
 * backoff. A fatal fault makes the pipeline failed and ends the retries.
 */
export const keepConnected = (
  {
    previousClosed,
    report,
    mayConnect,
    isTrial = false,
  }: {
    /** Resolves when the previous connection has closed. */
    previousClosed: Promise<void>;
    /** Reports a fault; undefined: the connection works again. */
    report: (fault: ConnectionFault | undefined) => void;
    /** Whether to connect now. False while another process may be connected. */
    mayConnect: () => boolean;
    isTrial?: boolean;
  },
  /** Runs one connection. Resolves after `signal`; otherwise throws an error that says why the connection ended. */
  connection: (signal: AbortSignal, onUp: () => void) => Promise<void>,
): { close(): Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;

  const run = async () => {
    // Two connections at once would disconnect each other at the server.
    await previousClosed.catch(() => undefined);
    // Clears the fault of the previous source.
    if (!signal.aborted && !isTrial) report(undefined);
    let failures = 0;
    while (!signal.aborted) {
      let upAtMs = Number.POSITIVE_INFINITY;
      try {
        if (mayConnect())
          await connection(signal, () => {
            upAtMs = performance.now();
            report(undefined);
          });
      } catch (error) {
        if (signal.aborted) return;
        const isFatal = error instanceof FatalFault;
        report({
          detail: describeError(error),
          isFatal,
          cause: error,
          ...(isFatal && { field: error.field }),
        });
        if (isFatal) return;
      }
      failures = performance.now() - upAtMs >= STEADY_MS ? 1 : failures + 1;
      await delay(backoffMs(failures, RETRY), undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();

  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
};
