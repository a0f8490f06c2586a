import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';

/** Where the broker listens; or why it does not, and what to do about it. */
export type BrokerStatus = { readonly port: number | undefined; readonly detail: string | undefined };

const RETRY_MS = 10_000;

/**
 * Listens on the configured host and port; 0 is off. A port that is taken stops nothing else: it is said once, in
 * one line, and tried again until it is free. Resolves after the first attempt.
 */
export const listenForMqtt = async ({
  config: { host, mqttPort },
  log,
  onConnection,
  onStatus,
}: {
  config: Config;
  log: Logger;
  onConnection: (socket: Socket) => void;
  onStatus: (status: BrokerStatus) => void;
}): Promise<{ close(): Promise<void> }> => {
  let server: Server | undefined;
  let retry: NodeJS.Timeout | undefined;
  let told: string | undefined;
  let isClosed = false;

  const whyNot = (error: NodeJS.ErrnoException): string =>
    error.code === 'EADDRINUSE'
      ? `MQTT_PORT ${mqttPort} on ${host} is taken by another program. Stop that one, or set MQTT_PORT to another port.`
      : `MQTT_PORT ${mqttPort} on ${host} cannot be listened on (${error.code ?? error.message}). Set it to another port.`;

  const listen = (): Promise<void> =>
    new Promise((resolve) => {
      const attempt = createServer(onConnection);
      attempt.once('error', (error) => {
        const detail = whyNot(error);
        if (told !== detail) log.error(detail);
        told = detail;
        onStatus({ port: undefined, detail });
        if (!isClosed) retry = setTimeout(() => void listen(), RETRY_MS);
        resolve();
      });
      attempt.listen({ host, port: mqttPort }, () => {
        if (isClosed) return void attempt.close();
        server = attempt;
        const { port } = attempt.address() as AddressInfo;
        log.info({ host, port }, 'the MQTT broker is listening');
        onStatus({ port, detail: undefined });
        resolve();
      });
    });

  if (mqttPort === 0) onStatus({ port: undefined, detail: 'The MQTT broker is off: MQTT_PORT is 0.' });
  else await listen();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      await new Promise<void>((resolve) => {
        if (server === undefined) resolve();
        else server.close(() => resolve());
      });
    },
  };
};
