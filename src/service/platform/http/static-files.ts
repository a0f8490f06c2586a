import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { endpoints } from '#contract/endpoints.ts';
import { HttpProblem } from './http-problem.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const YEAR_S = 31_536_000;

/**
 * The dashboard page for a base path. It refers to its files by absolute paths, since every dashboard URL returns this
 * page, and contains the base path in a meta element.
 */
const readPage = (directory: string, basePath: string) => {
  const html = readFileSync(join(directory, 'index.html'), 'utf8')
    .replaceAll(/ (href|src)="\.\//g, ` $1="${basePath}/`)
    .replace('<meta name="base-path" content="" />', `<meta name="base-path" content="${basePath}" />`);
  return { html, etag: `W/"${createHash('sha256').update(html).digest('base64url')}"` };
};

/**
 * Serves the built dashboard, with its page for every path that is not a file. Other paths get 404, or 405 if another
 * method has a route.
 */
export const registerStaticFiles = async (
  app: FastifyInstance,
  dashboardDir: string | undefined,
  basePath = '',
): Promise<void> => {
  // A build of another version replaces the link, but not the folder.
  const directory =
    dashboardDir !== undefined && existsSync(dashboardDir) ? realpathSync(dashboardDir) : undefined;
  const page =
    directory !== undefined && existsSync(join(directory, 'index.html'))
      ? readPage(directory, basePath)
      : undefined;
  if (directory !== undefined && page !== undefined)
    await app.register(fastifyStatic, {
      root: directory,
      wildcard: false,
      index: false,
      globIgnore: ['index.html'],
      cacheControl: false,
      setHeaders: (reply, path) => {
        // The names of built assets contain a hash of their content.
        const isHashed = relative(directory, path).startsWith('assets');
        reply.header('cache-control', isHashed ? `public, max-age=${YEAR_S}, immutable` : 'no-cache');
      },
    });
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const allowed = METHODS.filter((method) => isRouted(method, path));
    if (!path.startsWith('/v1/') && path !== '/v1' && allowed.length === 0) {
      if (path.startsWith('/api/v2/')) throw new HttpProblem('not-found', NOT_INFLUXDB);
      if (path.startsWith('/otlp/')) throw new HttpProblem('not-found', NOT_OTLP);
      if (path.startsWith('/api/v1/')) throw new HttpProblem('not-found', NOT_PROMETHEUS);
      const isPage =
        ['GET', 'HEAD'].includes(request.method) &&
        !path.startsWith('/assets/') &&
        (path === '/index.html' || !/\.[a-z0-9]{1,5}$/.test(path));
      if (isPage && page !== undefined) {
        reply.header('cache-control', 'no-cache').header('etag', page.etag);
        if (request.headers['if-none-match'] === page.etag) return reply.code(304).send();
        return reply.code(200).type('text/html; charset=utf-8').send(page.html);
      }
      throw new HttpProblem('not-found', 'There is no resource at this URL. The API is under /v1.');
    }
    if (allowed.length === 0)
      throw new HttpProblem(
        'not-found',
        `There is no endpoint ${path}. GET /v1/openapi.json lists all endpoints.`,
      );
    throw new HttpProblem(
      'method-not-allowed',
      `${path} supports ${allowed.join(', ')}, not ${request.method}.`,
      {
        headers: { allow: allowed.join(', ') },
      },
    );
  });
};

/** For clients of InfluxDB 2 that do more than write. */
const NOT_INFLUXDB =
  'Penstock supports only POST /api/v2/write of the InfluxDB 2 API: no Flux queries, deletions or buckets. Read telemetry with GET /v1/telemetry, and delete it with DELETE /v1/telemetry.';

/** For exporters of traces and logs. */
const NOT_OTLP = 'Penstock accepts OpenTelemetry metrics at POST /otlp/v1/metrics, but no traces or logs.';

/** For programs that query Prometheus, such as Grafana. */
const NOT_PROMETHEUS =
  'Penstock supports only POST /api/v1/write of the Prometheus API: no PromQL queries. Read telemetry with GET /v1/telemetry.';

/** Whether a path has a route for a method. */
const isRouted = (method: string, path: string): boolean =>
  endpoints.some(
    (endpoint) =>
      (endpoint.method === method || (endpoint.method === 'GET' && method === 'HEAD')) &&
      new RegExp(`^${endpoint.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
