import { setTimeout as delay } from 'node:timers/promises';
import { METRIC, readingOf, type Reading } from './readings.ts';
import type { Sender, SentLedger } from './sent-ledger.ts';

const CONCURRENCY = 3;
const VALUES = 4;
const PAUSE_MS = 60;
const RETRY_AFTER_MS = 100;
const ANSWER_WITHIN_MS = 10_000;

type Message = { readonly type: string; readonly body: string };

const toJson = (readings: readonly Reading[]): Message => {
  const samples = readings.map(({ device, ts, value }) => ({ device, ts, values: { [METRIC]: value } }));
  return { type: 'application/json', body: JSON.stringify({ samples }) };
};

/**
 * Sends messages with several values to a pipeline. Repeats a message that is not answered with success, unless `isSentOnce`:
 * then a duplicate at the destination cannot come from a repeated request.
 */
export const startHttpSender = ({
  route,
  ledger,
  url,
  token,
  isSentOnce,
  values = VALUES,
  encode = toJson,
}: {
  route: string;
  ledger: SentLedger;
  url: string;
  token: string;
  isSentOnce: boolean;
  /** In each message. */
  values?: number;
  encode?: (readings: readonly Reading[]) => Message;
}): Sender => {
  const stopping = new AbortController();

  const post = async ({ type, body }: Message): Promise<boolean> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
        body,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      const numbers = ledger.next(values);
      const message = encode(numbers.map((n) => readingOf(route, n)));
      let isOpen = true;
      while (isOpen) {
        const isAccepted = await post(message);
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
