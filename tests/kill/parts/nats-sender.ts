import { setTimeout as delay } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { METRIC, readingOf } from './readings.ts';
import type { Sender, SentLedger } from './sent-ledger.ts';

const CONCURRENCY = 3;
const PAUSE_MS = 30;
const RETRY_AFTER_MS = 100;
const ACKNOWLEDGED_WITHIN_MS = 3_000;

/** Sends messages with one value to a stream. Messages without a PubAck are published again. */
export const startNatsSender = async ({
  route,
  ledger,
  url,
  subjectOf,
}: {
  route: string;
  ledger: SentLedger;
  url: string;
  subjectOf: (device: string) => string;
}): Promise<Sender> => {
  const stopping = new AbortController();
  const connection = await connect({
    servers: url,
    tls: null,
    // The run may have killed the server just now.
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_AFTER_MS,
    pingInterval: 2_000,
  });
  const stream = jetstream(connection, { timeout: ACKNOWLEDGED_WITHIN_MS });

  const publish = (n: number): Promise<boolean> => {
    const { device, ts, value } = readingOf(route, n);
    return stream.publish(subjectOf(device), JSON.stringify({ ts, values: { [METRIC]: value } })).then(
      () => true,
      () => false,
    );
  };
  const loop = async () => {
    while (!stopping.signal.aborted)
      for (const n of ledger.next(1)) {
        while (!(await publish(n))) await delay(RETRY_AFTER_MS);
        ledger.acknowledge([n]);
        await delay(PAUSE_MS);
      }
  };
  const loops = Array.from({ length: CONCURRENCY }, loop);

  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
      await connection.close();
    },
  };
};
