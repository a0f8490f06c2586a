import { setTimeout as delay } from 'node:timers/promises';
import mqtt from 'mqtt';
import { METRIC, readingOf } from './readings.ts';
import type { Sender, SentLedger } from './sent-ledger.ts';

const UNACKNOWLEDGED = 50;
const PAUSE_MS = 12;
const RECONNECT_MS = 100;

/**
 * Sends messages with one value to the embedded broker with QoS 1. Messages without a PUBACK are repeated after a
 * reconnect.
 */
export const startMqttSender = ({
  route,
  ledger,
  url,
  token,
}: {
  route: string;
  ledger: SentLedger;
  url: string;
  token: string;
}): Sender => {
  const unacknowledged = new Set<number>();
  const stopping = new AbortController();
  const client = mqtt.connect(url, {
    username: 'kill',
    password: token,
    reconnectPeriod: RECONNECT_MS,
    reconnectOnConnackError: true,
    connectTimeout: 3_000,
    keepalive: 5,
  });
  // The client reconnects after an error.
  client.on('error', () => undefined);

  const publish = (n: number) => {
    const { device, ts, value } = readingOf(route, n);
    unacknowledged.add(n);
    client.publish(
      `v1/devices/${device}/telemetry`,
      JSON.stringify({ ts, values: { [METRIC]: value } }),
      { qos: 1 },
      (error) => {
        if (!error) ledger.acknowledge([n]);
        unacknowledged.delete(n);
      },
    );
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      if (unacknowledged.size < UNACKNOWLEDGED) for (const n of ledger.next(1)) publish(n);
      await delay(PAUSE_MS);
    }
    while (unacknowledged.size > 0) await delay(PAUSE_MS);
  };
  const running = run();

  return {
    stop: async () => {
      stopping.abort();
      await running;
      await client.endAsync(true);
    },
  };
};
