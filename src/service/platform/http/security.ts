import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProblem } from './http-problem.ts';

/** The content security policy. `connectOrigins`: other services that the dashboard can connect to. */
export const contentSecurityPolicy = (connectOrigins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...connectOrigins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "require-trusted-types-for 'script'",
  ].join('; ');

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** The accepted values of Host: that of the base URL, and on loopback all spellings of it. */
const allowedHosts = (baseUrl: string): Set<string> => {
  const { host, hostname, port, protocol } = new URL(baseUrl);
  const suffix = port === '' ? '' : `:${port}`;
  const hosts = LOOPBACK.includes(hostname) ? LOOPBACK.map((name) => `${name}${suffix}`) : [host];
  const defaultPort = protocol === 'https:' ? ':443' : ':80';
  return new Set(suffix === '' ? hosts.flatMap((name) => [name, `${name}${defaultPort}`]) : hosts);
};

/** Security headers of every response. */
export const protection = (policy: string, requestId: string): Record<string, string> => ({
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-request-id': requestId,
});

/** The host of a request: the value of the Host header, or empty if there is none or more than one. */
const hostOf = ({ url, raw }: FastifyRequest): string => {
  const named = raw.rawHeaders.filter((_, at, all) => at % 2 === 1 && all[at - 1]?.toLowerCase() === 'host');
  // An absolute URL in the request line (RFC 9112, 3.2.2) takes precedence over the header. Both must be allowed.
  const host = url.startsWith('/') ? undefined : URL.parse(url)?.host;
  return [...new Set([...named, ...(host === undefined ? [] : [host])])].join(', ').toLowerCase();
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers to any Host header. The response must be of no use to a web page. */
    anyHost?: boolean;
  }
}

/** Adds security headers to every response, and checks the Host header to prevent DNS rebinding. */
export const registerSecurity = (
  app: FastifyInstance,
  { baseUrl, policy }: { baseUrl: () => string; policy: string },
): void => {
  let known: { baseUrl: string; hosts: Set<string> } | undefined;
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(protection(policy, request.id));
    if (/^(https?:\/\/[^/]*)?\/v1\//.test(request.url)) reply.header('cache-control', 'no-store');
    if (known?.baseUrl !== baseUrl()) known = { baseUrl: baseUrl(), hosts: allowedHosts(baseUrl()) };
    const host = hostOf(request);
    if (!known.hosts.has(host) && request.routeOptions.config.anyHost !== true)
      throw new HttpProblem(
        'unknown-host',
        `The host ${JSON.stringify(host.slice(0, 100))} is not allowed. Use ${baseUrl()}, or set BASE_URL to the address that you use.`,
      );
  });
};
