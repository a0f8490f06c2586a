import compress from '@fastify/compress';
import Fastify, { LogController, type FastifyInstance, type RouteOptions } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TELEMETRY_LIMIT } from '#contract/endpoint.ts';
import type { ServiceParts } from './service-parts.ts';
import { compression } from './platform/http/compression.ts';
import { apiKeyRoutes } from './access/api-key-routes.ts';
import { sessionRoutes } from './access/session-routes.ts';
import { deviceRoutes } from './devices/device-routes.ts';
import { eventRoutes } from './events/event-routes.ts';
import { unroutedRoutes } from './mqtt/unrouted-routes.ts';
import { networkRoutes } from './networks/network-routes.ts';
import { serviceRoutes } from './openapi/service-routes.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import { storageRoutes } from './overview/storage-routes.ts';
import { recentMessageRoutes } from './pipelines/replay/recent-message-routes.ts';
import { rejectionRoutes } from './pipelines/replay/rejection-routes.ts';
import { destinationRoutes } from './pipelines/runner/destination-routes.ts';
import { deviceMessageRoutes } from './pipelines/runner/device-message-routes.ts';
import { messageRoutes } from './pipelines/runner/message-routes.ts';
import { overwriteRoutes } from './pipelines/runner/overwrite-routes.ts';
import { pipelineRoutes } from './pipelines/runner/pipeline-routes.ts';
import { throughputRoutes } from './pipelines/runner/throughput-routes.ts';
import { basePathOf, withoutBasePath } from './platform/http/base-path.ts';
import { createBodyBudget } from './platform/http/body-budget.ts';
import { registerBodyLimits } from './platform/http/body-limits.ts';
import { registerBodyParsers } from './platform/http/body.ts';
import { registerConnections, serverOptions } from './platform/http/connections.ts';
import { registerCors } from './platform/http/cors.ts';
import {
  createClientErrorHandler,
  createFrameworkErrorHandler,
  registerErrors,
} from './platform/http/error-to-problem.ts';
import { registerRoute, type Route } from './platform/http/route.ts';
import { registerRequestTurns } from './platform/http/request-turns.ts';
import { registerRequestLog } from './platform/http/request-log.ts';
import { contentSecurityPolicy, registerSecurity } from './platform/http/security.ts';
import { registerStaticFiles } from './platform/http/static-files.ts';
import { isWebSocketHandshake, registerWebSocket } from './platform/http/websocket.ts';
import { streamRoutes } from './stream/stream-routes.ts';
import { influxdbRoutes } from './telemetry/influxdb-routes.ts';
import { metricRoutes } from './telemetry/metric-routes.ts';
import { otlpRoutes } from './telemetry/otlp-routes.ts';
import { prometheusRoutes } from './telemetry/prometheus-routes.ts';
import { sampleCountRoutes } from './telemetry/sample-count-routes.ts';
import { sparklineRoutes } from './telemetry/sparkline-routes.ts';
import { telemetryRoutes } from './telemetry/telemetry-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

/** The routes of all resources. */
const routesOf = (parts: ServiceParts): Route[] => [
  ...serviceRoutes(parts),
  ...storageRoutes(parts),
  ...sessionRoutes(parts),
  ...overviewRoutes(parts),
  ...deviceRoutes(parts),
  ...telemetryRoutes(parts),
  ...sampleCountRoutes(parts),
  ...sparklineRoutes(parts),
  ...metricRoutes(parts),
  ...influxdbRoutes(parts),
  ...prometheusRoutes(parts),
  ...otlpRoutes(parts),
  ...pipelineRoutes(parts),
  ...messageRoutes(parts),
  ...deviceMessageRoutes(parts),
  ...rejectionRoutes(parts),
  ...recentMessageRoutes(parts),
  ...unroutedRoutes(parts),
  ...overwriteRoutes(parts),
  ...throughputRoutes(parts),
  ...destinationRoutes(parts),
  ...eventRoutes(parts),
  ...apiKeyRoutes(parts),
  ...webhookRoutes(parts),
  ...networkRoutes({ ...parts, onAllowed: parts.pipelines.networkAllowed }),
  ...streamRoutes(parts),
];

/** The address of MQTT over WebSocket. */
const MQTT_PATH = '/mqtt';

/** Node draws the random numbers of many UUIDs at once. `randomBytes` for each request takes ten times as long. */
const newRequestId = (): string => `req_${randomUUID()}`;

/** The HTTP application: all routes, the files of the dashboard, and what all responses share. */
export const createApp = async (
  parts: ServiceParts,
  dashboardDir: string | undefined,
  onRoute?: (options: RouteOptions) => void,
): Promise<FastifyInstance> => {
  const policy = contentSecurityPolicy(parts.config.connectOrigins);
  const { timeouts, config } = parts;
  const basePath = basePathOf(config.baseUrl);
  const server = {
    ...serverOptions(timeouts),
    shouldUpgradeCallback: isWebSocketHandshake(MQTT_PATH, basePath),
  };
  const app = Fastify({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    bodyLimit: TELEMETRY_LIMIT,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: timeouts.silenceMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: true,
    ...(config.trustedProxies.length === 0 ? {} : { trustProxy: config.trustedProxies }),
    ...(basePath === ''
      ? {}
      : { rewriteUrl: ({ url = '/' }: IncomingMessage) => withoutBasePath(basePath, url) }),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 500 },
    // Sends errors of the framework as problems too.
    return503OnClosing: false,
    clientErrorHandler: createClientErrorHandler(policy, newRequestId),
    frameworkErrors: createFrameworkErrorHandler(policy),
    ...(config.tls === undefined ? { http: server } : { https: { ...server, ...config.tls } }),
  }) as unknown as FastifyInstance;
  app.decorate('authenticator', parts.authenticator);
  app.decorate('failureLimit', parts.failureLimit);
  app.decorate('recordRefusedWrite', parts.recordRefusedWrite);
  app.decorate('idempotency', parts.idempotency);
  app.decorate('bodyBudget', createBodyBudget());
  app.decorate('disk', parts.disk);
  app.decorateRequest('actor', undefined);
  app.decorateRequest('bodyLease', undefined);
  if (onRoute !== undefined) app.addHook('onRoute', onRoute);
  registerErrors(app);
  // At other levels, requests do not pay for the hook.
  if (parts.log.isLevelEnabled('debug')) registerRequestLog(app);
  registerSecurity(app, { baseUrl: parts.baseUrl, policy });
  registerRequestTurns(app);
  registerConnections(app, timeouts, parts.log);
  await registerCors(app, parts.config.allowedOrigins);
  registerBodyLimits(app);
  registerBodyParsers(app);
  await app.register(compress, compression);
  app.addHook('preClose', async () => {
    parts.streams.closeAll();
  });
  if (basePath !== '')
    app.addHook('onSend', async (_, reply) => {
      const location = reply.getHeader('location');
      if (typeof location === 'string' && location.startsWith('/'))
        reply.header('location', basePath + location);
    });
  for (const each of routesOf(parts)) registerRoute(app, each);
  if (parts.serveMqtt !== undefined)
    await registerWebSocket(app, {
      path: MQTT_PATH,
      protocols: ['mqtt', 'mqttv3.1'],
      allowedOrigins: config.allowedOrigins,
      serve: parts.serveMqtt,
    });
  await registerStaticFiles(app, dashboardDir, basePath);
  return app;
};
