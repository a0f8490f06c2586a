import { setTimeout as delay } from 'node:timers/promises';
import { METRIC, readingOf } from './readings.ts';
import type { Sender, SentLedger } from './sent-ledger.ts';

const AT_ONCE = 3;
const VALUES = 4;
const PAUSE_MS = 60;
const AGAIN_AFTER_MS = 100;
const ANSWER_WITHIN_MS = 10_000;

/**
 * Messages of several values to a pipeline. One that is not answered 202 is sent again, or, where `isSentOnce`, never:
 * whatever stands twice at the destination of these was not sent twice.
 */
export const startHttpSender = ({
  way,
  ledger,
  url,
  token,
  isSentOnce,
}: {
  way: string;
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

  const lane = async () => {
    while (!stopping.signal.aborted) {
      const numbers = ledger.next(VALUES);
      const samples = numbers.map((n) => {
        const { device, ts, value } = readingOf(way, n);
        return { device, ts, values: { [METRIC]: value } };
      });
      const body = JSON.stringify({ samples });
      let isOpen = true;
      while (isOpen) {
        const isTaken = await post(body);
        if (isTaken) ledger.acknowledge(numbers);
        isOpen = !isTaken && !isSentOnce;
        await delay(isTaken ? PAUSE_MS : AGAIN_AFTER_MS);
      }
    }
  };
  const lanes = Array.from({ length: AT_ONCE }, lane);

  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(lanes);
    },
  };
};
