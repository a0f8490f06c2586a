import { setTimeout as delay } from 'node:timers/promises';
import mqtt from 'mqtt';
import { METRIC, readingOf } from './readings.ts';
import { createSentLedger, type Sender } from './sent-ledger.ts';

const UNACKNOWLEDGED = 50;
const PAUSE_MS = 12;
const RECONNECT_MS = 100;

/** Messages of one value each to the broker built in, with QoS 1: what got no PUBACK is sent again after it reconnects. */
export const startMqttSender = ({ way, url, token }: { way: string; url: string; token: string }): Sender => {
  const ledger = createSentLedger();
  let unacknowledged = 0;
  let isStopping = false;
  const client = mqtt.connect(url, {
    username: 'kill',
    password: token,
    reconnectPeriod: RECONNECT_MS,
    reconnectOnConnackError: true,
    connectTimeout: 3_000,
    keepalive: 5,
  });
  // It reconnects by itself.
  client.on('error', () => undefined);

  const publish = (n: number) => {
    const { device, ts, value } = readingOf(way, n);
    unacknowledged += 1;
    client.publish(
      `v1/devices/${device}/telemetry`,
      JSON.stringify({ ts, values: { [METRIC]: value } }),
      { qos: 1 },
      (error) => {
        unacknowledged -= 1;
        if (!error) ledger.acknowledge([n]);
      },
    );
  };
  const run = async () => {
    while (!isStopping) {
      if (unacknowledged < UNACKNOWLEDGED) for (const n of ledger.next(1)) publish(n);
      await delay(PAUSE_MS);
    }
    while (unacknowledged > 0) await delay(PAUSE_MS);
  };
  const running = run();

  return {
    told: ledger.told,
    stop: async () => {
      isStopping = true;
      await running;
      await client.endAsync(true);
    },
  };
};
