import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../../platform/backoff.ts';

/** What keeps a connection from working. A fatal one fails the pipeline until it is cleared; another one degrades it. */
export type ConnectionFault = { readonly detail: string; readonly isFatal: boolean };

/** What trying again does not fix: refused credentials, a topic that may not be heard. */
export class FatalFault extends Error {
  override readonly name = 'FatalFault';
}

const RETRY = { firstMs: 500, longestMs: 60_000 };
/** A connection that held so long ended for another reason than those before it. */
const STEADY_MS = 30_000;

/**
 * Keeps a source connected: an outage degrades its pipeline and is tried again, with growing pauses that differ by
 * chance; a fatal fault fails it and ends the tries.
 */
export const keepConnected = (
  {
    previousClosed,
    report,
    isTrial = false,
  }: {
    /** Resolves when the connection that this one replaces has closed. */
    previousClosed: Promise<void>;
    /** Reports what keeps the connection from working; undefined: nothing any more. */
    report: (fault: ConnectionFault | undefined) => void;
    isTrial?: boolean;
  },
  /** Holds one connection. Resolves when it was asked to end; throws what else ended it, for people. */
  connection: (signal: AbortSignal, onUp: () => void) => Promise<void>,
): { close(): Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;

  const run = async () => {
    // Two at once would take each other's place at the other side.
    await previousClosed.catch(() => undefined);
    // What the source that this one replaces said no longer holds.
    if (!signal.aborted && !isTrial) report(undefined);
    let failures = 0;
    while (!signal.aborted) {
      let upAtMs = Number.POSITIVE_INFINITY;
      try {
        await connection(signal, () => {
          upAtMs = performance.now();
          report(undefined);
        });
      } catch (error) {
        if (signal.aborted) return;
        const isFatal = error instanceof FatalFault;
        report({ detail: error instanceof Error ? error.message : String(error), isFatal });
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
