import { startHttpSender } from './http-sender.ts';
import { startMqttSender } from './mqtt-sender.ts';
import { startNatsSender } from './nats-sender.ts';
import { createSentLedger, type Sender, type SentLedger, type SentTold } from './sent-ledger.ts';
import { subjectOf, ways, type Way, type WayName } from './ways.ts';

/** Where a client sends to. */
export type ClientTargets = {
  readonly url: string;
  readonly token: string;
  readonly mqttPort: number;
  readonly brokerUrl: string;
  readonly pipelines: Readonly<Record<WayName, string>>;
};
export type ClientOrder =
  | { readonly order: 'send'; readonly to: ClientTargets }
  /** Kills the service at its response number `answers` from now. */
  | { readonly order: 'kill'; readonly pid: number; readonly answers: number }
  /** Ends, and tells what was acknowledged. */
  | { readonly order: 'stop' };
export type ClientLedgers = Readonly<Record<WayName, SentTold>>;

let aim: { readonly pid: number; answersLeft: number } | undefined;
const onAnswer = () => {
  if (aim === undefined) return;
  aim.answersLeft -= 1;
  if (aim.answersLeft > 0) return;
  process.kill(aim.pid, 'SIGKILL');
  aim = undefined;
};

const openSender = (
  { url, token, mqttPort, brokerUrl, pipelines }: ClientTargets,
  { name, source, isSentOnce }: Way,
  ledger: SentLedger,
): Sender | Promise<Sender> => {
  if (source === 'nats') return startNatsSender({ way: name, ledger, url: brokerUrl, subjectOf });
  if (source === 'mqtt')
    return startMqttSender({ way: name, ledger, url: `mqtt://127.0.0.1:${mqttPort}`, token });
  const messages = `${url}/v1/pipelines/${pipelines[name]}/messages`;
  return startHttpSender({ way: name, ledger, url: messages, token, isSentOnce });
};

const open = async (to: ClientTargets, way: Way) => {
  // What comes from the broker is acknowledged by the broker, not by the service.
  const ledger = createSentLedger(way.source === 'nats' ? undefined : onAnswer);
  return { name: way.name, ledger, sender: await openSender(to, way, ledger) };
};
let opening: ReturnType<typeof open>[] = [];

const end = async (): Promise<void> => {
  const all = await Promise.all(opening);
  await Promise.all(all.map(({ sender }) => sender.stop()));
  const ledgers = Object.fromEntries(all.map(({ name, ledger }) => [name, ledger.told()]));
  process.send?.(ledgers, () => process.disconnect());
};

process.on('message', (message: ClientOrder) => {
  if (message.order === 'send') opening = ways.map((way) => open(message.to, way));
  else if (message.order === 'kill') aim = { pid: message.pid, answersLeft: message.answers };
  else void end();
});
