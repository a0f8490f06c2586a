import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { logAcceptErrors } from '../log-accept-errors.ts';
import type { Timeouts } from '../timeouts.ts';
import { overloaded } from './http-problem.ts';

/** The limit of connections, and the number above which connections are closed after each response. */
const MAX_CONNECTIONS = 20_000;
const KEPT_CONNECTIONS = 5_000;

/** Options of the HTTP server. Node disconnects slow senders (408). A missing Host is answered with 421 by Penstock. */
export const serverOptions = ({ headersMs, requestMs, checkEveryMs, handshakeMs }: Timeouts) => ({
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  connectionsCheckingInterval: checkEveryMs,
  handshakeTimeout: handshakeMs,
  requireHostHeader: false,
});

const isWaiting = (socket: Socket): boolean => socket.bytesRead === 0;

/** Limits connections, and closes them when the service stops: idle ones immediately, others within `stopMs`. */
export const registerConnections = (app: FastifyInstance, { stopMs }: Timeouts, log: Logger): void => {
  const server = app.server;
  const sockets = new Set<Socket>();
  let isStopping = false;
  server.maxConnections = MAX_CONNECTIONS;
  logAcceptErrors(server, log, 'HTTP');
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // RFC 9110, 10.1.1: other expectations than 100-continue can be ignored. By default, Node answers 417 without a
  // problem.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  app.addHook('onRequest', async (_, reply) => {
    if (sockets.size > KEPT_CONNECTIONS) reply.header('connection', 'close');
    if (isStopping)
      throw overloaded('The service is stopping. Send the request again when it is running.', 5);
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    // Browsers open connections in advance. Node does not count connections without a request as idle.
    for (const socket of sockets) if (isWaiting(socket)) socket.destroy();
    setTimeout(() => server.closeAllConnections(), stopMs).unref();
  });
};

const LINGER_MS = 1_000;

/** The response that is being sent on a socket, if any. No other response may interrupt it. */
type Busy = Socket & { _httpMessage?: { headersSent: boolean } | null };

/** Sends a final response to a client with an invalid request, and closes the connection. */
export const closeWith = (socket: Socket, answer: string): void => {
  const isAnswering = (socket as Busy)._httpMessage?.headersSent === true;
  if (!socket.writable || isWaiting(socket) || isAnswering) return void socket.destroy();
  socket.end(answer);
  // Discards further bytes: closing a socket with unread bytes would discard the response.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
};
