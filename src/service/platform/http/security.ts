import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProblem } from './http-problem.ts';

/** The policy of every answer; `connectOrigins` are further services that this dashboard may talk to. */
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

/** The names under which this service answers: its base URL's, and on loopback all spellings of that. */
const allowedHosts = (baseUrl: string): Set<string> => {
  const { host, hostname, port, protocol } = new URL(baseUrl);
  const suffix = port === '' ? '' : `:${port}`;
  const hosts = LOOPBACK.includes(hostname) ? LOOPBACK.map((name) => `${name}${suffix}`) : [host];
  const defaultPort = protocol === 'https:' ? ':443' : ':80';
  return new Set(suffix === '' ? hosts.flatMap((name) => [name, `${name}${defaultPort}`]) : hosts);
};

/** Headers that protect every answer. */
export const protection = (policy: string, requestId: string): Record<string, string> => ({
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-request-id': requestId,
});

/** Under which name the service is asked: as the header says it, and where there is none or more than one, as no name. */
const hostOf = ({ url, raw }: FastifyRequest): string => {
  const named = raw.rawHeaders.filter((_, at, all) => at % 2 === 1 && all[at - 1]?.toLowerCase() === 'host');
  // A whole address in the request line (RFC 9112, 3.2.2) goes before the header; here both must be known.
  const host = url.startsWith('/') ? undefined : URL.parse(url)?.host;
  return [...new Set([...named, ...(host === undefined ? [] : [host])])].join(', ').toLowerCase();
};

/** Puts those headers on every answer, and checks the Host, which stops DNS rebinding. */
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
    if (!known.hosts.has(host))
      throw new HttpProblem(
        'unknown-host',
        `This service does not answer to the name ${JSON.stringify(host.slice(0, 100))}. Use ${baseUrl()}, or set BASE_URL to the address that you use.`,
      );
  });
};
