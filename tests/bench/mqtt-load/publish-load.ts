import { connect, type Socket } from 'node:net';
import { percentile } from '../data/percentile.ts';
import { connectPacket, packetReader, PUBACK, publishTemplate, type Login } from './mqtt-packets.ts';

export type Load = {
  port: number;
  login?: Login | undefined;
  connections: number;
  devicesPerConnection: number;
  /** Number of messages in flight per connection. */
  window: number;
  values: number;
  /** Messages per second of all connections. Defaults to as many as are acknowledged. */
  pace?: number | undefined;
  /** Timestamp of the first value of each device, in epoch ms. Each following one is 1 ms later. */
  firstTs: number;
  warmUpMs: number;
  measuredMs: number;
};

export type LoadReport = {
  /** During the measurement. */
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  mostMs: number;
  /** Share of one core that this process used. */
  cpu: number;
  /** During the whole run. */
  sent: number;
  acknowledged: number;
  /** Messages of each device, all of them acknowledged unless `acknowledged` is less than `sent`. */
  ofDevice: Record<string, number>;
};

const MESSAGE_IDS = 65_536;
const DRAIN_MS = 30_000;
const PACE_EVERY_MS = 5;
const topicOf = (device: string): string => `v1/devices/${device}/telemetry`;

const open = async (load: Load, number: number): Promise<Socket> => {
  const socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
  socket.write(connectPacket(`load-${number}`, load.login));
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The broker closed the connection.')));
    socket.once('data', (answer: Buffer) => {
      if (answer[3] === 0) resolve();
      else reject(new Error(`CONNACK ${answer[3]}`));
    });
  });
  return socket;
};

/**
 * Publishes with QoS 1 over several connections, each with a window of messages in flight, as fast as they are
 * acknowledged or at a fixed rate. Then waits for the last PUBACK.
 */
export const publishLoad = async (
  load: Load,
  onMeasuring: (isMeasuring: boolean) => void,
): Promise<LoadReport> => {
  const ofDevice: Record<string, number> = {};
  const waits: number[] = [];
  let [sent, acknowledged, counted] = [0, 0, 0];
  let phase: 'warm-up' | 'measured' | 'over' = 'warm-up';
  let broken: string | undefined;

  const start = async (number: number) => {
    const socket = await open(load, number);
    const devices = Array.from({ length: load.devicesPerConnection }, (_, index) => {
      const device = `bench-${number}-${index}`;
      ofDevice[device] = 0;
      return { device, template: publishTemplate(topicOf(device), load.values) };
    });
    const sentAt = new Float64Array(MESSAGE_IDS);
    let nextId = 1;
    let nextDevice = 0;
    const send = (count: number) => {
      const now = performance.now();
      const most = Math.max(...devices.map(({ template }) => template.bytes));
      const buffer = Buffer.allocUnsafe(most * count);
      let length = 0;
      for (let message = 0; message < count; message += 1) {
        const { device, template } = devices[nextDevice]!;
        nextDevice = (nextDevice + 1) % devices.length;
        if (sentAt[nextId] !== 0) throw new Error('A message id is still in use.');
        template.write(buffer, length, nextId, load.firstTs + ofDevice[device]!);
        length += template.bytes;
        ofDevice[device]! += 1;
        sentAt[nextId] = now;
        nextId = nextId === MESSAGE_IDS - 1 ? 1 : nextId + 1;
      }
      sent += count;
      socket.write(buffer.subarray(0, length));
    };
    let [acked, now, inFlight] = [0, 0, 0];
    const fill = (most: number): number => {
      const count = Math.min(most, load.window - inFlight);
      if (count > 0) send(count);
      inFlight += Math.max(0, count);
      return Math.max(0, count);
    };
    const read = packetReader((header, bytes, at) => {
      if (header !== PUBACK) return;
      const id = bytes.readUInt16BE(at);
      const sentAtMs = sentAt[id]!;
      if (sentAtMs === 0) throw new Error('PUBACK of a message that does not wait for one.');
      sentAt[id] = 0;
      acked += 1;
      if (phase === 'measured') waits.push(now - sentAtMs);
    });
    socket.on('close', () => {
      broken ??= 'The broker closed the connection.';
    });
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      acked = 0;
      now = performance.now();
      read(chunk);
      acknowledged += acked;
      if (phase === 'measured') counted += acked;
      inFlight -= acked;
      if (phase !== 'over' && load.pace === undefined) fill(load.window);
    });
    return { socket, fill };
  };

  const connections = await Promise.all(
    Array.from({ length: load.connections }, async (_, number) => start(number)),
  );
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const began = performance.now();
  const keepPace = (pace: number) => {
    if (phase === 'over') return;
    let due = Math.floor((pace * (performance.now() - began)) / 1_000) - sent;
    for (const [index, { fill }] of connections.entries())
      due -= fill(Math.ceil(due / (connections.length - index)));
  };
  const { pace } = load;
  const pacing = pace === undefined ? undefined : setInterval(() => keepPace(pace), PACE_EVERY_MS);
  if (pace === undefined) for (const { fill } of connections) fill(load.window);
  await pause(load.warmUpMs);
  onMeasuring(true);
  phase = 'measured';
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  await pause(load.measuredMs);
  phase = 'over';
  clearInterval(pacing);
  onMeasuring(false);
  const tookMs = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  const until = performance.now() + DRAIN_MS;
  const isWaiting = () => acknowledged < sent && broken === undefined && performance.now() < until;
  while (isWaiting()) await pause(20);
  if (broken !== undefined) process.stderr.write(`${broken}\n`);
  for (const { socket } of connections) socket.destroy();
  return {
    perSecond: counted / (tookMs / 1_000),
    p50Ms: percentile(waits, 0.5),
    p99Ms: percentile(waits, 0.99),
    mostMs: percentile(waits, 1),
    cpu: (user + system) / 1_000 / tookMs,
    sent,
    acknowledged,
    ofDevice,
  };
};
