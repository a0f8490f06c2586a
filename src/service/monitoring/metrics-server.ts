import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import { isWildcardHost } from '../platform/http/wildcard-host.ts';
import { logAcceptErrors } from '../platform/log-accept-errors.ts';
import type { PrometheusMetrics } from './prometheus-metrics.ts';

const WANTED_HOST =
  'Use the IP address or METRICS_HOST as the host. If METRICS_HOST is 0.0.0.0 or ::, names without a dot are accepted too.\n';

type Options = { host: string; port: number; metrics: PrometheusMetrics; log: Logger };
type Answer = { status: number; text: string; headers?: Record<string, string> };

/**
 * Whether a request names this host or an IP address. Other names may be those of a web page (DNS rebinding), except
 * for names without a dot: those of containers and of a local network.
 */
const isForHost = (header: string, host: string): boolean => {
  const name = URL.parse(`http://${header}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (isWildcardHost(host) && name !== '' && !name.includes('.')) return true;
  return name === 'localhost' || name === host.toLowerCase() || isIP(name) !== 0;
};

/** Serves `GET /metrics` without a token, on a separate address. @throws if the service cannot listen on the address */
export const startMetricsServer = async ({ host, port, metrics, log }: Options) => {
  const answer = async ({ method, url = '', headers }: IncomingMessage): Promise<Answer> => {
    if (!isForHost(headers.host ?? '', host)) return { status: 421, text: WANTED_HOST };
    if (url.split('?')[0] !== '/metrics') return { status: 404, text: 'The metrics are at /metrics.\n' };
    if (method !== 'GET' && method !== 'HEAD')
      return { status: 405, text: 'Read the metrics with GET.\n', headers: { allow: 'GET, HEAD' } };
    return { status: 200, text: await metrics.read(), headers: { 'content-type': metrics.contentType } };
  };
  const send = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const {
      status,
      text,
      headers = {},
    } = await answer(request).catch((error: unknown): Answer => {
      log.error({ err: error }, 'could not read the metrics');
      return { status: 503, text: 'The metrics cannot be read. See the log of the service.\n' };
    });
    response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(text);
  };
  const server = createServer((request, response) => void send(request, response));
  logAcceptErrors(server, log, 'metrics');
  server.listen(port, host);
  await once(server, 'listening');
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
