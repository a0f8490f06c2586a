import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream } from 'ws';
import { withoutBasePath } from './base-path.ts';
import { clientAddressOf } from './client-address.ts';
import { HttpProblem } from './http-problem.ts';

type Options = {
  /** The path of the only WebSocket. */
  readonly path: string;
  /** The accepted subprotocols. */
  readonly protocols: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Serves a connection. `address`: the IP address of the client. */
  readonly serve: (stream: Duplex, address: string) => void;
};

/** The limit of one message of a WebSocket, in bytes. */
const MAX_MESSAGE_BYTES = 1_048_576;
/** The time that clients have to close their connections when the service stops. */
const CLOSE_WITHIN_MS = 500;

const offeredProtocols = (request: FastifyRequest): string[] =>
  (request.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());

/**
 * Whether a request is a handshake of the WebSocket. Other requests with `Upgrade`, such as to HTTP/2, are not
 * upgraded.
 */
export const isWebSocketHandshake =
  (path: string, basePath: string) =>
  ({ url = '/', headers }: IncomingMessage): boolean =>
    headers.upgrade?.toLowerCase() === 'websocket' &&
    withoutBasePath(basePath, url).split('?', 1)[0] === path;

/**
 * Serves a WebSocket. The handshake passes the same checks as other requests, for example of the Host header. CORS does
 * not apply to WebSockets, so pages of other origins are rejected here.
 */
export const registerWebSocket = async (
  app: FastifyInstance,
  { path, protocols, allowedOrigins, serve }: Options,
): Promise<void> => {
  const upgrading = new WeakSet<Duplex>();
  app.server.on('upgrade', (_, socket) => upgrading.add(socket));
  // The server no longer counts the connection of a handshake, so it would stay open after a rejection.
  app.addHook('onResponse', async ({ raw }) => {
    if (upgrading.has(raw.socket)) raw.socket.destroy();
  });
  await app.register(async (scope) => {
    await scope.register(websocket, {
      options: {
        maxPayload: MAX_MESSAGE_BYTES,
        handleProtocols: (names: Set<string>) => protocols.find((protocol) => names.has(protocol)) ?? false,
      },
      preClose: (done: () => void) => {
        const { clients } = scope.websocketServer;
        for (const client of clients) client.close(1001);
        const timer = setTimeout(() => {
          for (const client of clients) client.terminate();
        }, CLOSE_WITHIN_MS);
        scope.websocketServer.close(() => {
          clearTimeout(timer);
          done();
        });
      },
    });
    scope.route({
      method: 'GET',
      url: path,
      exposeHeadRoute: false,
      preHandler: async (request) => {
        if (!request.ws) return;
        const { origin, host } = request.headers;
        if (origin !== undefined && !allowedOrigins.includes(origin) && URL.parse(origin)?.host !== host)
          throw new HttpProblem(
            'unknown-host',
            `Pages of ${JSON.stringify(origin.slice(0, 100))} cannot connect. Add the origin to ALLOWED_ORIGINS.`,
          );
        if (!offeredProtocols(request).some((protocol) => protocols.includes(protocol)))
          throw new HttpProblem(
            'invalid-parameter',
            `Sec-WebSocket-Protocol must include ${protocols.join(' or ')}.`,
          );
      },
      handler: (_, reply) => reply.callNotFound(),
      wsHandler: (socket, request) => serve(createWebSocketStream(socket), clientAddressOf(request)),
    });
  });
};
