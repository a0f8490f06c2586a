import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Logger } from 'pino';

/** A certificate chain and its private key, as PEM. */
type Certificate = { cert: string; key: string };

/** Where the broker is to listen: MQTT_PORT in the clear, MQTTS_PORT over TLS if there is a certificate. 0 is off. */
export type MqttListenOptions = {
  host: string;
  mqttPort: number;
  mqttsPort: number;
  tls: Certificate | undefined;
};

/** Where the broker listens; or why it does not, and what to do about it. */
export type BrokerStatus = {
  readonly port: number | undefined;
  readonly detail: string | undefined;
  /** The port speaks TLS. */
  readonly isTls?: boolean;
};

type Listener = {
  /** Stops accepting connections. Open connections stay open. */
  stopAccepting(): void;
  /** Stops accepting connections and closes open ones, even during a TLS handshake or before CONNECT. */
  close(): Promise<void>;
};

const RETRY_MS = 10_000;

/**
 * Listens on the configured host and port; 0 is off. A port that is taken stops nothing else: it is said once, in
 * one line, and tried again until it is free. Resolves after the first attempt.
 */
const listenOn = async ({
  variable,
  host,
  port: wanted,
  tls,
  handshakeMs,
  log,
  onConnection,
  onStatus,
}: {
  variable: 'MQTT_PORT' | 'MQTTS_PORT';
  host: string;
  port: number;
  tls: Certificate | undefined;
  handshakeMs: number;
  log: Logger;
  onConnection: (socket: Socket) => void;
  onStatus: (status: BrokerStatus) => void;
}): Promise<Listener> => {
  let server: Server | undefined;
  /** All TCP connections, including those in a TLS handshake. */
  const sockets = new Set<Socket>();
  let retry: NodeJS.Timeout | undefined;
  let lastDetail: string | undefined;
  let isClosed = false;

  const describeListenError = (error: NodeJS.ErrnoException): string =>
    error.code === 'EADDRINUSE'
      ? `${variable} ${wanted} on ${host} is taken by another program. Stop that one, or set ${variable} to another port.`
      : `${variable} ${wanted} on ${host} cannot be listened on (${error.code ?? error.message}). Set it to another port.`;

  const listen = (): Promise<void> =>
    new Promise((resolve) => {
      const attempt =
        tls === undefined
          ? createServer(onConnection)
          : createTlsServer({ ...tls, handshakeTimeout: handshakeMs }, onConnection);
      attempt.on('connection', (socket: Socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
      });
      attempt.on('error', (error) => {
        // One connection could not be accepted, as where there are too many open files; the others go on.
        if (attempt.listening) return log.error({ err: error }, 'an MQTT connection could not be accepted');
        const detail = describeListenError(error);
        if (lastDetail !== detail) log.error(detail);
        lastDetail = detail;
        onStatus({ port: undefined, detail });
        if (!isClosed) retry = setTimeout(() => void listen(), RETRY_MS);
        resolve();
      });
      attempt.listen({ host, port: wanted }, () => {
        if (isClosed) return void attempt.close();
        server = attempt;
        const { port } = attempt.address() as AddressInfo;
        log.info({ host, port, tls: tls !== undefined }, 'the MQTT broker is listening');
        onStatus({ port, detail: undefined, isTls: tls !== undefined });
        resolve();
      });
    });

  if (wanted === 0) onStatus({ port: undefined, detail: `The MQTT broker is off: ${variable} is 0.` });
  else await listen();
  let closed: Promise<void> | undefined;
  const stopAccepting = (): Promise<void> =>
    (closed ??= new Promise((resolve) => {
      isClosed = true;
      clearTimeout(retry);
      if (server === undefined) resolve();
      else server.close(() => resolve());
    }));
  return {
    stopAccepting: () => void stopAccepting(),
    close: async () => {
      const stopped = stopAccepting();
      for (const socket of sockets) socket.destroy();
      await stopped;
    },
  };
};

/**
 * Listens in the clear on MQTT_PORT, and over TLS on MQTTS_PORT where there is a certificate. The broker works while
 * either does; the port that is told is the plain one where both do.
 */
export const listenForMqtt = async ({
  listen: { host, mqttPort, mqttsPort, tls },
  onStatus,
  ...rest
}: {
  listen: MqttListenOptions;
  handshakeMs: number;
  log: Logger;
  onConnection: (socket: Socket) => void;
  onStatus: (status: BrokerStatus) => void;
}): Promise<Listener> => {
  const statuses = new Map<string, BrokerStatus>();
  const open = (variable: 'MQTT_PORT' | 'MQTTS_PORT', port: number, own: Certificate | undefined) =>
    listenOn({
      ...rest,
      variable,
      host,
      port,
      tls: own,
      onStatus: (status) => {
        statuses.set(variable, status);
        const plain = statuses.get('MQTT_PORT') ?? status;
        const working = [...statuses.values()].find(({ port: open }) => open !== undefined);
        onStatus(plain.port === undefined ? (working ?? plain) : plain);
      },
    });
  const listeners = [await open('MQTT_PORT', mqttPort, undefined)];
  if (tls !== undefined) listeners.push(await open('MQTTS_PORT', mqttsPort, tls));
  return {
    stopAccepting: () => {
      for (const listener of listeners) listener.stopAccepting();
    },
    close: async () => void (await Promise.all(listeners.map((listener) => listener.close()))),
  };
};
