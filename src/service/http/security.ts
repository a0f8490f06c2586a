import type { FastifyInstance } from 'fastify';
import { Refusal } from './refusal.ts';

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

/** Headers that protect every answer, and the Host check that stops DNS rebinding. */
export const registerSecurity = (
  app: FastifyInstance,
  { baseUrl, connectOrigins }: { baseUrl: () => string; connectOrigins: readonly string[] },
): void => {
  const policy = contentSecurityPolicy(connectOrigins);
  let known: { baseUrl: string; hosts: Set<string> } | undefined;
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-request-id': request.id,
    });
    if (request.url.startsWith('/v1/')) reply.header('cache-control', 'no-store');
    if (known?.baseUrl !== baseUrl()) known = { baseUrl: baseUrl(), hosts: allowedHosts(baseUrl()) };
    const host = (request.headers.host ?? '').toLowerCase();
    if (!known.hosts.has(host))
      throw new Refusal(
        'unknown-host',
        `This service does not answer to the name ${JSON.stringify(host.slice(0, 100))}. Use ${baseUrl()}, or set BASE_URL to the address that you use.`,
      );
  });
};
