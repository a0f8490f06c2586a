import { setTimeout as delay } from 'node:timers/promises';
import mqtt from 'mqtt';

/** The topics of the pipeline with an expression that maps messages with `keep` and skips the others. */
export const FILTERED_TOPIC = 'filtered/+/up';
export const FILTER = 'keep ? { "ts": ts, "values": { "a": a, "b": b } }';

const DEVICES = 20;
const CONNECTIONS = 4;
/** The most messages without PUBACK: more would only queue in this process. */
const UNACKNOWLEDGED = 4_000;
const PACE_EVERY_MS = 10;
const DRAIN_MS = 60_000;

/** The expected content of the ledger and the store after the load. */
export type Expected = {
  received: number;
  rejected: number;
  skipped: number;
  overwritten: number;
  duplicates: number;
  /** By external ID: the number of timestamps, each with an `a` and a `b`, and the sum of `a`. */
  ofDevice: Map<string, { timestamps: number; sumOfA: number }>;
};

type Device = { name: string; ts: number; a: number };

/** Of every 20 messages, six are special, each in its own way. The others have new samples. */
const createMessages = (firstTs: number) => {
  const expected: Expected = {
    received: 0,
    rejected: 0,
    skipped: 0,
    overwritten: 0,
    duplicates: 0,
    ofDevice: new Map(),
  };
  const devices = Array.from({ length: DEVICES }, (_, index): Device => {
    const name = `soak-${index}`;
    expected.ofDevice.set(name, { timestamps: 0, sumOfA: 0 });
    return { name, ts: firstTs, a: 0 };
  });
  const body = ({ ts, a }: Device) => ({ ts, values: { a, b: 1 } });

  const add = (device: Device, n: number) => {
    Object.assign(device, { ts: device.ts + 1, a: n });
    const counts = expected.ofDevice.get(device.name)!;
    counts.timestamps += 1;
    counts.sumOfA += n;
    expected.received += 2;
  };
  const next = (n: number): { device: number; topic: string; payload: string } => {
    // Every device gets every kind in turn.
    const index = n % DEVICES;
    const device = devices[index]!;
    const at = (payload: unknown, topic = `v1/devices/${device.name}/telemetry`) => ({
      device: index,
      topic,
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
    const filtered = `filtered/${device.name}/up`;
    switch (device.a === 0 ? -1 : Math.floor(n / DEVICES + index) % 20) {
      case 0:
        expected.received += 2;
        expected.duplicates += 2;
        return at(body(device));
      case 1: {
        const change = n - device.a;
        expected.ofDevice.get(device.name)!.sumOfA += change;
        device.a = n;
        expected.received += 2;
        expected.overwritten += 1;
        expected.duplicates += 1;
        return at(body(device));
      }
      case 2:
        expected.received += 2;
        expected.rejected += 2;
        return at([1, 2].map((value) => ({ ts: device.ts, values: { collides: value } })));
      case 3:
        expected.received += 1;
        expected.rejected += 1;
        return at(`{ "broken": ${n}`);
      case 4:
        expected.received += 1;
        expected.skipped += 1;
        return at({ keep: false }, filtered);
      case 5:
        add(device, n);
        return at({ keep: true, ts: device.ts, a: n, b: 1 }, filtered);
      default:
        add(device, n);
        return at(body(device));
    }
  };
  return { expected, next };
};

export type SoakLoad = {
  readonly sent: () => number;
  readonly acknowledged: () => number;
  /** Why messages were not acknowledged or connections closed, and how often. */
  readonly failures: ReadonlyMap<string, number>;
  /** Stops sending, waits for outstanding acknowledgements, and returns what the service must hold. */
  stop(): Promise<Expected>;
};

/** Publishes with QoS 1 at a rate, the messages of one device over one connection. */
export const startSoakLoad = async (
  { url, token, rate }: { url: string; token: string; rate: number },
  firstTs: number,
): Promise<SoakLoad> => {
  const { expected, next } = createMessages(firstTs);
  const failures = new Map<string, number>();
  const fail = (why: string) => failures.set(why, (failures.get(why) ?? 0) + 1);
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, index) => {
      const client = await mqtt.connectAsync(url, {
        clientId: `soak-${index}`,
        username: 'soak',
        password: token,
        // A repeated message would be counted twice.
        reconnectPeriod: 0,
      });
      client.on('close', () => fail('a connection was closed'));
      client.on('error', (error) => fail(error.message));
      return client;
    }),
  );
  let [sent, acknowledged] = [0, 0];
  const began = performance.now();
  const pace = () => {
    const due = Math.floor((rate * (performance.now() - began)) / 1_000);
    for (; sent < due && sent - acknowledged < UNACKNOWLEDGED; sent += 1) {
      const { device, topic, payload } = next(sent);
      clients[device % CONNECTIONS]!.publish(topic, payload, { qos: 1 }, (error) => {
        if (error) fail(error.message);
        else acknowledged += 1;
      });
    }
  };
  const timer = setInterval(pace, PACE_EVERY_MS);
  return {
    sent: () => sent,
    acknowledged: () => acknowledged,
    failures,
    stop: async () => {
      clearInterval(timer);
      const until = performance.now() + DRAIN_MS;
      const isWaiting = () => acknowledged < sent && performance.now() < until;
      while (isWaiting()) await delay(20);
      for (const client of clients) {
        client.removeAllListeners('close');
        await client.endAsync(true);
      }
      return expected;
    },
  };
};
