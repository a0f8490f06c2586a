import { startHttpSender } from './http-sender.ts';
import { startMqttSender } from './mqtt-sender.ts';
import { startNatsSender } from './nats-sender.ts';
import type { Sender, SentLedger } from './sent-ledger.ts';
import { subjectOf, ways, type Way, type WayName } from './ways.ts';

/** Where a client sends to. */
export type ClientOrder = {
  readonly url: string;
  readonly token: string;
  readonly mqttPort: number;
  readonly brokerUrl: string;
  readonly pipelines: Readonly<Record<WayName, string>>;
};
export type ClientLedgers = Readonly<Record<WayName, SentLedger>>;

const openSender = (order: ClientOrder, { name, source, isSentOnce }: Way): Sender | Promise<Sender> => {
  const { url, token, mqttPort, brokerUrl, pipelines } = order;
  if (source === 'nats') return startNatsSender({ way: name, url: brokerUrl, subjectOf });
  if (source === 'mqtt') return startMqttSender({ way: name, url: `mqtt://127.0.0.1:${mqttPort}`, token });
  const messages = `${url}/v1/pipelines/${pipelines[name as WayName]}/messages`;
  return startHttpSender({ way: name, url: messages, token, isSentOnce });
};

/** A process that sends from the first order until the second, and then tells what was acknowledged. */
process.once('message', (order: ClientOrder) => {
  const opening = Promise.all(ways.map(async (way) => [way.name, await openSender(order, way)] as const));
  process.once('message', () => {
    const end = async () => {
      const senders = await opening;
      await Promise.all(senders.map(([, sender]) => sender.stop()));
      const ledgers = Object.fromEntries(senders.map(([name, sender]) => [name, sender.told()]));
      process.send?.(ledgers, () => process.disconnect());
    };
    void end();
  });
});
