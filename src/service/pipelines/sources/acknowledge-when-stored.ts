import { callbackify } from 'node:util';
import type { IPublishPacket, MqttClient, Packet } from 'mqtt';
import type { InFlightWindow } from './in-flight-window.ts';

/**
 * The only use of a private method of mqtt.js. Its public `handleMessage` and `customHandleAcks` delay an
 * acknowledgement only by stopping the reader, so each message would wait for the disk before the next one is read.
 * Every acknowledgement passes through `_sendPacket`: the tests of this source fail if a new version of mqtt.js changes
 * that.
 */
type Sending = {
  _sendPacket(packet: Packet, done?: (error?: Error | null) => void, ...rest: unknown[]): void;
};

/**
 * Acknowledges messages of QoS 1 and 2 after they are on disk, in the order of arrival, and reads more meanwhile as
 * long as there is room. The broker sends unacknowledged messages again with the next connection.
 */
export const acknowledgeWhenStored = (
  client: MqttClient,
  inFlight: InFlightWindow,
  messageOf: (
    packet: Pick<IPublishPacket, 'topic' | 'payload'>,
  ) => Parameters<InFlightWindow['submit']>[0] | undefined,
  signal: AbortSignal,
) => {
  const whenRoom = callbackify(inFlight.room);
  const stored = new Map<number, Promise<void>>();
  let last: Promise<void> = Promise.resolve();
  const give = async (packet: Pick<IPublishPacket, 'topic' | 'payload'>): Promise<void> => {
    const message = messageOf(packet);
    if (message !== undefined) await inFlight.submit(message);
  };

  client.options.customHandleAcks = (topic, payload, packet, done) => {
    // Messages that arrive after the source is closed are left to the next connection.
    if (signal.aborted) return;
    const given = give({ topic, payload });
    given.catch(() => undefined);
    stored.set(packet.messageId ?? 0, given);
    done(0);
  };
  client.handleMessage = (packet, done) => {
    if (packet.qos !== 0) return done();
    give(packet).catch(() => undefined);
    whenRoom(done);
  };
  const sending = client as unknown as Sending;
  const send = sending._sendPacket.bind(client);
  sending._sendPacket = (packet, done, ...rest) => {
    const isFirstAnswer = packet.cmd === 'puback' || packet.cmd === 'pubrec';
    const given = isFirstAnswer ? stored.get(packet.messageId ?? 0) : undefined;
    if (given === undefined) return send(packet, done, ...rest);
    stored.delete(packet.messageId ?? 0);
    last = last.then(() => given).then(() => send(packet));
    last.catch(() => undefined);
    if (done !== undefined) whenRoom(done);
  };
  return { acknowledged: () => last.catch(() => undefined) };
};
