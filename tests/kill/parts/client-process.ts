import { startHttpSender } from './http-sender.ts';
import { startMqttSender } from './mqtt-sender.ts';
import { startNatsSender } from './nats-sender.ts';
import { createSentLedger, type Sender, type SentLedger, type SentSummary } from './sent-ledger.ts';
import { subjectOf, routes, type Route, type RouteName } from './routes.ts';

/** The addresses and pipelines that a client sends to. */
export type ClientTargets = {
  readonly url: string;
  readonly token: string;
  readonly mqttPort: number;
  readonly brokerUrl: string;
  readonly pipelines: Readonly<Record<RouteName, string>>;
};
export type ClientOrder =
  | { readonly order: 'send'; readonly to: ClientTargets }
  /** Kills the service at its response number `answers` from now. */
  | { readonly order: 'kill'; readonly pid: number; readonly answers: number }
  /** Ends the client, which then reports what was acknowledged. */
  | { readonly order: 'stop' };
export type ClientLedgers = Readonly<Record<RouteName, SentSummary>>;

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
  { name, source, isSentOnce }: Route,
  ledger: SentLedger,
): Sender | Promise<Sender> => {
  if (source === 'nats') return startNatsSender({ route: name, ledger, url: brokerUrl, subjectOf });
  if (source === 'mqtt')
    return startMqttSender({ route: name, ledger, url: `mqtt://127.0.0.1:${mqttPort}`, token });
  const messages = `${url}/v1/pipelines/${pipelines[name]}/messages`;
  return startHttpSender({ route: name, ledger, url: messages, token, isSentOnce });
};

const open = async (to: ClientTargets, route: Route) => {
  // The source broker acknowledges these messages, not the service.
  const ledger = createSentLedger(route.source === 'nats' ? undefined : onAnswer);
  return { name: route.name, ledger, sender: await openSender(to, route, ledger) };
};
let opening: ReturnType<typeof open>[] = [];

const end = async (): Promise<void> => {
  const all = await Promise.all(opening);
  await Promise.all(all.map(({ sender }) => sender.stop()));
  const ledgers = Object.fromEntries(all.map(({ name, ledger }) => [name, ledger.summary()]));
  process.send?.(ledgers, () => process.disconnect());
};

process.on('message', (message: ClientOrder) => {
  if (message.order === 'send') opening = routes.map((route) => open(message.to, route));
  else if (message.order === 'kill') aim = { pid: message.pid, answersLeft: message.answers };
  else void end();
});
