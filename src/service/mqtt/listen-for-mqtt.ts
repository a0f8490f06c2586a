import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Logger } from 'pino';
import { logAcceptErrors } from '../platform/log-accept-errors.ts';

/** A certificate chain and its private key, as PEM. */
type Certificate = { cert: string; key: string };

/** The ports of the broker: MQTT_PORT without TLS, MQTTS_PORT with TLS if there is a certificate. 0: disabled. */
export type MqttListenOptions = {
  host: string;
  mqttPort: number;
  mqttsPort: number;
  tls: Certificate | undefined;
};

/** The port of the broker; or why it does not listen, and what to do. */
export type BrokerStatus = {
  readonly port: number | undefined;
  readonly detail: string | undefined;
  /** Whether the port uses TLS. */
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
 * Connections that the system completes before the service accepts them. Node's default of 511 is too small for a fleet
 * that reconnects at once: clients beyond it believe that they are connected, and wait for seconds.
 */
const BACKLOG = 4_096;

/**
 * Listens on the configured host and port (0: disabled). If another program uses the port, logs this once and retries
 * until the port is free. Resolves after the first attempt.
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
      ? `Another program uses ${variable} ${wanted} on ${host}. Stop that program, or set ${variable} to another port.`
      : `Penstock cannot listen on ${variable} ${wanted} on ${host} (${error.code ?? error.message}). Set ${variable} to another port.`;

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
      logAcceptErrors(attempt, log, 'MQTT');
      attempt.on('error', (error) => {
        if (attempt.listening) return;
        const detail = describeListenError(error);
        if (lastDetail !== detail) log.error(detail);
        lastDetail = detail;
        onStatus({ port: undefined, detail });
        if (!isClosed) retry = setTimeout(() => void listen(), RETRY_MS);
        resolve();
      });
      attempt.listen({ host, port: wanted, backlog: BACKLOG }, () => {
        if (isClosed) return void attempt.close();
        server = attempt;
        const { port } = attempt.address() as AddressInfo;
        log.info({ host, port, tls: tls !== undefined }, 'the MQTT broker is listening');
        onStatus({ port, detail: undefined, isTls: tls !== undefined });
        resolve();
      });
    });

  if (wanted === 0) onStatus({ port: undefined, detail: `The MQTT broker is disabled: ${variable} is 0.` });
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
 * Listens without TLS on MQTT_PORT, and with TLS on MQTTS_PORT if there is a certificate. The broker works while at
 * least one of them does. If both do, the status reports MQTT_PORT.
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
  /** Whether each port was tried. A broker that has not tried all of them has not failed. */
  let isTried = false;
  const report = (): void => {
    const plain = statuses.get('MQTT_PORT');
    const working = [...statuses.values()].find(({ port: open }) => open !== undefined);
    const status = plain?.port === undefined ? (working ?? plain) : plain;
    if (isTried && status !== undefined) onStatus(status);
  };
  const open = (variable: 'MQTT_PORT' | 'MQTTS_PORT', port: number, own: Certificate | undefined) =>
    listenOn({
      ...rest,
      variable,
      host,
      port,
      tls: own,
      onStatus: (status) => {
        statuses.set(variable, status);
        report();
      },
    });
  const listeners = [await open('MQTT_PORT', mqttPort, undefined)];
  if (tls !== undefined) listeners.push(await open('MQTTS_PORT', mqttsPort, tls));
  isTried = true;
  report();
  return {
    stopAccepting: () => {
      for (const listener of listeners) listener.stopAccepting();
    },
    close: async () => void (await Promise.all(listeners.map((listener) => listener.close()))),
  };
};
