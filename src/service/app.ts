import compress from '@fastify/compress';
import Fastify, { LogController, type FastifyInstance, type RouteOptions } from 'fastify';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { apiKeyRoutes } from './api-keys/api-key-routes.ts';
import type { Deps } from './deps.ts';
import { deviceRoutes } from './devices/device-routes.ts';
import { eventRoutes } from './events/event-routes.ts';
import { INFLATED_BYTES, registerBodyLimits } from './http/body-limits.ts';
import { registerBodyParsers } from './http/body.ts';
import { registerCors } from './http/cors.ts';
import { clientErrorHandler, registerErrors } from './http/errors.ts';
import { registerRoute, type Route } from './http/route.ts';
import { registerSecurity } from './http/security.ts';
import { serviceRoutes } from './http/service-routes.ts';
import { registerStaticFiles } from './http/static-files.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import { messageRoutes } from './pipelines/message-routes.ts';
import { pipelineRoutes } from './pipelines/pipeline-routes.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { streamRoutes } from './stream/stream-routes.ts';
import { telemetryRoutes } from './telemetry/telemetry-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

/** Every resource's routes. */
const routesOf = (deps: Deps): Route[] => [
  ...serviceRoutes(deps),
  ...sessionRoutes(deps),
  ...overviewRoutes(deps),
  ...deviceRoutes(deps),
  ...telemetryRoutes(deps),
  ...pipelineRoutes(deps),
  ...messageRoutes(deps),
  ...eventRoutes(deps),
  ...apiKeyRoutes(deps),
  ...webhookRoutes(deps),
  ...streamRoutes(deps),
];

/** The HTTP application: every route, the dashboard's files, and what all answers have in common. */
export const createApp = async (
  deps: Deps,
  dashboardDir: string | undefined,
  onRoute?: (options: RouteOptions) => void,
): Promise<FastifyInstance> => {
  const app = Fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => `req_${randomBytes(9).toString('base64url')}`,
    bodyLimit: INFLATED_BYTES,
    requestTimeout: 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: true,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 500 },
    return503OnClosing: true,
    clientErrorHandler,
    ...(deps.config.tls === undefined ? {} : { https: deps.config.tls }),
  }) as unknown as FastifyInstance;
  app.decorate('authenticator', deps.authenticator);
  app.decorate('failureLimit', deps.failureLimit);
  app.decorate('idempotency', deps.idempotency);
  app.decorateRequest('actor', undefined);
  if (onRoute !== undefined) app.addHook('onRoute', onRoute);
  registerErrors(app);
  registerSecurity(app, { baseUrl: deps.baseUrl, connectOrigins: deps.config.connectOrigins });
  await registerCors(app, deps.config.allowedOrigins);
  registerBodyLimits(app);
  registerBodyParsers(app);
  await app.register(compress, { threshold: 1_024, encodings: ['br', 'gzip'], requestEncodings: ['gzip'] });
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', async () => {
    deps.streams.closeAll();
    // Browsers connect ahead of need; a connection that never asked for anything does not count as idle to Node.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
  for (const each of routesOf(deps)) registerRoute(app, each);
  await registerStaticFiles(app, dashboardDir);
  return app;
};
