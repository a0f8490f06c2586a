import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Peers } from '../peers.ts';
import { HttpProblem } from './http-problem.ts';

/** Runs an authentication attempt from an address. @throws HttpProblem 429 after too many failures */
export type FailureLimit = <T>(address: string, attempt: () => Promise<T>) => Promise<T>;

const FAILURES_PER_MINUTE = 10;

/** Problems of tokens that were valid once: their senders are not guessing. */
const ONCE_VALID = new Set(['token-expired', 'token-revoked']);

/**
 * Unknown tokens count against the address that sends them. A valid token passes even from a limited address, and an
 * expired or revoked token gets its own error. Failures at other processes count too.
 */
export const createFailureLimit = (peers: Pick<Peers, 'send' | 'subscribe'>): FailureLimit => {
  const failures = new RateLimiterMemory({ points: FAILURES_PER_MINUTE, duration: 60 });
  peers.subscribe('failed', ({ address }) => void failures.penalty(address));
  return async (address, attempt) => {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof HttpProblem) || error.status !== 401 || ONCE_VALID.has(error.code)) throw error;
      const { consumedPoints, msBeforeNext } = await failures.penalty(address);
      // Further failures change nothing elsewhere.
      if (consumedPoints <= FAILURES_PER_MINUTE + 1) peers.send('failed', { address });
      if (consumedPoints <= FAILURES_PER_MINUTE) throw error;
      const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
      throw new HttpProblem(
        'quota-exceeded',
        `Too many invalid tokens from this address. Wait ${seconds} s, then try again.`,
        {
          headers: { 'retry-after': String(seconds) },
        },
      );
    }
  };
};
