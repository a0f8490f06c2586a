import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Timeouts } from '../timeouts.ts';
import { HttpProblem } from './http-problem.ts';

/** Connections beyond this are not accepted; beyond the other they are closed after each answer. */
const MAX_CONNECTIONS = 20_000;
const KEPT_CONNECTIONS = 5_000;

/** What Node's server is made with: slow senders are cut off by it (408), a missing Host is our 421. */
export const serverOptions = ({ headersMs, requestMs, checkEveryMs, handshakeMs }: Timeouts) => ({
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  connectionsCheckingInterval: checkEveryMs,
  handshakeTimeout: handshakeMs,
  requireHostHeader: false,
});

const isWaiting = (socket: Socket): boolean => socket.bytesRead === 0;

/** Bounds the connections of a service, and ends them when it stops: idle ones at once, requests under way in `stopMs`. */
export const registerConnections = (app: FastifyInstance, { stopMs }: Timeouts): void => {
  const server = app.server;
  const sockets = new Set<Socket>();
  let isStopping = false;
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // RFC 9110, 10.1.1: what a client expects besides 100-continue may be passed over; Node would answer 417 in its own way.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  app.addHook('onRequest', async (_, reply) => {
    if (sockets.size > KEPT_CONNECTIONS) reply.header('connection', 'close');
    if (isStopping)
      throw new HttpProblem('overloaded', 'The service is stopping. Send it again once it has started.', {
        headers: { 'retry-after': '5' },
      });
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    // Browsers connect ahead of need; a connection that never asked for anything does not count as idle to Node.
    for (const socket of sockets) if (isWaiting(socket)) socket.destroy();
    setTimeout(() => server.closeAllConnections(), stopMs).unref();
  });
};

const LINGER_MS = 1_000;

/** The answer that is being sent on a socket, if any: another one must not get in between. */
type Busy = Socket & { _httpMessage?: { headersSent: boolean } | null };

/** Says a last word to a client that could not be understood, and closes its connection. */
export const closeWith = (socket: Socket, answer: string): void => {
  const isAnswering = (socket as Busy)._httpMessage?.headersSent === true;
  if (!socket.writable || isWaiting(socket) || isAnswering) return void socket.destroy();
  socket.end(answer);
  // What is still coming is thrown away: closing over unread bytes would take the answer away from the client.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
};
