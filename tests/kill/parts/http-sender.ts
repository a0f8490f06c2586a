import { setTimeout as delay } from 'node:timers/promises';
import { METRIC, readingOf } from './readings.ts';
import type { Sender, SentLedger } from './sent-ledger.ts';

const CONCURRENCY = 3;
const VALUES = 4;
const PAUSE_MS = 60;
const RETRY_AFTER_MS = 100;
const ANSWER_WITHIN_MS = 10_000;

/**
 * Sends messages with several values to a pipeline. Repeats a message that is not answered with 202, unless `isSentOnce`:
 * then a duplicate at the destination cannot come from a repeated request.
 */
export const startHttpSender = ({
  route,
  ledger,
  url,
  token,
  isSentOnce,
}: {
  route: string;
  ledger: SentLedger;
  url: string;
  token: string;
  isSentOnce: boolean;
}): Sender => {
  const stopping = new AbortController();

  const post = async (body: string): Promise<boolean> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      await response.body?.cancel();
      return response.status === 202;
    } catch {
      return false;
    }
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      const numbers = ledger.next(VALUES);
      const samples = numbers.map((n) => {
        const { device, ts, value } = readingOf(route, n);
        return { device, ts, values: { [METRIC]: value } };
      });
      const body = JSON.stringify({ samples });
      let isOpen = true;
      while (isOpen) {
        const isAccepted = await post(body);
        if (isAccepted) ledger.acknowledge(numbers);
        isOpen = !isAccepted && !isSentOnce;
        await delay(isAccepted ? PAUSE_MS : RETRY_AFTER_MS);
      }
    }
  };
  const loops = Array.from({ length: CONCURRENCY }, loop);

  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
};
