import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { clientAddressOf } from '../platform/http/client-address.ts';
import { withoutSecrets } from '../platform/log.ts';
import type { Tracing } from '../platform/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span?: Span;
  }
}

export type TracingConfig = {
  /** The address that receives spans, in OTLP over HTTP with JSON. */
  readonly url: string;
  /** The part of the traces that is exported, from 0 to 1. */
  readonly ratio: number;
};

const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;
/** The longest time that a stop waits for a collector. */
const CLOSE_WITHIN_MS = 2_000;
const LOG_FAILURES_EVERY_MS = 60_000;

/** Failures of exports are logged at most once a minute, because a collector that is down fails every export. */
const logFailures = (log: Logger): void => {
  let loggedAt = -Infinity;
  setGlobalErrorHandler((error) => {
    if (performance.now() - loggedAt < LOG_FAILURES_EVERY_MS) return;
    loggedAt = performance.now();
    log.warn({ err: error }, 'could not export traces');
  });
  const warn = (message: string) => log.warn(message);
  const ignore = () => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
};

const fail = (span: Span, error: unknown): void => {
  const message = withoutSecrets(error instanceof Error ? error.message : String(error));
  span.setAttribute('error.type', error instanceof Error ? error.name : 'Error');
  span.setStatus({ code: SpanStatusCode.ERROR, message });
};

/**
 * Exports traces of this process. Headers, certificates and the name of the service come from the variables of
 * OpenTelemetry.
 */
export const createOtlpTracing = (
  { url, ratio }: TracingConfig,
  { log, version }: { log: Logger; version: string },
): Tracing => {
  logFailures(log);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'penstock', 'service.version': version }))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, hostDetector, envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  const tracer = provider.getTracer('penstock', version);
  const propagator = new W3CTraceContextPropagator();
  // Not the global provider: a process may run several services, and traces of packages are not wanted.
  const contexts = new AsyncLocalStorageContextManager().enable();

  const inSpan = async <T>(span: Span, parent: Context, run: () => Promise<T>): Promise<T> => {
    try {
      return await contexts.with(trace.setSpan(parent, span), run);
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  };

  const startOfRequest = (request: FastifyRequest): Context => {
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    const { url: route = 'none' } = request.routeOptions;
    const options = {
      kind: SpanKind.SERVER,
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'url.path': request.url.split('?')[0] ?? '',
        'client.address': clientAddressOf(request),
        'penstock.request_id': request.id,
      },
    };
    const span = tracer.startSpan(`${request.method} ${route}`, options, parent);
    request.span = span;
    return trace.setSpan(parent, span);
  };

  return {
    span: (name, attributes, run, { isRoot = false } = {}) => {
      const parent = isRoot ? ROOT_CONTEXT : contexts.active();
      return inSpan(tracer.startSpan(name, { attributes }, parent), parent, run);
    },
    onQuery: ({ level, query, queryDurationMillis, ...event }) => {
      const parent = contexts.active();
      // Background work is not traced: each of its statements would be a separate trace.
      if (trace.getSpan(parent) === undefined) return;
      const end = Date.now();
      const attributes = { 'db.query.text': query.sql };
      const options = { kind: SpanKind.CLIENT, attributes, startTime: end - queryDurationMillis };
      const span = tracer.startSpan(query.sql.split(' ', 1)[0] ?? 'query', options, parent);
      if (level === 'error' && 'error' in event) fail(span, event.error);
      span.end(end);
    },
    request: (target, method, send) => {
      const parent = contexts.active();
      const attributes = {
        'http.request.method': method,
        'server.address': target.hostname,
        ...(target.port === '' ? {} : { 'server.port': Number(target.port) }),
      };
      const span = tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes }, parent);
      const headers: Record<string, string> = {};
      propagator.inject(trace.setSpan(parent, span), headers, defaultTextMapSetter);
      return inSpan(span, parent, async () => {
        const response = await send(headers);
        span.setAttribute('http.response.status_code', response.statusCode);
        if (response.statusCode >= CLIENT_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
        return response;
      });
    },
    observe: (app: FastifyInstance) => {
      app.decorateRequest('span', undefined);
      // The callback runs the rest of the request within the context.
      app.addHook('onRequest', (request, _reply, done) => contexts.with(startOfRequest(request), done));
      app.addHook('preValidation', (request, _reply, done) => {
        // The body arrives in events of its connection, outside of the request.
        if (request.span === undefined) return done();
        return contexts.with(trace.setSpan(ROOT_CONTEXT, request.span), done);
      });
      app.addHook('onError', async (request, _reply, error) => {
        if (request.span !== undefined && (error.statusCode ?? SERVER_ERROR) >= SERVER_ERROR)
          fail(request.span, error);
      });
      app.addHook('onResponse', async ({ span }, { statusCode }) => {
        if (span === undefined) return;
        span.setAttribute('http.response.status_code', statusCode);
        if (statusCode >= SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
    },
    close: async () => {
      contexts.disable();
      const timeout = new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), timeout]);
      diag.disable();
    },
  };
};
